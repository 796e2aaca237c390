package link

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
)

// constant is a constant of user code.
type constant struct {
	name string
	bind cubin.Binding
	size uint64
}

// constants adds one bank of constants.
func (o *object) constants(list ...constant) *object {
	bank := o.AddSection(cubintest.Section{Name: ".nv.constant3", Type: cubin.SHTProgbits, Flags: 2, Align: 4})
	for _, c := range list {
		at := uint64(len(o.Sections[bank].Data))
		o.sym[c.name] = o.AddSymbol(cubintest.Symbol{Name: c.name, Info: uint8(c.bind)<<4 | uint8(cubin.STTCudaObject), Other: 0x80, Shndx: uint16(bank), Value: at, Size: c.size})
		o.Sections[bank].Data = append(o.Sections[bank].Data, make([]byte, c.size)...)
	}
	return o
}

// said runs a link and returns its messages.
func said(t *testing.T, opts Options, objects ...*object) []string {
	t.Helper()
	d := &diag.Collector{}
	var src []Source
	for i, o := range objects {
		src = append(src, Source{Name: string(rune('a'+i)) + ".cubin", Data: o.encode()})
	}
	_, err := Run(t.Context(), opts, src, d)
	if (err != nil) != (d.Errors() > 0) {
		t.Errorf("%v with %d errors", err, d.Errors())
	}
	return texts(d)
}

// The order is that in which the sections were created (observed with 12.4 and 13.0).
func TestWhatDoesNotFitIsReportedInTheOrderOfCreation(t *testing.T) {
	m := func() *object { return newObject().function("m", true, 0x160).shared("m", "sm", 4, 0xc001) }
	k := func() *object { return newObject().function("k", true, 0x160).shared("k", "sk", 4, 0xc001) }
	c := func(name string) *object { return newObject().constants(constant{name, global, 0x9000}) }
	tooMuch := func(kernel string) string {
		return "Entry function '" + kernel + "' uses too much shared data (0xc001 bytes, 0xc000 max)"
	}
	const constants = "File uses too much global constant data (0x12000 bytes, 0x10000 max)"
	opts := Options{SM: 80, Toolkit: 130}
	for _, tt := range []struct {
		name    string
		objects []*object
		want    []string
	}{
		{"constants between kernels", []*object{m(), c("x"), c("y"), k()}, []string{tooMuch("m"), constants, tooMuch("k")}},
		{"constants first", []*object{c("x"), k(), c("y"), m()}, []string{constants, tooMuch("k"), tooMuch("m")}},
		{"constants last", []*object{k(), m(), c("x"), c("y")}, []string{tooMuch("k"), tooMuch("m"), constants}},
	} {
		if d := cmp.Diff(tt.want, said(t, opts, tt.objects...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// Global constants are placed by alignment and size; local and weak ones behind them, the smaller ones first (the sums are the
// reference's).
func TestSizeOfTooManyConstantsDependsOnTheirBinding(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []constant
		want string
	}{
		{"global", []constant{{"a", global, 4}, {"a2", global, 60000}}, []constant{{"b", global, 60000}}, "0x1d4c4"},
		{"local", []constant{{"a", local, 4}, {"a2", local, 60000}}, []constant{{"b", local, 60000}}, "0x1d4c8"},
		{"weak", []constant{{"a", weak, 4}, {"a2", weak, 100}}, []constant{{"b", weak, 65536}}, "0x10070"},
		{"local behind global", []constant{{"a", global, 30000}, {"a2", local, 100}}, []constant{{"b", global, 65536}}, "0x17594"},
		{"the smaller ones first", []constant{{"a", global, 8}, {"a2", global, 1}, {"w", weak, 30001}, {"l", local, 20000}, {"w2", weak, 7}},
			[]constant{{"c", local, 2}, {"d", local, 40000}}, "0x15fb0"},
	} {
		got := said(t, Options{SM: 80, Toolkit: 130}, newObject().constants(tt.a...), newObject().constants(tt.b...))
		if d := cmp.Diff([]string{"File uses too much global constant data (" + tt.want + " bytes, 0x10000 max)"}, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// The reference takes .nv_debug.shared, which debuggers see and no kernel has, for a kernel's, too.
func TestSharedVariablesThatOnlyDebuggersSeeAreHeldToTheLimitByTheReferenceAlone(t *testing.T) {
	o := func() []*object {
		return []*object{newObject().function("m", true, 0x160).shared("m", "sm", 4, 0xc001),
			newObject().function("f", false, 0).shared("", "sf", 4, 0xc004).uses("f", 55, "sf"),
			newObject().function("k", true, 0x160).shared("k", "sk", 4, 0xc001)}
	}
	names := func(opts Options) string {
		opts.SM, opts.Toolkit = 80, 130
		var out []string
		for _, m := range said(t, opts, o()...) {
			out = append(out, strings.Split(m, "'")[1]+strings.Split(m, "data ")[1])
		}
		return strings.Join(out, " ")
	}
	without := "m(0xc001 bytes, 0xc000 max) k(0xc001 bytes, 0xc000 max)"
	if got := names(Options{Debug: true, AsReference: true}); got != "m(0xc001 bytes, 0xc000 max) hared(0xc004 bytes, 0xc000 max) k(0xc001 bytes, 0xc000 max)" {
		t.Errorf("with -g as nvlink: %s", got)
	}
	if got := names(Options{Debug: true}); got != without {
		t.Errorf("with -g as culink: %s", got)
	}
	if got := names(Options{AsReference: true}); got != without {
		t.Errorf("without -g: %s", got)
	}
}

func TestUsersOfReservedSharedMemoryAreNamedBehindTheCallGraph(t *testing.T) {
	o := kernel("o", "missing")
	o.Attributes = cubintest.Words(0x4101) // RESERVED_SMEM_USED, without a value
	l, _ := linkUpTo(t, "write", Options{SM: 80, Toolkit: 130, DisableSmemReserve: true, DumpCallgraph: true}, program{Functions: functions{o}})
	var got []string
	for _, m := range texts(l.Diag) {
		m, _, _ = strings.Cut(m, "\n")
		got = append(got, m)
	}
	want := []string{"Undefined reference to 'missing' in 'a.cubin'", "callgraph for sm_80:", "Function 'o' uses reserved shared memory when not allowed."}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
}
