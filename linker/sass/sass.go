package sass

import "encoding/binary"

var le = binary.LittleEndian

// Size is the size of an instruction in bytes.
const Size = 16

// Opcode is the operation of an instruction, with the kind of its operands. It reads two bytes.
func Opcode(instruction []byte) uint16 { return le.Uint16(instruction) & opcodeMask }

// Opcodes: the low 12 bits of an instruction (observed).
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

// Traits are what decides whether the reference would generate a kernel's code anew.
type Traits struct {
	Calls     bool // there is one; nothing else is looked for then
	Surface   bool // stores to a surface or reduces on one
	AsyncCopy bool // copies to shared memory without waiting
	// DeadStackPointer: the code begins with loading the stack pointer, which nothing reads.
	DeadStackPointer bool
	// Fence: there is one with the compiler's workaround before it; FencePair: another one follows such a fence.
	Fence, FencePair bool
}

// Scan reads a kernel's code.
func Scan(code []byte) Traits {
	var k Traits
	stack := len(code) >= Size && loadsStackPointer(code)
	workaround, fence := false, false
	for o := 0; o+Size <= len(code); o += Size {
		op := le.Uint16(code[o:])
		switch op & opcodeMask {
		case opCallAbs, opCallAbsReg, opCallRel, opCallRelReg:
			k.Calls = true
			return k
		case opMembar:
			k.FencePair = k.FencePair || fence
			fence = workaround
			k.Fence = k.Fence || fence
		case opSurfaceStore, opSurfaceReduce:
			k.Surface = true
		case opAsyncCopy:
			k.AsyncCopy = true
		}
		fence = fence && op&opcodeMask == opMembar
		workaround = op == neverLDS
		if o > 0 && readsR1(code[o:], op) {
			stack = false
		}
	}
	k.DeadStackPointer = stack
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

// HasExit reports whether code can end its thread.
func HasExit(code []byte) bool {
	for o := 0; o+Size <= len(code); o += Size {
		if Opcode(code[o:]) == opExit {
			return true
		}
	}
	return false
}

// FamilySpecific reports whether code has an instruction that keeps it on its own architecture: double precision
// arithmetic, integer or double precision matrix products, and FSETP with an immediate, but not DSETP with one. The list
// was found by compiling single instructions for sm_100 and reading the mask that the compiler gives the object.
func FamilySpecific(code []byte) bool {
	const (
		operation = 0x1ff // of the opcode; its upper three bits are the form of the operands
		fsetpImm  = 0x80b
		dsetpImm  = 0x42a
	)
	for ; len(code) >= Size; code = code[Size:] {
		switch op := Opcode(code); op & operation {
		case 0x28, 0x29, 0x2b, 0x37, 0x3f: // DMUL, DADD, DFMA, IMMA, DMMA
			return true
		case 0x2a:
			if op != dsetpImm {
				return true
			}
		default:
			if op == fsetpImm {
				return true
			}
		}
	}
	return false
}

// Fields of LDC that say where it reads: the register that it adds, and the offset in the bank (observed).
const (
	loadBaseRegister = 3 // byte
	noRegister       = 0xff
	loadOffsetShift  = 38
	loadOffsetMask   = 0xffff
)

// SetLoadOffset writes the offset in its bank into an instruction that loads a constant of register and offset, of which off are the
// low 16 bits. Any other instruction, and a load without a register, stays as it is.
func SetLoadOffset(instruction []byte, off uint64) {
	if len(instruction) < Size || Opcode(instruction) != opLoadConst || instruction[loadBaseRegister] == noRegister {
		return
	}
	word := le.Uint64(instruction) &^ (loadOffsetMask << loadOffsetShift)
	le.PutUint64(instruction, word|off&loadOffsetMask<<loadOffsetShift)
}
