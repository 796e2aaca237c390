package dwarf

import (
	"bytes"
	"testing"

	"github.com/culink/culink/linker/dwarf/dwarftest"
	"github.com/google/go-cmp/cmp"
)

func TestFrameRecordIsCheckedBeforeItIsUsed(t *testing.T) {
	whole := append([]byte{0xff, 0xff, 0xff, 0xff, 24, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 24)...)
	if rec, problem := Frame64().Record(append(whole, 1, 2, 3)); problem != "" || len(rec) != len(whole) {
		t.Errorf("a whole FDE: %d bytes, %q", len(rec), problem)
	}
	for n := range whole {
		if _, problem := Frame64().Record(whole[:n]); problem == "" {
			t.Errorf("%d of %d bytes were taken for an FDE", n, len(whole))
		}
	}
	dwarf32 := append([]byte{20, 0, 0, 0}, make([]byte, 40)...)
	if _, problem := Frame64().Record(dwarf32); problem == "" {
		t.Error("the 32-bit form was accepted")
	}
}

func TestNamesFieldIsFoundOnlyBetweenFilesAndProgram(t *testing.T) {
	with := dwarftest.LineUnit([]byte{9, 0, 0, 0}, []byte{0, 9, 2})
	at := NamesField(with)
	if at == 0 || le.Uint32(with[at:]) != 9 {
		t.Errorf("field at %d", at)
	}
	if at := NamesField(dwarftest.LineUnit(nil, []byte{0, 9, 2})); at != 0 {
		t.Errorf("a unit without the field: %d", at)
	}
	for n := range with {
		NamesField(with[:n]) // must not panic
	}
}

func TestLineUnitIsCheckedBeforeItIsUsed(t *testing.T) {
	unit := dwarftest.LineUnit(nil, []byte{0, 9, 2})
	if end, problem := UnitEnd(unit, 0); problem != "" || end != uint64(len(unit)) {
		t.Errorf("end %d, %q", end, problem)
	}
	for n := range unit {
		if _, problem := UnitEnd(unit[:n], 0); problem == "" {
			t.Errorf("%d of %d bytes were taken for a unit", n, len(unit))
		}
	}
}

func TestSequenceIsWrittenAnewAsOfATableOfRows(t *testing.T) {
	address := []byte{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0}
	special := Specials{base: -5, rng: 14, opcode: 10}
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
		if d := cmp.Diff(test.out, RewriteRows(data, special)[len(address):]); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
		for n := range test.rows { // no part of it makes it fail
			RewriteRows(data[:len(address)+n], special)
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
	if _, problem := ClearRegisterRanges(got, map[string]bool{"f": true, "g": true}); problem != "" {
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
		if _, problem := ClearRegisterRanges(data, map[string]bool{}); problem == "" && len(data) != n {
			t.Error("length changed")
		}
	})
}

func FuzzNamesField(f *testing.F) {
	f.Add(dwarftest.LineUnit([]byte{9, 0, 0, 0}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if at := NamesField(data); at != 0 && at > len(data) {
			t.Errorf("field at %d of %d bytes", at, len(data))
		}
	})
}

func TestLastAdvanceOfASequenceIsGivenAnotherLength(t *testing.T) {
	seq := []byte{1, 2, 0x80, 1, 0, 1, 1} // copy, advance by 128, end
	if d := cmp.Diff([]byte{1, 2, 0xb0, 2, 0, 1, 1}, WithLength(seq, 128, 0x130)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, other := range [][]byte{{1, 2, 0x90, 1, 0, 1, 1}, {0, 1, 1}, nil} {
		if d := cmp.Diff(other, WithLength(other, 128, 0x130)); d != "" {
			t.Errorf("a sequence without that advance changed:\n%s", d)
		}
	}
}

func TestBareFrameDescribesTheSameCode(t *testing.T) {
	f := Frame64()
	fde := append([]byte{0xff, 0xff, 0xff, 0xff, 32, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 32)...)
	f.SetCIE(fde, 0x1122)
	le.PutUint64(fde[f.Address():], 0x40)
	le.PutUint64(fde[f.Range():], 0x80)
	fde[len(fde)-1] = 0x0a // an instruction
	bare, problem := f.Record(f.Bare(fde))
	if problem != "" || f.IsCIE(bare) || len(bare) != 40 {
		t.Fatalf("%d bytes, %q", len(bare), problem)
	}
	if d := cmp.Diff(fde[12:36], bare[12:36]); d != "" {
		t.Errorf("CIE and code (-want +got):\n%s", d)
	}
	if d := cmp.Diff(make([]byte, 4), bare[36:]); d != "" {
		t.Errorf("instructions (-want +got):\n%s", d)
	}
}

func TestUnitLengthCountsWhatFollowsIt(t *testing.T) {
	unit := dwarftest.LineUnit(nil, []byte{0, 9, 2})
	longer := append(append([]byte(nil), unit...), 1, 1)
	SetUnitLength(longer)
	if end, problem := UnitEnd(longer, 0); problem != "" || end != uint64(len(longer)) {
		t.Errorf("end %d of %d, %q", end, len(longer), problem)
	}
}

// FuzzRewriteRows asks that a sequence is read to its end at most and left as it is.
func FuzzRewriteRows(f *testing.F) {
	f.Add([]byte{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 3, 7, 1, 2, 0x20, 0, 1, 1}, uint8(251), uint8(14), uint8(10))
	f.Fuzz(func(t *testing.T, seq []byte, base, rng, opcode uint8) {
		special := Specials{base: int8(base), rng: rng, opcode: opcode}
		before := bytes.Clone(seq)
		RewriteRows(seq, special)
		WithLength(seq, 128, 256)
		if !bytes.Equal(before, seq) {
			t.Errorf("%x became %x", before, seq)
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add(append([]byte{0xff, 0xff, 0xff, 0xff, 24, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 24)...), true)
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		form := Frame32()
		if wide {
			form = Frame64()
		}
		rec, problem := form.Record(data)
		if problem != "" || form.IsCIE(rec) {
			return
		}
		form.SetCIE(rec, 0x10)
		if wide {
			if bare, problem := form.Record(form.Bare(rec)); problem != "" || form.IsCIE(bare) {
				t.Errorf("%x: its bare form is no FDE: %q", rec, problem)
			}
		}
	})
}
