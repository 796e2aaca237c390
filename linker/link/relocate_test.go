package link

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// bench is a link as it stands before relocate: one input, whose section 1 (text) is patched by section 2.
type bench struct {
	l   *link
	in  *input
	rel *section
}

// symbols of every bench, by number in the input.
const (
	symFunc = iota + 1
	symAlias
	symGone
	symGlobal
	symConst
	symShared
	symSection
	symLabel
	symMarker
	symMissing
	symDebug
	symReserved
	symWeakConst
)

func fileSymbol(name string, t cubin.SymbolType, b cubin.Binding, other uint8) cubin.Symbol {
	return cubin.Symbol{Name: name, Info: uint8(b)<<4 | uint8(t), Other: other}
}

func newBench(opts Options, entries ...cubin.Rel) *bench {
	opts.Toolkit = 130
	l := &link{Options: opts, Diag: &diag.Collector{}, externInstance: map[secID]symID{}}
	l.imitate()
	const textSize = 64
	rela := make([]byte, 0, len(entries)*cubin.RelaSize)
	isREL := len(entries) > 0 && !entries[0].HasAddend
	kind, typ, name := kindRela, cubin.SHTRela, ".rela.text.f"
	if isREL {
		kind, typ, name = kindRel, cubin.SHTRel, ".rel.text.f"
	}
	for _, e := range entries {
		rela = le.AppendUint64(rela, e.Offset)
		rela = le.AppendUint32(rela, e.Type)
		rela = le.AppendUint32(rela, e.Sym)
		if !isREL {
			rela = le.AppendUint64(rela, uint64(e.Addend))
		}
	}
	file := &cubin.File{
		Sections: []cubin.Section{
			{},
			{Name: ".text.f", Type: cubin.SHTProgbits, Size: textSize, Data: make([]byte, textSize)},
			{Name: name, Type: typ, Flags: cubin.SHFInfoLink, Info: 1, Size: uint64(len(rela)), Data: rela},
			{Name: ".debug_abbrev", Type: cubin.SHTProgbits, Size: 8},
		},
		Symbols: []cubin.Symbol{
			{},
			symFunc:      fileSymbol("f", cubin.STTFunc, cubin.STBGlobal, 0),
			symAlias:     fileSymbol("also", cubin.STTFunc, cubin.STBGlobal, 0),
			symGone:      fileSymbol("gone", cubin.STTFunc, cubin.STBGlobal, 0),
			symGlobal:    fileSymbol("g", cubin.STTCudaObject, cubin.STBGlobal, cubin.STOGlobal),
			symConst:     fileSymbol("c", cubin.STTCudaObject, cubin.STBGlobal, cubin.STOConstant),
			symShared:    fileSymbol("s", cubin.STTCudaObject, cubin.STBGlobal, cubin.STOShared),
			symSection:   fileSymbol(".text.f", cubin.STTSection, cubin.STBLocal, 0),
			symLabel:     fileSymbol("$L__tmp1", cubin.STTNotype, cubin.STBLocal, 0),
			symMarker:    fileSymbol("__UFT_OFFSET", cubin.STTObject, cubin.STBWeak, 0),
			symMissing:   fileSymbol(".nv.undefined", cubin.STTObject, cubin.STBLocal, 1),
			symDebug:     fileSymbol(".debug_abbrev", cubin.STTSection, cubin.STBLocal, 0),
			symReserved:  fileSymbol(".nv.reservedSmem.offset0", cubin.STTCudaObject, cubin.STBWeak, cubin.STOReservedShrd),
			symWeakConst: fileSymbol("wc", cubin.STTCudaObject, cubin.STBWeak, cubin.STOConstant),
		},
	}
	file.Symbols[symShared].Size = 4
	file.Symbols[symSection].Shndx = 1
	file.Symbols[symDebug].Shndx = 3
	in := &input{Name: "a.cubin", File: file, Secs: make([]inSection, len(file.Sections))}
	l.Inputs = []*input{in}
	l.Secs = []*section{
		{},
		{ID: 1, Name: ".text.f", Kind: kindText, Size: textSize, Data: make([]byte, textSize), Parts: []part{{Sec: 1}}},
		{ID: 2, Name: name, Kind: kind, Target: 1, Parts: []part{{Sec: 2}}},
		{ID: 3, Name: ".debug_abbrev", Kind: kindDebug, Size: 0x28},
		{ID: 4, Name: ".nv.constant3", Kind: kindConstUser, Size: 16},
		{ID: 5, Name: ".nv.global", Kind: kindGlobal, Size: 16},
		{ID: 6, Name: ".nv.resolvedrela.text.f", Kind: kindResolved, Target: 1},
	}
	l.resolved = map[string]secID{".text.f": 6}
	in.Secs[1].Out, in.Secs[2].Out = 1, 2
	in.Secs[3] = inSection{Out: 3, Off: 0x20}
	l.Syms = make([]symbol, len(file.Symbols))
	in.PlainSyms = make([]symID, len(file.Symbols))
	for i := 1; i < len(file.Symbols); i++ {
		y := &file.Symbols[i]
		l.Syms[i] = symbol{Name: y.Name, Info: y.Info, Other: y.Other, Size: y.Size, Index: uint32(i)}
		if y.Type() != cubin.STTSection && y.Type() != cubin.STTNotype {
			in.PlainSyms[i] = symID(i)
		}
	}
	in.Syms = in.PlainSyms
	set := func(n int, sec secID, value uint64) { l.Syms[n].Sec, l.Syms[n].Value, l.Syms[n].Shndx = sec, value, 1 }
	set(symFunc, 1, 0)
	set(symAlias, 1, 0)
	set(symGlobal, 5, 8)
	set(symConst, 4, 12)
	set(symWeakConst, 4, 4)
	set(symShared, 0, 0x40)
	for _, n := range []int{symMarker, symMissing, symReserved} {
		l.Syms[n].Def = noFile
	}
	l.Syms[symReserved].Value = 7
	l.Syms[symGone].Dead = true
	l.Secs[1].Fn = symFunc
	l.Secs[1].Sym, l.Syms[symSection].Of = symSection, 1
	l.Secs[3].Sym, l.Syms[symDebug].Of = symDebug, 3
	l.Syms[symSection].Sec, l.Syms[symDebug].Sec = 1, 3
	l.Funcs = make([]function, 1)
	return &bench{l, in, l.Secs[2]}
}

