package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// From ABI 8 on the reference does not enter what debug data say about a copy that loses.
func TestDebugEntriesAgainstLosingCopiesEnterUpToABI7(t *testing.T) {
	y := symbol("f", cubin.STTFunc, cubin.STBWeak, 0)
	y.Shndx = 1
	file := &cubin.File{Sections: make([]cubin.Section, 3), Symbols: []cubin.Symbol{{}, y}}
	in := &Input{File: file, Secs: make([]InSection, 3), PlainSyms: make([]SymID, 2)}
	for _, test := range []struct {
		abi     int
		kind    Kind
		section string
		lost    lossKind
		enters  bool
	}{
		{8, KindDebug, ".debug_line", lostOnArrival, false},
		{8, KindDebug, ".debug_frame", lostOnArrival, true},
		{8, KindDebug, ".debug_line", replacedLater, true},
		{8, KindDebug, ".debug_line", notLost, true},
		{7, KindDebug, ".debug_line", lostOnArrival, true},
		{8, KindGlobal, ".nv.global", lostOnArrival, true},
	} {
		in.Secs[1].Lost = test.lost
		l := &Link{ABI: test.abi}
		filter := l.newEntryFilter(in, 2, 2, &Section{Kind: test.kind, Name: test.section})
		if got := filter.enters(l, &cubin.Rel{Sym: 1}); got != test.enters {
			t.Errorf("ABI %d, kind %v, loss %d: enters %v, want %v", test.abi, test.kind, test.lost, got, test.enters)
		}
	}
}
