package link

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
)

// TestUndefinedKernelsAreEntries: device code that launches a kernel of another file names it as a kernel. 12.4 makes no
// nameless function for it, the call graph shows an entry, and --extra-warnings does not complain that nothing calls it
// (observed).
func TestUndefinedKernelsAreEntries(t *testing.T) {
	for _, test := range []struct {
		name     string
		other    uint8
		unnamed  bool
		line     string
		warnings int
	}{
		{"a kernel", cubin.STOEntry, false, ": ^&child ->", 0},
		{"a function", 0, true, ": &child ->", 1},
	} {
		o := newObject()
		o.File = cubintest.New(80, 7)
		o.function("k", true, 0x160)
		o.undefined("child", cubin.STTFunc, test.other)
		o.Symbols[o.sym["child"]].Info = stbGlobal | uint8(cubin.STTFunc)
		o.AddSection(cubintest.Section{Name: ".nv.callgraph", Type: cubin.SHTCudaCallgraph, Link: 3, Align: 4, Entsize: 8,
			Data: cubintest.Words(0, 0xffffffff, 0, 0xfffffffe, o.sym["child"], 0)})
		o.Locals = len(o.Symbols)
		l := &link{Options: Options{SM: 80, Toolkit: 124, DumpCallgraph: true, ExtraWarnings: true}, Diag: &diag.Collector{}, externInstance: map[secID]symID{}}
		l.sources = []Source{{Name: "a.cubin", Data: o.Encode()}}
		for _, p := range passes() {
			if p.run(l, context.Background()) != nil || p.name == "layout" {
				break
			}
		}
		if got := l.Inputs[0].Unnamed != 0; got != test.unnamed {
			t.Errorf("%s: a nameless function %t, want %t", test.name, got, test.unnamed)
		}
		said := strings.Join(texts(l.Diag), "\n")
		if !strings.Contains(said, test.line) {
			t.Errorf("%s: no line %q in\n%s", test.name, test.line, said)
		}
		if n := strings.Count(said, "has address taken but no calls"); n != test.warnings {
			t.Errorf("%s: %d warnings about its address, want %d", test.name, n, test.warnings)
		}
	}
}

// TestLocalKernelsOfOneNameHaveTheirOwnBanks: nvlink gives the parameters of both to the first.
func TestLocalKernelsOfOneNameHaveTheirOwnBanks(t *testing.T) {
	one := program{Functions: functions{{Name: "k", Bind: local, Kernel: true, Registers: 16}}}
	l, err := linkUpTo(t, "write", Options{}, one, one)
	if err != nil {
		t.Fatal(err)
	}
	owners := map[secID]uint64{}
	for _, s := range l.Secs[1:] {
		if s.Name == ".nv.constant0.k" {
			owners[s.Owner] = s.Size
		}
	}
	if len(owners) != 2 || len(l.Kernels) != 2 || owners[l.Kernels[0]] != 0x168 || owners[l.Kernels[1]] != 0x168 {
		t.Errorf("banks %v of kernels %v, want one of 0x168 bytes for each", owners, l.Kernels)
	}
}

// TestRejectedKernelsThatAnEarlierFileLaunchesAreCreatedAsKernels: their shared section leaves its name in the string
// tables, while other kernels that -kernels-used rejects have none (observed).
func TestRejectedKernelsThatAnEarlierFileLaunchesAreCreatedAsKernels(t *testing.T) {
	launches := func() *object {
		return newObject().function("k", true, 0x160).undefined("child", cubin.STTFunc, cubin.STOEntry).calls("k", "child")
	}
	defines := func() *object { return newObject().function("child", true, 0x160) }
	for _, test := range []struct {
		name    string
		objects []*object
		want    bool
	}{
		{"launched before", []*object{launches(), defines()}, true},
		{"launched later", []*object{defines(), launches()}, false},
	} {
		l := laidOut(t, Options{FilterGiven: true, KernelsUsed: []string{"k"}}, test.objects...)
		got := slices.ContainsFunc(l.Secs, func(s *section) bool { return s.Name == ".nv.shared.child" })
		if got != test.want {
			t.Errorf("%s: .nv.shared.child %t, want %t", test.name, got, test.want)
		}
	}
}
