package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// From 13.0 on the reference does not enter what debug data say about a copy that loses.
func TestDebugEntriesAgainstLosingCopiesEnterBefore13(t *testing.T) {
	y := fileSymbol("f", cubin.STTFunc, cubin.STBWeak, 0)
	y.Shndx = 1
	file := &cubin.File{Sections: make([]cubin.Section, 3), Symbols: []cubin.Symbol{{}, y}}
	in := &input{File: file, Secs: make([]inSection, 3), PlainSyms: make([]symID, 2)}
	for _, test := range []struct {
		toolkit int
		kind    kind
		section string
		lost    lossKind
		enters  bool
	}{
		{130, kindDebug, ".debug_line", lostOnArrival, false},
		{130, kindDebug, ".debug_frame", lostOnArrival, true},
		{130, kindDebug, ".debug_line", replacedLater, true},
		{130, kindDebug, ".debug_line", notLost, true},
		{124, kindDebug, ".debug_line", lostOnArrival, true},
		{130, kindGlobal, ".nv.global", lostOnArrival, true},
	} {
		in.Secs[1].Lost = test.lost
		l := &link{release: rulesOf(test.toolkit)}
		filter := l.newEntryFilter(in, 2, 2, &section{Kind: test.kind, Name: test.section})
		if got := filter.enters(l, &cubin.Rel{Sym: 1}); got != test.enters {
			t.Errorf("toolkit %d, kind %v, loss %d: enters %v, want %v", test.toolkit, test.kind, test.lost, got, test.enters)
		}
	}
}
