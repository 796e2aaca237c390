package link

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

func TestJumpTablesOfReplacedCopiesLoseTheirEntries(t *testing.T) {
	// The second input's copy counts: it replaced the first, and the third lost against it.
	l := &link{Inputs: []*input{{ID: 0}, {ID: 1}, {ID: 2}}}
	l.Secs = []*section{{}, {ID: 1, Name: ".text.f", Kind: kindText, Fn: 1, Parts: []part{{In: 1, Merc: 7}}}}
	l.Syms = []symbol{{}, {Name: "f", Def: 1, Sec: 1}}
	table := &section{ID: 2, Name: mercOptimizer + "f", Kind: kindConstFunc, Owner: 1}
	p := &twinPatcher{twinRelocator: &twinRelocator{l: l}, twinTarget: twinTarget{sec: table}}
	var got []bool
	for in := range fileID(3) {
		got = append(got, p.counts(in, 9))
	}
	if diff := cmp.Diff([]bool{false, true, true}, got); diff != "" {
		t.Errorf("which inputs' entries count (-want +got):\n%s", diff)
	}
	p.sec = l.Secs[1]
	if p.counts(0, 7) || !p.counts(1, 7) || p.counts(1, 8) {
		t.Error("a capsule takes entries of another one")
	}
}

func TestConstantsOfCopiesThatLostComeOutEmptyInAMercuryImage(t *testing.T) {
	for _, mercury := range []bool{true, false} {
		l := &link{Mercury: mercury, Syms: []symbol{{}, {Name: "f", Def: 1, Sec: 1}}, Secs: []*section{{}, {ID: 1, Name: ".text.f", Kind: kindText, Fn: 1}}}
		got := []bool{l.emptyCopy(0, 1), l.emptyCopy(1, 1), l.emptyCopy(2, 1), l.emptyCopy(2, 0)}
		if diff := cmp.Diff([]bool{mercury, false, mercury, false}, got); diff != "" {
			t.Errorf("Mercury %v (-want +got):\n%s", mercury, diff)
		}
	}
}

func TestEmptyTablesOfLosingCopiesGetTheTargetsThatTheWinnerHasToo(t *testing.T) {
	bank := le.AppendUint32(le.AppendUint32(make([]byte, 4, 20), 0x70), 0xa0)
	bank = append(bank, make([]byte, 8)...)
	target := func(off uint64, addend int64) outRel {
		return outRel{Offset: off, Sym: 1, Type: uint32(reloc.MercuryProgRel32), Addend: addend}
	}
	fillEmptyPlaces(bank, []outRel{target(16, 0xd0), target(12, 0x230), target(8, 0x130), target(4, 0xd0), target(0, 0x130), target(20, 0xd0)})
	want := []uint32{0xa0, 0x70, 0xa0, 0, 0x70}
	for i, w := range want {
		if got := le.Uint32(bank[4*i:]); got != w {
			t.Errorf("entry %d: %#x, want %#x", i, got, w)
		}
	}
}

