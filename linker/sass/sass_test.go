package sass

import (
	"bytes"
	"testing"
)

// instruction has an opcode with an operation's upper bits, and register r.
func instruction(op uint16, r byte) []byte {
	b := make([]byte, Size)
	le.PutUint16(b, op)
	b[3] = r
	return b
}

func TestScanFindsWhatDecidesAboutAKernel(t *testing.T) {
	loadStack := instruction(0x7b82, 0) // LDC R1, c[0][0x37c] with a barrier
	loadStack[2], loadStack[3] = 1, 0xff
	noBarrier := bytes.Clone(loadStack)
	le.PutUint64(noBarrier[8:], 7<<46)
	exit, never, membar, asyncCopy := instruction(0x794d, 1), instruction(0xf984, 0xff), instruction(0x7992, 0), instruction(0x7fae, 0)
	for _, test := range []struct {
		name string
		code [][]byte
		want Traits
	}{
		{"nothing", nil, Traits{}},
		{"a stack pointer that nothing reads", [][]byte{loadStack, exit}, Traits{DeadStackPointer: true}},
		{"a stack pointer without a barrier", [][]byte{noBarrier, exit}, Traits{}},
		{"a stack pointer that a store reads", [][]byte{loadStack, instruction(0x7387, 1), exit}, Traits{}},
		{"each kind of call", [][]byte{noBarrier, instruction(0x7943, 0)}, Traits{Calls: true}},
		{"a relative call", [][]byte{noBarrier, instruction(0x7944, 0), never, membar}, Traits{Calls: true}},
		{"a fence with the workaround", [][]byte{noBarrier, never, membar, exit}, Traits{Fence: true}},
		{"a fence without", [][]byte{noBarrier, membar, exit}, Traits{}},
		{"a pair of fences", [][]byte{noBarrier, never, membar, membar}, Traits{Fence: true, FencePair: true}},
		{"fences apart", [][]byte{noBarrier, never, membar, exit, membar}, Traits{Fence: true}},
		{"a surface", [][]byte{noBarrier, instruction(0x7f9d, 0)}, Traits{Surface: true}},
		{"an asynchronous copy", [][]byte{noBarrier, asyncCopy}, Traits{AsyncCopy: true}},
	} {
		code := bytes.Join(test.code, nil)
		if got := Scan(code); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		for n := range code { // a part of an instruction counts as none
			if got, want := Scan(code[:n]), Scan(code[:n/Size*Size]); got != want {
				t.Errorf("%s, %d bytes: %+v, want %+v", test.name, n, got, want)
			}
		}
	}
}

func TestExitIsFoundAmongWholeInstructions(t *testing.T) {
	code := append(instruction(0x7918, 0), instruction(0x794d, 0)...)
	if !HasExit(code) || HasExit(code[:31]) || HasExit(nil) {
		t.Error("an EXIT ends the code, and is no EXIT when it is cut off")
	}
}

func TestOffsetOfALoadIsWrittenWhereARegisterIsAdded(t *testing.T) {
	load := func(register byte) []byte { // LDC R3, c[0][register + 0x390]
		code := make([]byte, Size)
		le.PutUint64(code, 0xb82|7<<12|3<<16|uint64(register)<<24|0x390<<38)
		return code
	}
	for _, test := range []struct {
		name string
		code []byte
		want uint64
	}{
		{"with a register", load(3), 0x13a0},
		{"without", load(0xff), 0x390},
		{"another instruction", instruction(0x7918, 3), 0},
		{"cut off", load(3)[:15], 0x390},
	} {
		SetLoadOffset(test.code, 0x13a0)
		if got := le.Uint64(test.code) >> 38 & 0xffff; got != test.want {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.want)
		}
	}
}

func TestInstructionsThatTieCodeToItsArchitecture(t *testing.T) {
	code := func(ops ...uint16) []byte {
		var b []byte
		for _, op := range ops {
			b = le.AppendUint16(b, op)
			b = append(b, make([]byte, 14)...)
		}
		return b
	}
	for _, c := range []struct {
		op   uint16
		want bool
	}{
		{0x7228, true}, {0x7229, true}, {0x722a, true}, {0x722b, true}, {0x7828, true}, {0x7c2b, true},
		{0x7237, true}, {0x723f, true}, {0x780b, true},
		{0x742a, false}, // DSETP with an immediate
		{0x720b, false}, {0x7308, false}, {0x723c, false}, {0x7210, false},
	} {
		if got := FamilySpecific(code(0x7b82, c.op, 0x794d)); got != c.want {
			t.Errorf("%#x: %v, want %v", c.op, got, c.want)
		}
	}
	if FamilySpecific(code(0x7228)[:15]) {
		t.Error("an incomplete instruction counts")
	}
}
