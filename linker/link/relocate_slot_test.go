package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
)

func TestSlotTypesTakeWhatIsKnownBeforeLayout(t *testing.T) {
	for _, test := range []struct {
		name  string
		class symbolClass
		sym   symbol
		dyn   bool
		rel   bool
		want  uint64
		known bool
	}{
		{"a constant", classConstant, symbol{Def: 0, DefSym: 1, Value: 12}, false, false, 0, true},
		{"a shared variable has its alignment", classShared, symbol{Def: 0, DefSym: 1, Value: 0x48}, false, false, 16, true},
		{"dynamic shared memory", classShared, symbol{Def: noFile}, true, false, 16, true},
		{"a relocatable link has values of its own", classShared, symbol{Def: 0, DefSym: 1, Value: 16}, false, true, 0, false},
		{"a section", classSection, symbol{Def: noFile}, false, false, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &link{rel: test.rel, Syms: []symbol{{}, test.sym}, Inputs: []*input{{File: &cubin.File{Symbols: []cubin.Symbol{{}, {Name: "v", Value: 16}}}}}}
			p := &patcher{relocator: &relocator{l: l}}
			got, known := p.slotValue(&pending{sym: 1, class: test.class, dynamic: test.dyn})
			if got != test.want || known != test.known {
				t.Errorf("%d, %v, want %d, %v", got, known, test.want, test.known)
			}
		})
	}
}
