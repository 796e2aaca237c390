package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/sass"
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
	if !debugExit && (debug || debugCode) && sass.HasExit(code) {
		return true
	}
	if debug || l.rel || !kernel {
		return false
	}
	k := sass.Scan(code)
	switch {
	case k.Calls:
		return debugExit && !debugCode
	case k.FencePair, k.Fence && !k.AsyncCopy:
		return true
	case debugExit:
		return !k.Surface
	}
	return k.DeadStackPointer
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