func (b *bench) run() error { return b.l.relocate(context.Background()) }

func rela(off uint64, t, sym uint32, addend int64) cubin.Rel {
	return cubin.Rel{Offset: off, Type: t, Sym: sym, Addend: addend, HasAddend: true}
}

func TestRelocateKeepsEntriesInReverseOrderOfReading(t *testing.T) {
	b := newBench(Options{SM: 80}, rela(0, 2, symFunc, 1), rela(32, 2, symGlobal, 2), rela(16, 2, symFunc, 3))
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	want := []outRel{{16, symFunc, 2, 3}, {32, symGlobal, 2, 2}, {0, symFunc, 2, 1}}
	if d := cmp.Diff(want, b.rel.Rels); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
}

func TestTheDeviceRuntimeSeesTheSizeOfTheUserBank(t *testing.T) {
	for _, test := range []struct {
		name, bank string
		want       uint64
	}{
		{"its size", ".nv.constant3", 16 + 5},
		{"no such bank is -1", ".nv.constant4", 4},
	} {
		b := newBench(Options{SM: 80}, rela(8, 2, symMissing, 5))
		b.l.Syms[symMissing].Name = ".nv.ptx.const0.size"
		b.l.Secs[4].Name = test.bank
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		if got := le.Uint64(b.l.Secs[1].Data[8:]); got != test.want || len(b.rel.Rels) != 0 {
			t.Errorf("%s: %#x with %d entries kept, want %#x with none", test.name, got, len(b.rel.Rels), test.want)
		}
	}
}

