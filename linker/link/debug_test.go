package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/google/go-cmp/cmp"
)

func TestFrameRecordIsCheckedBeforeItIsUsed(t *testing.T) {
	whole := append([]byte{0xff, 0xff, 0xff, 0xff, 24, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 24)...)
	if rec, problem := frame64.record(append(whole, 1, 2, 3)); problem != "" || len(rec) != len(whole) {
		t.Errorf("a whole FDE: %d bytes, %q", len(rec), problem)
	}
	for n := range whole {
		if _, problem := frame64.record(whole[:n]); problem == "" {
			t.Errorf("%d of %d bytes were taken for an FDE", n, len(whole))
		}
	}
	dwarf32 := append([]byte{20, 0, 0, 0}, make([]byte, 40)...)
	if _, problem := frame64.record(dwarf32); problem == "" {
		t.Error("the 32-bit form was accepted")
	}
}

// lineUnitBytes is a unit with one directory, two files, and extra bytes before its program.
func lineUnitBytes(extra []byte, program []byte) []byte {
	tables := []byte("dir\x00\x00a.cu\x00\x01\x80\x01\x05b.cu\x00\x01\x02\x03\x00")
	head := append([]byte{1, 0, 1, 10, 3, 0, 1}, tables...) // min_inst .. opcode_base 3, two opcode lengths
	head = append(head, extra...)
	unit := []byte{0, 0, 0, 0, 2, 0}
	unit = le.AppendUint32(unit, uint32(len(head)))
	unit = append(unit, head...)
	unit = append(unit, program...)
	le.PutUint32(unit, uint32(len(unit)-4))
	return unit
}

func TestNamesFieldIsFoundOnlyBetweenFilesAndProgram(t *testing.T) {
	with := lineUnitBytes([]byte{9, 0, 0, 0}, []byte{0, 9, 2})
	at := namesField(with)
	if at == 0 || le.Uint32(with[at:]) != 9 {
		t.Errorf("field at %d", at)
	}
	if at := namesField(lineUnitBytes(nil, []byte{0, 9, 2})); at != 0 {
		t.Errorf("a unit without the field: %d", at)
	}
	for n := range with {
		namesField(with[:n]) // must not panic
	}
}

func TestLineUnitIsCheckedBeforeItIsUsed(t *testing.T) {
	unit := lineUnitBytes(nil, []byte{0, 9, 2})
	if end, problem := lineUnit(unit, 0); problem != "" || end != uint64(len(unit)) {
		t.Errorf("end %d, %q", end, problem)
	}
	for n := range unit {
		if _, problem := lineUnit(unit[:n], 0); problem == "" {
			t.Errorf("%d of %d bytes were taken for a unit", n, len(unit))
		}
	}
}

func TestAliasedSequenceIsWrittenAnew(t *testing.T) {
	address := []byte{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0}
	special := specials{base: -5, rng: 14, opcode: 10}
	for _, test := range []struct {
		name      string
		rows, out []byte
	}{
		{"the last advance goes", []byte{4, 1, 3, 7, 1, 2, 0x20, 0, 1, 1}, []byte{4, 1, 3, 7, 1, 0, 1, 1}},
		{"of rows at one place the last stays", []byte{4, 1, 3, 4, 1, 3, 2, 1, 3, 1, 2, 0x20, 1, 0xee, 2, 0x20, 0, 1, 1}, []byte{4, 1, 3, 6, 1, 3, 1, 2, 0x20, 1, 0xee, 0, 1, 1}},
		{"large numbers", []byte{3, 0x3f, 1, 3, 0x3f, 1, 0, 1, 1}, []byte{3, 0xfe, 0, 1, 0, 1, 1}},
		{"backwards", []byte{3, 0x7f, 1, 3, 0x7e, 1, 0, 1, 1}, []byte{3, 0x7d, 1, 0, 1, 1}},
		{"the address advances at once", []byte{3, 0x1a, 1, 2, 0x90, 1, 0xf3, 2, 0x20, 3, 9, 2, 0x30, 1, 0, 1, 1}, []byte{3, 0x1a, 1, 3, 4, 2, 0xa0, 1, 1, 3, 9, 2, 0xd0, 0, 1, 0, 1, 1}},
		{"marks of the prologue go", []byte{4, 1, 0, 2, 0x92, 1, 3, 7, 1, 0, 2, 0x92, 0, 2, 0x50, 1, 0, 3, 0x90, 2, 0, 3, 4, 1, 0, 1, 1}, []byte{4, 1, 3, 7, 1, 2, 0x50, 1, 0, 3, 0x90, 2, 0, 3, 4, 1, 0, 1, 1}},
		{"cut off", []byte{3, 7, 1, 2, 0x80}, []byte{3, 7, 1, 2, 0x80}},
	} {
		data := append(append([]byte(nil), address...), test.rows...)
		s := sequence{to: uint64(len(data)), aliased: true}
		if d := cmp.Diff(test.out, s.bytes(data, special)[len(address):]); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
		s.aliased = false
		if d := cmp.Diff(data, s.bytes(data, special)); d != "" {
			t.Errorf("%s: an ordinary sequence changed:\n%s", test.name, d)
		}
		for n := range test.rows { // no part of it makes it fail
			rewriteRows(data[:len(address)+n], special)
		}
	}
}

