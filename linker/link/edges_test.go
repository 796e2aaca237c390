package link

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
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
			l := &link{Diag: &diag.Collector{}, Syms: []symbol{{}, {Name: "v"}, {Name: "f", Func: 1}, {Name: "g", Func: 2}}, Funcs: []function{{}, {Sym: 2}, {Sym: 3}}}
			section := nvinfo.AppendPair(nvinfo.AppendMarker(nil, test.edge), test.a, test.b)
			f := *file
			f.Sections = []cubin.Section{{}, {Name: ".nv.callgraph", Type: cubin.SHTCudaCallgraph, Data: section}}
			in := &input{Name: "a.cubin", File: &f, Syms: []symID{0, 1, 2, 3}, Lost: make([]lossKind, 4),
				Secs: []inSection{{}, {Type: cubin.SHTCudaCallgraph}}, tables: []int32{1}}
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

func TestFunctionsWhoseDescriptorsAreAskedForCountAsTaken(t *testing.T) {
	entries := func(types ...uint32) []byte {
		var b []byte
		for i, typ := range types {
			b = le.AppendUint64(b, uint64(16*i))
			b = le.AppendUint32(le.AppendUint32(b, typ), uint32(i+1))
			b = le.AppendUint64(b, 0)
		}
		return b
	}
	types := []uint32{2, 31, 35, 47, 49, 61, 63, 56, 92, 99}
	image := cubintest.New(80, 8)
	image.AddSection(cubintest.Section{Name: ".text.f", Type: cubin.SHTProgbits, Data: make([]byte, 256), Flags: 6, Align: 128})
	image.AddSection(cubintest.Section{Name: ".rela.text.f", Type: cubin.SHTRela, Data: entries(types...), Info: 4, Entsize: 24, Align: 8})
	f, err := cubin.Parse(image.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]uint32{2, 3, 4, 5, 6, 7}, descriptorUses(f, false)); d != "" {
		t.Errorf("symbols (-want +got):\n%s", d)
	}
	if got := descriptorUses(f, true); got != nil {
		t.Errorf("a Mercury link looks at plain entries: %v", got)
	}
	l := &link{Syms: []symbol{{}, {Name: "v"}, {Name: "f", Func: 1}}, Funcs: make([]function, 2)}
	in := &input{Syms: []symID{0, 1, 2}, descriptors: []uint32{1, 2, 77}}
	if (&resolver{l: l}).takeDescriptors(in); !l.Funcs[1].Taken {
		t.Error("the function does not count as taken")
	}
}