func TestEntriesOfLikeNamedLocalFunctionsNameTheirOwn(t *testing.T) {
	code := []cubin.Rel{{Offset: 0x10, Type: 0x10028, Sym: inMercFunc}, {Offset: 0x20, Type: 0x10028, Sym: inMercGone}}
	l := twinBench(Options{}, nil, code, nil)
	for _, n := range []symID{inMercFunc, inMercGone} {
		s := &l.Syms[n]
		s.Name, s.Info, s.Dead, s.Index = "f", uint8(cubin.STTFunc), false, uint32(n)
		l.Inputs[0].File.MercSymbols[n].Name, l.Inputs[0].File.MercSymbols[n].Info = s.Name, s.Info
	}
	if err := l.relocateMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []outRel{{Offset: 0x20, Sym: inMercGone, Type: 0x10028}, {Offset: 0x10, Sym: inMercFunc, Type: 0x10028}}
	if diff := cmp.Diff(want, l.Secs[outRela].MercRels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEntriesInLosingWeakVariablesGo(t *testing.T) {
	weak := uint8(cubin.STBWeak)<<4 | uint8(cubin.STTCudaObject)
	in := &input{ID: 1, Syms: []symID{0, 1, 2, 3}, Lost: []lossKind{0, lostOnArrival, lostOnArrival, notLost}, File: &cubin.File{
		MercSymbols: []cubin.Symbol{{}, {Name: "w", Info: weak, Shndx: 5, Value: 8, Size: 8}, {Name: "s", Info: weak, Shndx: 5, Value: 16, Size: 8},
			{Name: "kept", Info: weak, Shndx: 5, Size: 8}},
	}}
	l := &link{Inputs: []*input{{}, in}}
	// w met a weak definition, s a strong one.
	l.Syms = []symbol{{}, {Info: weak, Def: 0}, {Info: 0x1d, Def: 0}, {Info: weak, Def: 1}}
	lost := l.lostWeak(in, 5)
	var got []bool
	for _, off := range []uint64{0, 7, 8, 15, 16, 23} {
		got = append(got, covers(lost, off))
	}
	if diff := cmp.Diff([]bool{false, false, true, true, false, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTwinEntriesAreDisposedOfByKindOfSymbolAndType(t *testing.T) {
	const kept, gone, deleted, unexpected, unsupported = "kept", "gone", "deleted symbol", "unexpected reloc", "function descriptor"
	for _, test := range []struct {
		name string
		typ  uint32 // without the base
		sym  uint32
		rel  bool
		want string
	}{
		{"no type", 0, inMercFunc, false, unexpected},
		{"no type, against a variable", 0, inMercGlobal, true, unexpected},
		{"a loader's type against a constant", 5, inMercConst, false, kept},
		{"the same in a relocatable link", 5, inMercConst, true, kept},
		{"an address against a constant", 3, inMercConst, false, gone},
		{"a unified type against a constant", 50, inMercConst, false, gone},
		{"the same in a relocatable link", 50, inMercConst, true, kept},
		{"a loader's type against a shared variable that is not in the image", 5, inMercShared, false, deleted},
		{"the same in a relocatable link", 5, inMercShared, true, kept},
		{"clearing beside a variable", 14, inMercGlobal, false, kept},
		{"clearing beside a function", 14, inMercFunc, false, gone},
		{"the descriptor of a function", 15, inMercFunc, false, kept},
		{"the descriptor of a variable", 15, inMercGlobal, false, unsupported},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := twinBench(Options{Relocatable: test.rel}, nil, []cubin.Rel{{Offset: 0x10, Type: 0x10000 + test.typ, Sym: test.sym}}, nil)
			l.Syms[inMercShared].Index = 0
			if test.rel {
				l.Syms[inMercShared].Index = inMercShared
			}
			l.Syms[inMercConst].Sec = outUser
			err := l.relocateMercury(context.Background())
			got := gone
			switch {
			case err != nil:
				got = test.want
				if !strings.Contains(err.Error(), test.want) {
					t.Fatal(err)
				}
			case len(l.Secs[outRela].MercRels) == 1:
				got = kept
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestEmptyBanksOfReplacedFunctionsGoWithTheirRelocations(t *testing.T) {
	l := &link{Secs: []*section{{},
		{ID: 1, Kind: kindConstFunc},
		{ID: 2, Kind: kindRela, Target: 1},
		{ID: 3, Kind: kindConstFunc, Size: 16},
		{ID: 4, Kind: kindRela, Target: 3},
	}}
	l.mem.replacedBanks = []secID{1, 3}
	l.eraseEmptyBanks()
	for i, want := range []bool{false, true, true, false, false} {
		if got := l.Secs[i].Erased; got != want {
			t.Errorf("section %d erased: %v, want %v", i, got, want)
		}
	}
}
