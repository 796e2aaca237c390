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
		abi    int
		kind   Kind
		lost   lossKind
		enters bool
	}{
		{8, KindDebug, lostOnArrival, false},
		{8, KindDebug, replacedLater, true},
		{8, KindDebug, notLost, true},
		{7, KindDebug, lostOnArrival, true},
		{8, KindGlobal, lostOnArrival, true},
	} {
		in.Secs[1].Lost = test.lost
		l := &Link{ABI: test.abi}
		filter := l.newEntryFilter(in, 2, 2, &Section{Kind: test.kind})
		if got := filter.enters(l, &cubin.Rel{Sym: 1}); got != test.enters {
			t.Errorf("ABI %d, kind %v, loss %d: enters %v, want %v", test.abi, test.kind, test.lost, got, test.enters)
		}
	}
}