func TestRelocateDisposesByKindOfSymbolAndType(t *testing.T) {
	type result struct {
		Kept  int
		Field uint64
	}
	const old = 0x1111111111111111
	for _, test := range []struct {
		name string
		typ  uint32
		sym  uint32
		want result
	}{
		{"a function's address is left to the loader", 2, symFunc, result{1, old}},
		{"NONE against a function goes", 0, symFunc, result{0, old}},
		{"a live function's range is not cleared", 73, symFunc, result{0, old}},
		{"a dead function's range is cleared", 73, symGone, result{0, 0}},
		{"half of a dead function's range is cleared", 72, symGone, result{0, 0x1111111100000000}},
		{"a dead function's address goes without a write", 2, symGone, result{0, old}},
		{"a global variable keeps even NONE", 0, symGlobal, result{1, old}},
		{"a constant's offset is written", 2, symConst, result{0, 12 + 5}},
		{"a loader's type against a constant stays", 4, symConst, result{1, old}},
		{"a constant's bank is written", 50, symConst, result{}},
		{"a code section's symbol is 0", 2, symSection, result{0, 5}},
		{"a debug section's symbol is the place of the contribution", 2, symDebug, result{0, 0x20 + 5}},
		{"a label is 0", 2, symLabel, result{0, 5}},
		{"a loader's type against a label goes", 4, symLabel, result{0, old}},
		{"a marker of the unified tables goes", 114, symMarker, result{0, old}},
		{"an undefined local object is -1", 2, symMissing, result{0, 4}},
		{"reserved shared memory is written as it is", 2, symReserved, result{0, 7 + 5}},
		{"no symbol is 0", 2, 0, result{0, 5}},
		{"YIELD without symbol goes", 68, 0, result{0, old}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(Options{SM: 80}, rela(8, test.typ, test.sym, 5))
			data := b.l.Secs[1].Data
			le.PutUint64(data[8:], old)
			if err := b.run(); err != nil {
				t.Fatal(err)
			}
			if test.typ == 50 {
				// [20,34) is the offset in words, [34,39) the bank.
				got := le.Uint64(data[8:])
				if off, bank := got>>20&0x3fff, got>>34&0x1f; off != (12+5)>>2 || bank != 3 || len(b.rel.Rels) != 0 {
					t.Errorf("offset %d in words, bank %d, %d kept", off, bank, len(b.rel.Rels))
				}
				return
			}
			if d := cmp.Diff(test.want, result{len(b.rel.Rels), le.Uint64(data[8:])}); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestYieldGoesWhenNoInputWasCompiledForThreadsThatProgressOnTheirOwn(t *testing.T) {
	const opcode, clearPredicate = 68, 69
	for _, test := range []struct {
		name    string
		virtual uint32
		options Options
		want    uint64
		kept    int
	}{
		{"one such input", 60, Options{SM: 75}, 0x7918, 0},
		{"no such input", 70, Options{SM: 75}, 0x7946, 0},
		{"a target without such threads", 60, Options{SM: 61}, 0x7946, 0},
		{"left to a later link", 60, Options{SM: 75, Relocatable: true, KeepSettledRelocs: true}, 0x7946, 1},
	} {
		b := newBench(test.options, rela(0, opcode, 0, 0x118))
		b.l.Inputs[0].virtual = test.virtual
		data := b.l.Secs[1].Data
		le.PutUint64(data, 0x7946)
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		if got := le.Uint64(data); got != test.want || len(b.rel.Rels) != test.kept {
			t.Errorf("%s: opcode %#x, %d entries kept; want %#x, %d", test.name, got, len(b.rel.Rels), test.want, test.kept)
		}
	}
	b := newBench(Options{SM: 75}, rela(0, clearPredicate, 0, 0))
	b.l.Inputs[0].virtual = 60
	data := b.l.Secs[1].Data
	le.PutUint64(data[8:], 0x000fe20003800000)
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if got, want := le.Uint64(data[8:]), uint64(0x000fe20000000000); got != want {
		t.Errorf("second half %#x, want %#x", got, want)
	}
}

func TestRelocateReplacesUnifiedTypesInExecutablesOnly(t *testing.T) {
	for _, relocatable := range []bool{false, true} {
		want := uint32(2)
		if relocatable {
			want = 102
		}
		b := newBench(Options{SM: 80, Relocatable: relocatable}, rela(0, 102, symFunc, 0))
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		if len(b.rel.Rels) != 1 || b.rel.Rels[0].Type != want {
			t.Errorf("relocatable %v: %v, want one entry of type %d", relocatable, b.rel.Rels, want)
		}
	}
}

func TestRelocateNamesTheOwnerOfAnAlias(t *testing.T) {
	b := newBench(Options{SM: 80}, rela(0, 2, symAlias, 0))
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if len(b.rel.Rels) != 1 || b.rel.Rels[0].Sym != symFunc {
		t.Errorf("entries %v, want one against the owner %d", b.rel.Rels, symFunc)
	}
}

func TestRelocateAddsTheOldFieldOfRELEntries(t *testing.T) {
	b := newBench(Options{SM: 80, PreserveRelocs: true}, cubin.Rel{Offset: 0, Type: 1, Sym: symConst}, cubin.Rel{Offset: 16, Type: 1, Sym: symDebug})
	data := b.l.Secs[1].Data
	le.PutUint64(data, 0xffffffff_00000100)
	le.PutUint32(data[16:], 3)
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if got := le.Uint64(data); got != 0xffffffff_0000010c {
		t.Errorf("field of the constant %#x", got)
	}
	if got := le.Uint32(data[16:]); got != 0x23 {
		t.Errorf("field of the section symbol %#x", got)
	}
	want := []outRel{{16, symDebug, 1, 0x23}, {0, symConst, 1, 0x100}}
	if d := cmp.Diff(want, b.l.Secs[6].Rels); d != "" {
		t.Errorf("preserved (-want +got):\n%s", d)
	}
}

func TestRelocatableLinkSettlesWhatTheReferenceSettlesUnlessToldOtherwise(t *testing.T) {
	entries := []cubin.Rel{rela(0, 2, symConst, 0), rela(8, 2, symShared, 0), rela(16, 2, symDebug, 1), rela(24, 2, symWeakConst, 0), rela(32, 73, symFunc, 0)}
	b := newBench(Options{SM: 80, Relocatable: true}, entries...)
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]outRel{{24, symWeakConst, 2, 0}}, b.rel.Rels); d != "" {
		t.Errorf("as the reference (-want +got):\n%s", d)
	}
	b = newBench(Options{SM: 80, Relocatable: true, KeepSettledRelocs: true}, entries...)
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	want := []outRel{{32, symFunc, 73, 0}, {24, symWeakConst, 2, 0}, {16, symDebug, 2, 0x21}, {8, symShared, 2, 0}, {0, symConst, 2, 0}}
	if d := cmp.Diff(want, b.rel.Rels); d != "" {
		t.Errorf("keeping (-want +got):\n%s", d)
	}
	if d := cmp.Diff(make([]byte, 64), b.l.Secs[1].Data); d != "" {
		t.Errorf("bytes were written:\n%s", d)
	}
}

func TestRelocateRefusesWhatCannotBeDoneWithFileSectionAndOffset(t *testing.T) {
	for _, test := range []struct {
		name  string
		entry cubin.Rel
		want  string
	}{
		{"offset outside", rela(64, 2, symConst, 0), "lies past the end"},
		{"field reaches outside", rela(60, 2, symConst, 0), "past the end of its section"},
		{"offset near overflow", rela(1<<64-4, 2, symConst, 0), "lies past the end"},
		{"symbol number outside", rela(0, 2, 1000, 0), "symbol number"},
		{"descriptor of a constant", rela(0, 35, symConst, 0), "function descriptor"},
		{"unknown type", rela(0, 116, symConst, 0), "unexpected NVRS"},
		{"branch to a constant", rela(0, 40, symConst, 0), "PC relative branch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := newBench(Options{SM: 80}, test.entry).run()
			var fatal *diag.FatalError
			if !errors.As(err, &fatal) {
				t.Fatalf("error %v is no fatal message", err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q does not say %q", err, test.want)
			}
			if !strings.Contains(err.Error(), "a.cubin") || !strings.Contains(err.Error(), ".rela.text.f") {
				t.Errorf("%q does not name file and section", err)
			}
		})
	}
}

func TestRelocateRefusesLoaderTypesAgainstDeletedSharedVariables(t *testing.T) {
	b := newBench(Options{SM: 80}, rela(0, 4, symShared, 0))
	b.l.Syms[symShared].Index = 0
	if err := b.run(); err == nil || !strings.Contains(err.Error(), "deleted symbol") {
		t.Errorf("error %v", err)
	}
}

func TestRelocatePreservesEntriesAgainstLabelsWithoutSymbol(t *testing.T) {
	b := newBench(Options{SM: 80, PreserveRelocs: true}, rela(8, 2, symLabel, 3), rela(16, 2, symMissing, 4))
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]outRel{{8, 0, 2, 3}}, b.l.Secs[6].Rels); d != "" {
		t.Errorf("preserved (-want +got):\n%s", d)
	}
}