func registerBlock(name string, ranges ...[2]uint32) []byte {
	b := append([]byte(name), 0)
	b = le.AppendUint32(b, uint32(len(ranges)))
	for _, r := range ranges {
		b = append(b, 1, 0, 0, 0)
		b = append(b, "%r1\x00"...)
		b = le.AppendUint32(b, 5<<24|3)
		b = le.AppendUint32(le.AppendUint32(b, r[0]), r[1])
	}
	return b
}

func TestRegisterRangesOfAbsentAndRepeatedFunctionsAreCleared(t *testing.T) {
	join := func(blocks ...[]byte) (out []byte) {
		for _, b := range blocks {
			out = append(out, b...)
		}
		return out
	}
	r, z := [2]uint32{16, 32}, [2]uint32{}
	got := join(registerBlock("f", r, r), registerBlock("dead", r), registerBlock("f", r), registerBlock("g"))
	want := join(registerBlock("f", r, r), registerBlock("dead", z), registerBlock("f", z), registerBlock("g"))
	if _, problem := clearRegisterRanges(got, map[string]bool{"f": true, "g": true}); problem != "" {
		t.Fatal(problem)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzClearRegisterRanges(f *testing.F) {
	f.Add(registerBlock("f", [2]uint32{16, 32}))
	f.Add([]byte("f\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data)
		if _, problem := clearRegisterRanges(data, map[string]bool{}); problem == "" && len(data) != n {
			t.Error("length changed")
		}
	})
}

func FuzzNamesField(f *testing.F) {
	f.Add(lineUnitBytes([]byte{9, 0, 0, 0}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if at := namesField(data); at != 0 && at > len(data) {
			t.Errorf("field at %d of %d bytes", at, len(data))
		}
	})
}

func TestSpansTranslateOffsetsAndForgetWhatIsGone(t *testing.T) {
	b := &rebuilt{parts: []rebuiltPart{{in: 0, sec: 3, spans: []span{{0, 10, 5}, {20, 30, 100}}}, {in: 2, sec: 1}}}
	p := b.find(0, 3)
	for _, test := range []struct {
		off, at uint64
		ok      bool
	}{{0, 5, true}, {9, 14, true}, {10, 0, false}, {19, 0, false}, {20, 100, true}, {30, 0, false}} {
		if at, ok := p.place(test.off); at != test.at || ok != test.ok {
			t.Errorf("%d: %d, %v", test.off, at, ok)
		}
	}
	if _, ok := b.find(1, 1).place(0); ok {
		t.Error("an input without the section has a place")
	}
}

func TestPlacesBehindTheCodeThatCountsEndThere(t *testing.T) {
	twin := cubin.Section{Type: cubin.SHTMercRela, Data: encodeRels([]cubin.Rel{{Offset: 8, Addend: 0x540}, {Offset: 16, Addend: 0x80}})}
	twin.Size = uint64(len(twin.Data))
	in := &input{ID: 1, Secs: make([]inSection, 2), File: &cubin.File{Sections: []cubin.Section{{}, {}, twin}}}
	winner := &input{File: &cubin.File{MercSymbols: []cubin.Symbol{{}, {Name: "f", Size: 0x90}}}}
	l := &link{Inputs: []*input{winner, in}, Syms: []symbol{{}, {Name: "f", Def: 0, DefSym: 1, Size: 0x100}}}
	p := &patcher{relocator: &relocator{l: l}, in: in, twinRel: 2}
	y := &cubin.Symbol{Name: "f", Shndx: 1}
	for _, test := range []struct {
		name         string
		lost         lossKind
		number       int
		offset       uint64
		addend, want int64
	}{
		{"behind the end", lostOnArrival, 0, 8, 0x500, 0x100},
		{"behind the end of what replaced it", replacedLater, 0, 8, 0x500, 0x100},
		{"of the copy that counts", notLost, 0, 8, 0x500, 0x500},
		{"inside", lostOnArrival, 1, 16, 0x70, 0x70},
		{"the twin has another entry", lostOnArrival, 0, 16, 0x500, 0x500},
		{"the twin has none", lostOnArrival, 2, 24, 0x500, 0x500},
	} {
		in.Secs[1].Lost, p.number = test.lost, test.number
		e := pending{Rel: cubin.Rel{Offset: test.offset, Addend: test.addend}, sym: 1}
		if p.endAtWinner(&e, y); e.Addend != test.want {
			t.Errorf("%s: %#x, want %#x", test.name, e.Addend, test.want)
		}
	}
}
