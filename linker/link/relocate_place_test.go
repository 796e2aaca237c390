package link

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
)

// dataBench is a link of one input with a section of two variables of 8 bytes, "mine" at 0 and "other" at 8.
func dataBench(kind kind) (*link, *input) {
	file := &cubin.File{
		Sections: []cubin.Section{{}, {Name: ".data", Size: 16}},
		Symbols: []cubin.Symbol{
			{},
			{Name: "other", Info: uint8(cubin.STBWeak)<<4 | uint8(cubin.STTCudaObject), Shndx: 1, Value: 8, Size: 8},
			{Name: "mine", Info: uint8(cubin.STBGlobal)<<4 | uint8(cubin.STTCudaObject), Shndx: 1, Value: 0, Size: 8},
		},
	}
	in := &input{ID: 1, File: file, Secs: []inSection{{}, {Off: 0x100, Out: 1}}, Lost: make([]lossKind, 3), Syms: []symID{0, 1, 2}}
	in.PlainSyms = in.Syms
	l := &link{Inputs: []*input{{}, in}, Secs: []*section{{}, {ID: 1, Kind: kind}}}
	l.Syms = []symbol{{}, {Name: "other", Info: file.Symbols[1].Info, Def: 1, Sec: 1, Value: 0x108}, {Name: "mine", Info: file.Symbols[2].Info, Def: 1, Sec: 1, Value: 0x100}}
	return l, in
}

func TestEntriesMoveWithTheVariableThatCoversThem(t *testing.T) {
	l, in := dataBench(kindConstUser)
	l.Syms[2].Value = 0x40 // laid out anew
	vars := l.heldVariables(in, 1, kindConstUser, nil)
	for off, want := range map[uint64]uint64{0: 0x40, 4: 0x44, 8: 0x108, 15: 0x10f} {
		v := findVariable(vars, off)
		if v == nil || v.value+off-v.start != want {
			t.Errorf("offset %d: %+v, want %#x", off, v, want)
		}
	}
	if v := findVariable(vars, 16); v != nil {
		t.Errorf("offset 16 is covered by %+v", v)
	}
}

func TestEntriesOfLostDataGoOnlyWhenAWeakDefinitionStoodBefore(t *testing.T) {
	weak, strong := uint8(cubin.STBWeak)<<4, uint8(cubin.STBGlobal)<<4
	for _, test := range []struct {
		name   string
		kind   kind
		lost   lossKind
		winner fileID
		info   uint8
		gone   bool
	}{
		{"it won", kindGlobalInit, notLost, 1, weak, false},
		{"an earlier weak one stood", kindGlobalInit, lostOnArrival, 0, weak, true},
		{"an earlier strong one stood", kindGlobalInit, lostOnArrival, 0, strong, false},
		{"a weak one stood, then a strong one came", kindGlobalInit, lostOnArrival, 2, strong, true},
		{"a strong one replaced it", kindGlobalInit, replacedLater, 2, strong, false},
		{"constants keep theirs", kindConstUser, lostOnArrival, 0, weak, false},
	} {
		l, in := dataBench(test.kind)
		l.Syms[1].Def, l.Syms[1].Info = test.winner, test.info|uint8(cubin.STTCudaObject)
		in.Lost[1] = test.lost
		v := findVariable(l.heldVariables(in, 1, test.kind, nil), 8)
		if v == nil || v.gone != test.gone || v.value != 0x108 {
			t.Errorf("%s: %+v, want gone %v at its own bytes", test.name, v, test.gone)
		}
	}
}

func TestPointersOfMergedCopiesGoBehindTheBank(t *testing.T) {
	l, in := dataBench(kindConstUser)
	l.Syms[1].Def = 0 // a copy that lost, and whose bytes are merged with equal ones at the end of the bank
	for _, test := range []struct {
		size uint64
		gone bool
	}{{0x110, false}, {0x108, true}} {
		l.Secs[1].Size = test.size
		if v := findVariable(l.heldVariables(in, 1, kindConstUser, nil), 8); v == nil || v.gone != test.gone {
			t.Errorf("a bank of %#x bytes: %+v, want gone %v", test.size, v, test.gone)
		}
	}
}