// TestDebugDataCountReservedBytesForDynamicArraysOnce: the compiler's addend counts them (observed with sm_90).
func TestDebugDataCountReservedBytesForDynamicArraysOnce(t *testing.T) {
	for _, test := range []struct {
		name      string
		value     uint64
		uncounted bool
	}{
		{"the value counts them", 0x430, false},
		{"the value does not", 0x30, true},
	} {
		b := newBench(Options{SM: 90, Debug: true}, rela(8, 2, symShared, 0x400))
		b.l.Secs[1].Kind, b.l.Secs[1].Name = kindDebug, ".debug_info"
		b.l.mem.dynamicUncounted = test.uncounted
		b.in.File.Symbols[symShared].Size = 0
		y := &b.l.Syms[symShared]
		y.Def, y.Size, y.Value = noFile, 0, test.value
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		if got := le.Uint64(b.l.Secs[1].Data[8:]); got != 0x430 {
			t.Errorf("%s: %#x, want 0x430", test.name, got)
		}
	}
}

// TestRelocatableImagesShowTheSizeOfTheUserBank: the value of its symbol (observed with 13.0).
func TestRelocatableImagesShowTheSizeOfTheUserBank(t *testing.T) {
	b := newBench(Options{SM: 80, Relocatable: true})
	for name, want := range map[string]uint64{".nv.ptx.const0.size": 16, ".nv.undefined": ^uint64(0)} {
		b.l.Syms[symMissing].Name = name
		b.l.Syms[symMissing].Shndx = cubin.SHNUndef
		if _, _, value, _ := b.l.symbolFields(symMissing, false); value != want {
			t.Errorf("%s: %#x, want %#x", name, value, want)
		}
	}
}
