package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// From 13.0 on the reference does not enter what debug data say about a copy that loses.
func TestDebugEntriesAgainstLosingCopiesEnterBefore13(t *testing.T) {
	y := symbol("f", cubin.STTFunc, cubin.STBWeak, 0)
	y.Shndx = 1
	file := &cubin.File{Sections: make([]cubin.Section, 3), Symbols: []cubin.Symbol{{}, y}}
	in := &Input{File: file, Secs: make([]InSection, 3), PlainSyms: make([]SymID, 2)}
	for _, test := range []struct {
		toolkit int
		kind    Kind
		section string
		lost    lossKind
		enters  bool
	}{
		{130, KindDebug, ".debug_line", lostOnArrival, false},
		{130, KindDebug, ".debug_frame", lostOnArrival, true},
		{130, KindDebug, ".debug_line", replacedLater, true},
		{130, KindDebug, ".debug_line", notLost, true},
		{124, KindDebug, ".debug_line", lostOnArrival, true},
		{130, KindGlobal, ".nv.global", lostOnArrival, true},
	} {
		in.Secs[1].Lost = test.lost
		l := &Link{release: rulesOf(test.toolkit)}
		filter := l.newEntryFilter(in, 2, 2, &Section{Kind: test.kind, Name: test.section})
		if got := filter.enters(l, &cubin.Rel{Sym: 1}); got != test.enters {
			t.Errorf("toolkit %d, kind %v, loss %d: enters %v, want %v", test.toolkit, test.kind, test.lost, got, test.enters)
		}
	}
}
