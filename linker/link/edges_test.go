package link

import (
	"errors"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

func TestCallGraphRecordsNameFunctions(t *testing.T) {
	file := &cubin.File{Symbols: []cubin.Symbol{{}, {Name: "v", Info: uint8(cubin.STTObject)}, {Name: "f", Info: uint8(cubin.STTFunc)}, {Name: "g", Info: uint8(cubin.STTFunc)}}}
	for _, test := range []struct {
		name  string
		edge  nvinfo.Edge
		a, b  uint32
		calls int
		fails bool
	}{
		{"a call", nvinfo.Calls, 2, 3, 1, false},
		{"the caller is no function", nvinfo.Calls, 1, 3, 0, true},
		{"the callee is no function", nvinfo.Calls, 2, 1, 0, true},
		{"the callee is no symbol", nvinfo.Calls, 2, 0, 0, true},
		{"the caller is outside the table", nvinfo.Calls, 4, 3, 0, true},
		{"the callee is outside the table", nvinfo.Calls, 2, 1 << 31, 0, true},
		{"an address outside the table", nvinfo.TakesAddress, 2, 4, 0, true},
		{"a group that no toolkit knows", -5, 2, 3, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &Link{Diag: &diag.Collector{}, Syms: []Symbol{{}, {Name: "v"}, {Name: "f", Func: 1}, {Name: "g", Func: 2}}, Funcs: []Func{{}, {Sym: 2}, {Sym: 3}}}
			section := nvinfo.AppendPair(nvinfo.AppendMarker(nil, test.edge), test.a, test.b)
			f := *file
			f.Sections = []cubin.Section{{}, {Name: ".nv.callgraph", Type: cubin.SHTCudaCallgraph, Data: section}}
			in := &Input{Name: "a.cubin", File: &f, Syms: []SymID{0, 1, 2, 3}, Lost: make([]lossKind, 4),
				Secs: []InSection{{}, {Type: cubin.SHTCudaCallgraph}}}
			err := (&resolver{l: l}).callgraph(in)
			var fatal *diag.FatalError
			if errors.As(err, &fatal) != test.fails {
				t.Errorf("error %v", err)
			}
			if n := len(l.Funcs[1].Calls); n != test.calls {
				t.Errorf("%d calls, want %d", n, test.calls)
			}
		})
	}
}
