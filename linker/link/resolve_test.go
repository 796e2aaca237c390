package link

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
	"github.com/google/go-cmp/cmp"
)

type program = cubintest.Program
type functions = []cubintest.Function
type variables = []cubintest.Variable

const (
	local  = cubin.STBLocal
	global = cubin.STBGlobal
	weak   = cubin.STBWeak
)

// linkUpTo runs the passes up to and including the named one on programs called a.cubin, b.cubin and so on.
func linkUpTo(t *testing.T, last string, opts Options, programs ...program) (*link, error) {
	t.Helper()
	if opts.SM == 0 {
		opts.SM, opts.Toolkit = 80, 130
	}
	l := &link{Options: opts, Diag: &diag.Collector{}, externInstance: map[secID]symID{}}
	for i := range programs {
		p := programs[i]
		if p.SM == 0 {
			p.SM, p.ABI = 80, 8
		}
		l.sources = append(l.sources, Source{Name: string(rune('a'+i)) + ".cubin", Data: p.Encode()})
	}
	for _, p := range passes() {
		if err := p.run(l, context.Background()); err != nil {
			return l, err
		}
		if p.name == last {
			return l, nil
		}
	}
	t.Fatalf("no pass %q", last)
	return nil, nil
}

func texts(d *diag.Collector) []string {
	var out []string
	for _, m := range d.Messages() {
		out = append(out, m.Text())
	}
	return out
}

func fn(name string, bind cubin.Binding, registers uint32, calls ...string) cubintest.Function {
	return cubintest.Function{Name: name, Bind: bind, Registers: registers, Calls: calls}
}

func kernel(name string, calls ...string) cubintest.Function {
	return cubintest.Function{Name: name, Bind: global, Kernel: true, Registers: 16, Calls: calls}
}

func TestFunctionDefinitionThatCounts(t *testing.T) {
	tests := []struct {
		name   string
		copies []cubintest.Function // one per input, all named f
		winner fileID
		bind   cubin.Binding
	}{
		{"weak copies: the first of equal register counts", functions{fn("f", weak, 24), fn("f", weak, 24)}, 0, weak},
		{"weak copies: a later one with fewer registers", functions{fn("f", weak, 54), fn("f", weak, 24), fn("f", weak, 32)}, 1, weak},
		{"weak copies: never one with more", functions{fn("f", weak, 24), fn("f", weak, 54)}, 0, weak},
		{"strong replaces weak whatever the registers", functions{fn("f", weak, 8), fn("f", global, 90)}, 1, global},
		{"weak never replaces strong", functions{fn("f", global, 90), fn("f", weak, 8)}, 0, global},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var programs []program
			for _, f := range tt.copies {
				programs = append(programs, program{Functions: functions{f}})
			}
			l, err := linkUpTo(t, "resolve", Options{}, programs...)
			if err != nil {
				t.Fatal(err)
			}
			s := &l.Syms[symbolNamed(l, "f")]
			if s.Def != tt.winner || s.Binding() != tt.bind {
				t.Errorf("definition of input %d with binding %d counts, want input %d with %d", s.Def, s.Binding(), tt.winner, tt.bind)
			}
			for i, in := range l.Inputs {
				lost := in.Lost[indexOf(l.view(in), "f")]
				if (lost == notLost) != (fileID(i) == tt.winner) {
					t.Errorf("input %d: loss %d", i, lost)
				}
			}
		})
	}
}

func TestOfWeakCopiesWithAsManyRegistersTheOneForTheHigherVirtualArchitectureCounts(t *testing.T) {
	copyFor := func(virtual int, registers uint32) program {
		return program{SM: 80, ABI: 8, Virtual: virtual, Functions: functions{fn("f", weak, registers)}}
	}
	for _, tt := range []struct {
		name   string
		copies []program
		winner fileID
	}{
		{"later", []program{copyFor(60, 24), copyFor(75, 24), copyFor(60, 24)}, 1},
		{"higher than the first, not than the one that counts", []program{copyFor(60, 24), copyFor(75, 24), copyFor(70, 24)}, 2},
		{"earlier", []program{copyFor(75, 24), copyFor(60, 24)}, 0},
		{"the first of two", []program{copyFor(75, 24), copyFor(75, 24)}, 0},
		{"registers come first", []program{copyFor(60, 24), copyFor(75, 32)}, 0},
	} {
		l, err := linkUpTo(t, "resolve", Options{}, tt.copies...)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Syms[symbolNamed(l, "f")].Def; got != tt.winner {
			t.Errorf("%s: input %d counts, want %d", tt.name, got, tt.winner)
		}
	}
}