func TestConstantsLosePointersToWhatAnotherInputDefines(t *testing.T) {
	l, in := dataBench(kindConstUser)
	f := l.newEntryFilter(in, 0, 1, l.Secs[1])
	enters := func() bool { return f.enters(l, &cubin.Rel{Sym: 1}) }
	if !enters() || l.lostHere(in, &in.File.Symbols[1], 1) {
		t.Error("a pointer to the image's own definition goes")
	}
	l.Syms[1].Def, in.Lost[1] = 0, lostOnArrival
	if enters() || !l.lostHere(in, &in.File.Symbols[1], 1) {
		t.Error("a pointer to a definition that lost on arrival stays")
	}
	l.Syms[1].Def, in.Lost[1] = 2, replacedLater
	if !enters() || !l.lostHere(in, &in.File.Symbols[1], 1) {
		t.Error("a pointer to what is replaced later must make its section, and go when it is disposed of")
	}
}

func TestKernelsEntriesAgainstDynamicSharedMemoryNameItsInstance(t *testing.T) {
	b := newBench(Options{SM: 80, Relocatable: true}, rela(0, 2, symShared, 4), rela(8, 0, symShared, 0))
	b.in.File.Symbols[symShared].Size = 0
	instance := symID(len(b.l.Syms))
	b.l.Syms = append(b.l.Syms, symbol{Name: externInstance, Info: uint8(cubin.STBWeak)<<4 | uint8(cubin.STTCudaObject), Other: cubin.STOShared | 1, Def: noFile, Index: 99})
	b.l.externInstance[1] = instance
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]outRel{{0, instance, 2, 4}}, b.rel.Rels); d != "" {
		t.Errorf("in a kernel (-want +got):\n%s", d)
	}
	b = newBench(Options{SM: 80, Relocatable: true}, rela(0, 2, symShared, 4))
	b.in.File.Symbols[symShared].Size = 0
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if got := le.Uint64(b.l.Secs[1].Data); len(b.rel.Rels) != 0 || got != 4 {
		t.Errorf("in a function: %v stay, field %#x, want 4", b.rel.Rels, got)
	}
}

func TestDebugEntriesOfLostDefinitionsGo(t *testing.T) {
	in := &input{Secs: make([]inSection, 3)}
	y := fileSymbol("f", cubin.STTFunc, cubin.STBWeak, 0)
	y.Shndx = 1
	r := &relocator{codeHasRels: [][]bool{{false, true, false}}}
	for _, test := range []struct {
		lost       lossKind
		rela, gone bool
	}{{notLost, true, false}, {lostOnArrival, true, true}, {lostOnArrival, false, true}, {replacedLater, true, true}, {replacedLater, false, false}} {
		in.Secs[1].Lost = test.lost
		if got := r.definitionLost(in, &y, test.rela); got != test.gone {
			t.Errorf("loss %d, RELA %v: gone %v", test.lost, test.rela, got)
		}
	}
	r.codeHasRels[0][1] = false
	in.Secs[1].Lost = replacedLater
	if r.definitionLost(in, &y, true) {
		t.Error("an entry goes though the replaced code has no relocations")
	}
}

func TestUnifiedTypesStayInRelocatableLinksWhateverTheyName(t *testing.T) {
	for _, sym := range []uint32{symFunc, symGlobal, symConst, symShared, symSection, 0} {
		b := newBench(Options{SM: 80, Relocatable: true}, rela(0, 103, sym, 0))
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		if len(b.rel.Rels) != 1 || b.rel.Rels[0].Type != 103 {
			t.Errorf("symbol %d: %v", sym, b.rel.Rels)
		}
	}
}

func TestSymbolsWithoutConstantSectionGetTheBankOfTheirSectionsType(t *testing.T) {
	for sym, want := range map[uint32]uint64{0: 0x1c, symSection: 0x1d, symConst: 3} {
		b := newBench(Options{SM: 80}, rela(0, 50, sym, 0))
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		if got := le.Uint64(b.l.Secs[1].Data) >> 34 & 0x1f; got != want {
			t.Errorf("symbol %d: bank %#x, want %#x", sym, got, want)
		}
	}
}
