package link

import "github.com/culink/culink/linker/cubin"

// Opcodes of SASS that tell whether the reference makes a kernel's code anew (the low 12 bits of an instruction; observed).
const (
	opcodeMask      = 0xfff
	opCallAbs       = 0x943
	opCallAbsReg    = 0x343
	opCallRel       = 0x944
	opCallRelReg    = 0x344
	opMembar        = 0x992
	opSurfaceStore  = 0xf9d
	opSurfaceReduce = 0xf9f
	opLoadConst     = 0xb82
	opAsyncCopy     = 0xfae // LDGSTS
	opExit          = 0x94d
	// neverLDS is the whole first half word of "@!PT LDS", which stands before a fence as a workaround.
	neverLDS = 0xf984
)

// anewCandidates lists the kernels whose code the reference would generate anew instead of copying the compiler's, in the
// order of their sections. culink keeps the compiler's code, which is valid in every case; images can only be compared
// without these kernels.
func (l *link) anewCandidates() []string {
	var names []string
	debugCode := l.hasDebugCode()
	for _, s := range l.Secs[1:] {
		if s.Kind != kindText || len(s.Parts) == 0 {
			continue
		}
		p := &s.Parts[0]
		if p.Sec == 0 || p.Merc == 0 {
			continue
		}
		f := l.Inputs[p.In].File
		// Code of sm_100 that is linked for sm_103 is made anew as a whole.
		if l.madeAnew(s.Kernel, f.Sections[p.Sec].Data, f.Sections[p.Merc].Data, debugCode) || f.SM() == 100 && l.SM == 103 {
			names = append(names, l.Syms[s.Fn].Name)
		}
	}
	return names
}

// hasDebugCode reports whether any input has functions that the compiler made with -G, in the image or not.
func (l *link) hasDebugCode() bool {
	for _, in := range l.Inputs {
		code, info := false, false
		for i := range in.File.Sections {
			s := &in.File.Sections[i]
			code = code || s.Type == cubin.SHTCudaCapsule
			info = info || s.Name == ".nv.merc.nv_debug_info_reg_sass"
		}
		if code && info {
			return true
		}
	}
	return false
}

// madeAnew is the rule for one function (observed on 40,000). With -g, or beside code that was compiled with -G, whatever
// was not compiled with -G and has an EXIT is changed, device functions included: each EXIT gets its debugging form.
// Otherwise, in an executable, kernels with calls are if they have the debugging form of EXIT without anything compiled with -G:
// an earlier relocatable link with -g gave it to them. Kernels without calls are, if they have a fence with the compiler's workaround, the debugging form of EXIT, or a stack
// pointer that nothing reads. Where a kernel copies to shared memory asynchronously, the workaround stays, and a fence
// changes only if it is a pair of fences, of which the first goes.
func (l *link) madeAnew(kernel bool, code, capsule []byte, debugCode bool) bool {
	debugExit := hasDebugExit(capsule)
	debug := l.Debug && !l.SuppressDebugInfo
	if !debugExit && (debug || debugCode) && hasExit(code) {
		return true
	}
	if debug || l.rel || !kernel {
		return false
	}
	k := scanKernel(code)
	switch {
	case k.calls:
		return debugExit && !debugCode
	case k.fencePair, k.fence && !k.asyncCopy:
		return true
	case debugExit:
		return !k.surface
	}
	return k.deadStackPointer
}

// kernelTraits is what the rule needs to know about a kernel's code.
type kernelTraits struct {
	calls, surface, asyncCopy, deadStackPointer bool
	// fence: there is one with the workaround before it; fencePair: another one follows such a fence.
	fence, fencePair bool
}

func scanKernel(code []byte) kernelTraits {
	var k kernelTraits
	stack := len(code) >= 16 && loadsStackPointer(code)
	workaround, fence := false, false
	for o := 0; o+16 <= len(code); o += 16 {
		op := le.Uint16(code[o:])
		switch op & opcodeMask {
		case opCallAbs, opCallAbsReg, opCallRel, opCallRelReg:
			k.calls = true
			return k
		case opMembar:
			k.fencePair = k.fencePair || fence
			fence = workaround
			k.fence = k.fence || fence
		case opSurfaceStore, opSurfaceReduce:
			k.surface = true
		case opAsyncCopy:
			k.asyncCopy = true
		}
		fence = fence && op&opcodeMask == opMembar
		workaround = op == neverLDS
		if o > 0 && readsR1(code[o:], op) {
			stack = false
		}
	}
	k.deadStackPointer = stack
	return k
}

// loadsStackPointer reports whether a kernel begins with LDC R1, c[0][0x37c] and a write barrier that later code may wait
// for. One that waits for barriers itself is from -O0: such code comes out as it was.
func loadsStackPointer(code []byte) bool {
	lo, hi := le.Uint64(code), le.Uint64(code[8:])
	return lo&opcodeMask == opLoadConst && lo>>16&0xffff == 0xff01 && hi>>46&7 != 7 && hi>>52&0x3f == 0
}

// The second operand of most instructions is a register, fifth byte, if these bits of the opcode say so. The third, ninth
// byte, is looked at where addresses are made of it: IADD3, LOP3, IMAD, IMAD.WIDE.
const (
	operandMask     = 0xe00
	operandRegister = 0x200
)

// readsR1 reports whether an instruction reads the stack pointer.
func readsR1(code []byte, op uint16) bool {
	if code[3] == 1 {
		return !noRegisterRead(op)
	}
	if code[4] == 1 && op&operandMask == operandRegister {
		return true
	}
	switch op & 0x1ff {
	case 0x10, 0x12, 0x24, 0x25:
		return code[8] == 1
	}
	return false
}

// noRegisterRead tells NOP, EXIT and BRA, whose fourth byte is no register.
func noRegisterRead(op uint16) bool { return op == 0x7918 || op == 0x794d || op == 0x7947 }

// hasExit reports whether code can end its thread.
func hasExit(code []byte) bool {
	for o := 0; o+16 <= len(code); o += 16 {
		if le.Uint16(code[o:])&opcodeMask == opExit {
			return true
		}
	}
	return false
}

// hasDebugExit reports whether a capsule has an EXIT as the compiler makes it with -G.
func hasDebugExit(data []byte) bool {
	c, err := cubin.ParseCapsule(data)
	if err != nil {
		return false
	}
	for i := range c.Records {
		r := &c.Records[i]
		if r.Units != 0 && r.Size >= 4 && le.Uint32(data[r.Off:]) == 0x0a001101 {
			return true
		}
	}
	return false
}
