package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/dwarf"
	"github.com/culink/culink/linker/dwarf/dwarftest"
	"github.com/google/go-cmp/cmp"
)

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

func TestOrdinarySequenceStaysAsItIsAndAnAliasedOneIsWrittenAnew(t *testing.T) {
	data := []byte{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 3, 7, 1, 2, 0x20, 0, 1, 1}
	special := dwarf.SpecialsOf(dwarftest.LineUnit(nil, nil))
	s := sequence{to: uint64(len(data))}
	if d := cmp.Diff(data, s.bytes(data, special)); d != "" {
		t.Errorf("an ordinary sequence changed:\n%s", d)
	}
	s.aliased = true
	if d := cmp.Diff(dwarf.RewriteRows(data, special), s.bytes(data, special)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(s.bytes(data, special)) == len(data) {
		t.Error("an aliased sequence stayed as it was")
	}
}
