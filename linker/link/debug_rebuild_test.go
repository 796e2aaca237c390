package link

import (
	"bytes"
	"slices"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/dwarf/dwarftest"
	"github.com/google/go-cmp/cmp"
)

// debugBench is a Mercury link of one input with a debug section (input section 1, output section 1) that names the
// functions f1, f2, f3 (symbols 1 to 3); their numbers in the image are given, 0 for a dead one.
func debugBench(name string, data []byte, numbers [3]uint32, entries ...cubin.Rel) *patcher {
	var raw []byte
	for _, e := range entries {
		raw = le.AppendUint64(raw, e.Offset)
		raw = le.AppendUint32(raw, e.Type)
		raw = le.AppendUint32(raw, e.Sym)
		raw = le.AppendUint64(raw, uint64(e.Addend))
	}
	file := &cubin.File{
		Sections: []cubin.Section{{}, {Name: name, Size: uint64(len(data)), Data: data}, {Name: ".rela" + name, Type: cubin.SHTRela, Info: 1, Size: uint64(len(raw)), Data: raw}},
		Symbols:  []cubin.Symbol{{}},
	}
	in := &input{File: file, Secs: []inSection{{}, {Out: 1}, {Out: 2}}, Syms: []symID{0, 1, 2, 3}}
	in.PlainSyms = in.Syms
	l := &link{Mercury: true, ABI: 8, Inputs: []*input{in}, Syms: make([]symbol, 4), Funcs: make([]function, 4)}
	for i := 1; i <= 3; i++ {
		y := fileSymbol([]string{"", "f1", "f2", "f3"}[i], cubin.STTFunc, cubin.STBGlobal, 0)
		file.Symbols = append(file.Symbols, y)
		l.Syms[i] = symbol{Name: y.Name, Info: y.Info, Func: funcID(i), Index: numbers[i-1], Dead: numbers[i-1] == 0}
		l.Funcs[i].Sym = symID(i)
	}
	l.Secs = []*section{{},
		{ID: 1, Name: name, Kind: kindDebug, Size: uint64(len(data)), Data: slices.Clone(data), Parts: []part{{Sec: 1}}},
		{ID: 2, Name: ".rela" + name, Kind: kindRela, Target: 1, Parts: []part{{Sec: 2}}}}
	r := newRelocator(l)
	return &patcher{relocator: r, t: &r.targets[0], sec: l.Secs[1]}
}

// frameEntry makes a CIE or an FDE; pointer is nil for a CIE.
func frameEntry(pointer *uint64, body byte) []byte {
	b := []byte{0xff, 0xff, 0xff, 0xff, 24, 0, 0, 0, 0, 0, 0, 0}
	if pointer == nil {
		b = le.AppendUint64(b, ^uint64(0))
	} else {
		b = le.AppendUint64(b, *pointer)
	}
	return append(b, bytes.Repeat([]byte{body}, 16)...)
}

func TestFramesOfDeadFunctionsGoWithTheirCIEAndPointersAreMended(t *testing.T) {
	wrong := uint64(7)
	var data []byte
	for i := byte(1); i <= 3; i++ {
		data = append(data, frameEntry(nil, 0x10*i)...)
		data = append(data, frameEntry(&wrong, i)...)
	}
	const n = 36
	p := debugBench(".debug_frame", data, [3]uint32{5, 0, 4}, rela(n+20, 2, 1, 0), rela(3*n+20, 2, 2, 0), rela(5*n+20, 2, 3, 0),
		rela(5*n+28, 73, 3, 0))
	if err := disposeAll(p); err != nil {
		t.Fatal(err)
	}
	first, second := uint64(0), uint64(2*n)
	want := slices.Concat(frameEntry(nil, 0x10), frameEntry(&first, 1), frameEntry(nil, 0x30), frameEntry(&second, 3))
	if d := cmp.Diff(want, p.sec.Data); d != "" {
		t.Errorf("bytes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]outRel{{3*n + 20, 3, 2, 0}, {n + 20, 1, 2, 0}}, p.l.Secs[2].Rels); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
	if p.sec.Size != uint64(len(want)) {
		t.Errorf("size %#x, want %#x", p.sec.Size, len(want))
	}
}

func TestSecondDescriptionOfAFunctionWithoutTwinIsTheWinners(t *testing.T) {
	at := uint64(0)
	data := slices.Concat(frameEntry(nil, 0x10), frameEntry(&at, 1), frameEntry(nil, 0x20), frameEntry(&at, 2))
	const n = 36
	p := debugBench(".debug_frame", data, [3]uint32{5, 6, 7}, rela(n+20, 2, 1, 0), rela(3*n+20, 2, 1, 0))
	if err := disposeAll(p); err != nil {
		t.Fatal(err)
	}
	if len(p.sec.Data) != 4*n || len(p.l.Secs[2].Rels) != 2 {
		t.Errorf("%d bytes, entries %v: both descriptions must stay", len(p.sec.Data), p.l.Secs[2].Rels)
	}
}

func TestLineSequencesStandInTheOrderOfSymbolNumbers(t *testing.T) {
	sequenceOf := func(b byte) []byte { return []byte{0, 9, 2, b, b, b, b, b, b, b, b, 1, 0, 1, 1} }
	program := slices.Concat(sequenceOf(1), sequenceOf(2), sequenceOf(3))
	unit := dwarftest.LineUnit(nil, program)
	head := uint64(len(unit) - len(program))
	const n = 15
	p := debugBench(".debug_line", unit, [3]uint32{9, 0, 4}, rela(head+2*n+3, 2, 3, 0), rela(head+3, 2, 1, 0), rela(head+n+3, 2, 2, 0))
	if err := p.rebuildLines(); err != nil {
		t.Fatal(err)
	}
	if err := disposeAll(p); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(unit[:head], sequenceOf(3), sequenceOf(1))
	le.PutUint32(want, uint32(len(want)-4))
	if d := cmp.Diff(want, p.sec.Data); d != "" {
		t.Errorf("bytes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]outRel{{head + 3, 3, 2, 0}, {head + n + 3, 1, 2, 0}}, p.l.Secs[2].Rels); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
}

func TestBrokenDebugSectionsAreNamedErrors(t *testing.T) {
	whole := frameEntry(nil, 1)
	for _, test := range []struct {
		name string
		data []byte
	}{{".debug_frame", whole[:20]}, {".debug_frame", append(slices.Clone(whole), 1)}, {".debug_line", []byte{1, 2, 3}}, {".nv_debug_line_sass", bytes.Repeat([]byte{0xff}, 40)}} {
		p := debugBench(test.name, test.data, [3]uint32{1, 2, 3}, rela(0, 2, 1, 0))
		err := p.rebuildLines()
		if err == nil {
			err = disposeAll(p)
		}
		if e, ok := err.(*relocationError); !ok || e.section != test.name {
			t.Errorf("%s of %d bytes: %v", test.name, len(test.data), err)
		}
	}
}

// disposeAll works on the patcher's target as one job.
func disposeAll(p *patcher) error {
	job := relocJob{t: p.t, parts: p.t.parts, end: uint64(len(p.t.sec.Data))}
	if err := p.work(p, &job); err != nil {
		return err
	}
	job.deliver()
	return nil
}