func symbolNamed(l *link, name string) symID {
	id, _ := l.lookup(name)
	return id
}

func indexOf(view []cubin.Symbol, name string) int {
	for i := range view {
		if view[i].Name == name {
			return i
		}
	}
	return 0
}

func TestRegisterCountsAreNotSeenInAttributesBy124(t *testing.T) {
	// sm_90 objects have no count in sh_info; 12.4 looks there alone, so its first weak copy stays.
	copies := []program{{SM: 90, ABI: 7, Functions: functions{fn("f", weak, 0)}}, {SM: 90, ABI: 7, Functions: functions{fn("f", weak, 0)}}}
	l, err := linkUpTo(t, "resolve", Options{SM: 90, Toolkit: 124}, copies...)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Syms[symbolNamed(l, "f")].Def; got != 0 {
		t.Errorf("copy of input %d counts, want the first", got)
	}
}

func TestErrorsOfOneInputEndTheLinkInTheReferencesOrder(t *testing.T) {
	v := func(name string, bind cubin.Binding, size uint64) cubintest.Variable {
		return cubintest.Variable{Name: name, Bind: bind, Size: size}
	}
	undef := func(name string, size uint64) cubintest.Variable {
		return cubintest.Variable{Name: name, Bind: global, Size: size, Undefined: true}
	}
	managed := undef("m", 8)
	managed.Managed = true
	tests := []struct {
		name     string
		programs []program
		want     []string
	}{
		{"a function defined twice", []program{{Functions: functions{fn("f", global, 8)}}, {Functions: functions{fn("f", global, 8)}}},
			[]string{"Multiple definition of 'f' in 'b.cubin', first defined in 'a.cubin'", "merge_elf failed"}},
		{"the file named is where an undefined function came to be defined",
			[]program{{Functions: functions{kernel("k", "f")}}, {Functions: functions{fn("f", global, 8)}}, {Functions: functions{fn("f", global, 8)}}},
			[]string{"Multiple definition of 'f' in 'c.cubin', first defined in 'b.cubin'", "merge_elf failed"}},
		{"the file named stays the first mention for a variable",
			[]program{{Variables: variables{undef("x", 4)}}, {Variables: variables{v("x", global, 4)}}, {Variables: variables{v("x", global, 4)}}},
			[]string{"Multiple definition of 'x' in 'c.cubin', first defined in 'a.cubin'", "merge_elf failed"}},
		{"kernel in one file, function in another", []program{{Functions: functions{kernel("k")}}, {Functions: functions{kernel("q", "k")}}},
			[]string{"Function 'k' not declared __global__ in all source files", "merge_elf failed"}},
		{"managed, then size", []program{{Variables: variables{managed}}, {Variables: variables{v("m", global, 4)}}},
			[]string{"Managed attribute doesn't match for 'm' in 'b.cubin', first specified in 'a.cubin'",
				"Size doesn't match for 'm' in 'b.cubin', first specified in 'a.cubin'", "merge_elf failed"}},
		{"functions before variables", []program{{Functions: functions{fn("f", global, 8)}, Variables: variables{v("x", global, 4)}}, {Functions: functions{fn("f", global, 8)}, Variables: variables{v("x", global, 8)}}},
			[]string{"Multiple definition of 'f' in 'b.cubin', first defined in 'a.cubin'",
				"Size doesn't match for 'x' in 'b.cubin', first specified in 'a.cubin'",
				"Multiple definition of 'x' in 'b.cubin', first defined in 'a.cubin'", "merge_elf failed"}},
		{"a function where a variable was", []program{{Variables: variables{v("x", global, 4)}}, {Functions: functions{fn("x", global, 8)}}},
			[]string{"Memory space doesn't match for 'x' in 'b.cubin', first specified in 'a.cubin'",
				"Multiple definition of 'x' in 'b.cubin', first defined in 'a.cubin'", "merge_elf failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := linkUpTo(t, "resolve", Options{}, tt.programs...)
			var fatal *diag.FatalError
			if !errors.As(err, &fatal) {
				t.Errorf("resolve returned %v, want a fatal message", err)
			}
			if diff := cmp.Diff(tt.want, texts(l.Diag)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatKernelsDoNotReachIsDead(t *testing.T) {
	p := program{Functions: functions{
		kernel("k", "used"), fn("used", global, 8, "deep"), fn("deep", global, 8), fn("dead", global, 8, "alsoDead"),
		fn("alsoDead", global, 8), fn("selfish", global, 8, "selfish"),
	}}
	names := func(opts Options) string {
		l, err := linkUpTo(t, "reach", opts, p)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, f := range l.Funcs[1:] {
			if f.Kept {
				kept = append(kept, l.Syms[f.Sym].Name)
			}
		}
		return strings.Join(kept, " ")
	}
	base := Options{SM: 80, Toolkit: 130}
	if got, want := names(base), "k used deep"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	all := "k used deep dead alsoDead selfish"
	for _, o := range []func(*Options){func(o *Options) { o.Debug = true }, func(o *Options) { o.PreserveRelocs = true }, func(o *Options) { o.Relocatable = true }} {
		opts := base
		o(&opts)
		if got := names(opts); got != all {
			t.Errorf("%+v: kept %q, want everything", opts, got)
		}
	}
	filter := base
	filter.FilterGiven, filter.KernelsUsed = true, []string{"nothing"}
	if got := names(filter); got != "" {
		t.Errorf("kept %q with a filter that no kernel passes, want nothing", got)
	}
}

func TestComponentsComeCalleesFirst(t *testing.T) {
	p := program{Functions: functions{
		kernel("k", "a"), fn("a", global, 8, "b"), fn("b", global, 8, "a", "c"), fn("c", global, 8),
	}}
	l, err := linkUpTo(t, "reach", Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, c := range l.sccs() {
		for _, f := range c {
			place[l.Syms[l.Funcs[f].Sym].Name] = i
		}
	}
	if place["a"] != place["b"] || place["c"] >= place["a"] || place["a"] >= place["k"] {
		t.Errorf("order of components: %v", place)
	}
}

// A kernel that the filter rejects and that stays has its sections from the start if the host does not refer to it, but
// those of a function if -kernels-used does not name it (observed).
func TestRejectedKernelsThatStayAreCreatedByTheKindOfFilter(t *testing.T) {
	p := program{SM: 80, ABI: 8, Functions: functions{kernel("root", "leaf"), kernel("leaf")}}
	for _, tt := range []struct {
		name string
		opts Options
		refs []string
		want bool
	}{
		{"no filter", Options{}, nil, true},
		{"the host refers to the other", Options{}, []string{"root"}, true},
		{"-kernels-used names the other", Options{FilterGiven: true, KernelsUsed: []string{"root"}}, nil, false},
	} {
		tt.opts.SM, tt.opts.Toolkit = 80, 130
		src := Source{Name: "a.cubin", Data: p.Encode(), HasHostRefs: tt.refs != nil, HostKernelsExternal: tt.refs}
		res, err := Run(context.Background(), tt.opts, []Source{src}, &diag.Collector{})
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(res.Image, []byte("\x00.nv.shared.leaf\x00")); got != tt.want {
			t.Errorf("%s: a name for the kernel's shared memory: %v", tt.name, got)
		}
		if !bytes.Contains(res.Image, []byte("\x00.text.leaf\x00")) {
			t.Errorf("%s: the kernel is gone", tt.name)
		}
	}
}
