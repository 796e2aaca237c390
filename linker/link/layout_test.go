package link

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
)

// object is an input under construction: functions that refer to variables in several memory spaces.
type object struct {
	*cubintest.File
	text map[string]int // code sections by function
	sym  map[string]uint32
	rels map[string][]cubin.Rel
	call [][2]string
}

func newObject() *object {
	return &object{File: cubintest.New(80, 8), text: map[string]int{}, sym: map[string]uint32{}, rels: map[string][]cubin.Rel{}}
}

const stbGlobal = uint8(cubin.STBGlobal) << 4

// function adds a function with its code and, for a kernel, its parameter bank of the given size.
func (o *object) function(name string, kernel bool, bank int) *object {
	o.text[name] = o.AddSection(cubintest.Section{Name: ".text." + name, Type: cubin.SHTProgbits, Flags: 6, Link: 3, Align: 128, Data: make([]byte, 128)})
	y := cubintest.Symbol{Name: name, Info: stbGlobal | uint8(cubin.STTFunc), Shndx: uint16(o.text[name]), Size: 128}
	if kernel {
		y.Other = cubin.STOEntry
		o.AddSection(cubintest.Section{Name: ".nv.constant0." + name, Type: cubin.SHTCudaConstant0, Flags: 0x42, Info: uint32(o.text[name]), Align: 4, Data: make([]byte, bank)})
	}
	o.sym[name] = o.AddSymbol(y)
	return o
}

// owned adds a section that belongs to a function, and a variable in it; no section for shared variables of functions.
func (o *object) owned(prefix, fn, name string, t cubin.SectionType, other uint8, value uint64, data []byte, size uint64) *object {
	s := cubintest.Section{Name: prefix + fn, Type: t, Flags: 0x42, Info: uint32(o.text[fn]), Align: 8, Data: data, Size: size}
	o.sym[name] = o.AddSymbol(cubintest.Symbol{Name: name, Info: uint8(cubin.STTCudaObject), Other: other, Shndx: uint16(o.AddSection(s)), Value: value, Size: size})
	return o
}

// shared adds a shared variable of a kernel, or of functions (fn "").
func (o *object) shared(fn, name string, align, size uint64) *object {
	s := cubintest.Section{Name: ".nv_debug.shared", Type: cubin.SHTCudaShared, Flags: 3, Align: align, Size: size}
	if fn != "" {
		s.Name, s.Flags, s.Info = ".nv.shared."+fn, 0x43, uint32(o.text[fn])
	}
	o.sym[name] = o.AddSymbol(cubintest.Symbol{Name: name, Info: stbGlobal | uint8(cubin.STTCudaObject), Other: cubin.STOShared, Shndx: uint16(o.AddSection(s)), Value: align, Size: size})
	return o
}

func (o *object) undefined(name string, t cubin.SymbolType, other uint8) *object {
	o.sym[name] = o.AddSymbol(cubintest.Symbol{Name: name, Info: stbGlobal | uint8(t), Other: other})
	return o
}

func (o *object) common(name string, align, size uint64) *object {
	o.sym[name] = o.AddSymbol(cubintest.Symbol{Name: name, Info: stbGlobal | uint8(cubin.STTCudaObject), Other: cubin.STOGlobal, Shndx: 0xfff2, Value: align, Size: size})
	return o
}

// uses adds relocations of that type in a function's code.
func (o *object) uses(fn string, t uint32, names ...string) *object {
	for _, n := range names {
		o.rels[fn] = append(o.rels[fn], cubin.Rel{Sym: o.sym[n], Type: t, HasAddend: true})
	}
	return o
}

func (o *object) calls(from string, to ...string) *object {
	for _, n := range to {
		o.call = append(o.call, [2]string{from, n})
	}
	return o
}

func (o *object) encode() []byte {
	graph := cubintest.Words(0, 0xffffffff)
	for _, c := range o.call {
		graph = append(graph, cubintest.Words(o.sym[c[0]], o.sym[c[1]])...)
	}
	o.AddSection(cubintest.Section{Name: ".nv.callgraph", Type: cubin.SHTCudaCallgraph, Link: 3, Align: 4, Entsize: 8, Data: graph})
	for i := range o.Sections {
		for fn, rels := range o.rels {
			if o.Sections[i].Name == ".text."+fn {
				o.AddSection(cubintest.Section{Name: ".rela.text." + fn, Type: cubin.SHTRela, Flags: 0x40, Link: 3, Info: uint32(i), Align: 8, Entsize: 24, Data: encodeRels(rels)})
			}
		}
	}
	o.Locals = len(o.Symbols)
	return o.Encode()
}

// laidOut runs a link up to layout.
func laidOut(t *testing.T, opts Options, objects ...*object) *link {
	t.Helper()
	if opts.SM == 0 {
		opts.SM, opts.Toolkit = 80, 130
	}
	l := &link{Options: opts, Diag: &diag.Collector{}, externInstance: map[secID]symID{}}
	for i, o := range objects {
		l.sources = append(l.sources, Source{Name: string(rune('a'+i)) + ".cubin", Data: o.encode()})
	}
	for _, p := range passes() {
		if err := p.run(l, context.Background()); err != nil {
			t.Fatalf("%s: %v: %v", p.name, err, texts(l.Diag))
		}
		if p.name == "layout" {
			break
		}
	}
	return l
}

// values maps names to addresses.
func values(l *link, names ...string) map[string]uint64 {
	out := map[string]uint64{}
	for i := 1; i < len(l.Syms); i++ {
		for _, n := range names {
			if l.Syms[i].Name == n {
				out[n] = l.Syms[i].Value
			}
		}
	}
	return out
}

func sectionNamed(l *link, name string) *section {
	for _, s := range l.Secs[1:] {
		if s.Name == name {
			return s
		}
	}
	return &section{}
}

func TestCommonsStandInReverseOrderWithTheFirstAlignment(t *testing.T) {
	a := func() *object { return newObject().common("p", 4, 64) }
	b := func() *object { return newObject().common("p", 4, 128) }
	c := func() *object { return newObject().common("q", 4, 8).common("p", 64, 32) }
	tests := []struct {
		name        string
		objects     []*object
		want        map[string]uint64
		size, align uint64
	}{
		{"a b c", []*object{a(), b(), c()}, map[string]uint64{"q": 0, "p": 8}, 0x88, 4},
		{"a reference first makes no difference", []*object{newObject().undefined("q", cubin.STTCudaObject, cubin.STOGlobal), a(), b(), c()}, map[string]uint64{"q": 0, "p": 8}, 0x88, 4},
	}
	for _, tt := range tests {
		l := laidOut(t, Options{}, tt.objects...)
		if diff := cmp.Diff(tt.want, values(l, "p", "q")); diff != "" {
			t.Errorf("%s: addresses (-want +got):\n%s", tt.name, diff)
		}
		if s := sectionNamed(l, ".nv.global"); s.Size != tt.size || s.Align != tt.align {
			t.Errorf("%s: .nv.global has %#x bytes at alignment %d, want %#x at %d", tt.name, s.Size, s.Align, tt.size, tt.align)
		}
	}
}

func TestVariablesThatNoKernelNeedsTogetherShareAnAddress(t *testing.T) {
	o := newObject()
	for _, k := range []string{"k1", "k2", "k4", "k5", "k6"} {
		o.function(k, true, 0x160)
	}
	o.function("dead", false, 0)
	o.shared("", "A", 4, 100).shared("", "B", 4, 200).shared("", "C", 4, 300).shared("", "D", 4, 400)
	o.uses("k1", 55, "A", "B").uses("k2", 55, "A", "B").uses("k5", 55, "B").uses("k4", 55, "C").uses("k6", 55, "C").uses("dead", 55, "D")
	l := laidOut(t, Options{}, o)
	if diff := cmp.Diff(map[string]uint64{"A": 400, "B": 0, "C": 0, "D": 0}, values(l, "A", "B", "C", "D")); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	for name, size := range map[string]uint64{".nv.shared.k1": 500, ".nv.shared.k5": 200, ".nv.shared.k4": 300} {
		if s := sectionNamed(l, name); s.Size != size {
			t.Errorf("%s has %d bytes, want %d", name, s.Size, size)
		}
	}
}

func TestAVariableOfOneKernelAloneJoinsItsOwnOnes(t *testing.T) {
	o := newObject().function("k1", true, 0x160).function("k2", true, 0x160).function("f", false, 0)
	o.shared("k1", "own", 16, 32).shared("", "x", 64, 8).uses("f", 55, "x").calls("k1", "f")
	l := laidOut(t, Options{}, o)
	if diff := cmp.Diff(map[string]uint64{"x": 0, "own": 16}, values(l, "own", "x")); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	if s := sectionNamed(l, ".nv.shared.k2"); !s.Drop {
		t.Error("a kernel without shared memory keeps its section")
	}
}

func TestReservedBytesCountInValuesAndSizesAlone(t *testing.T) {
	o := newObject().function("k", true, 0x210).shared("k", "own", 16, 32)
	o.SM = 90
	l := laidOut(t, Options{SM: 90, Toolkit: 130}, o)
	if got := values(l, "own")["own"]; got != 0x400 {
		t.Errorf("value %#x, want 0x400", got)
	}
	if s := sectionNamed(l, ".nv.shared.k"); s.Size != 0x420 {
		t.Errorf("size %#x, want 0x420", s.Size)
	}
}

func TestDynamicMemoryBeginsBehindTheStaticMemoryOfItsUsersKernels(t *testing.T) {
	o := newObject().function("k1", true, 0x160).function("k3", true, 0x160).function("fd", false, 0).function("dead", false, 0)
	o.shared("k1", "own", 4, 60).undefined("dyn", cubin.STTCudaObject, cubin.STOShared)
	o.uses("fd", 55, "dyn").uses("k3", 55, "dyn").calls("k1", "fd").uses("dead", 55, "dyn")
	l := laidOut(t, Options{}, o)
	at := func(fn string) uint64 {
		id, _ := l.lookup(fn)
		return l.mem.dynShared(l.Syms[id].Func, symbolNamed(l, "dyn"))
	}
	got := map[string]uint64{"fd": at("fd"), "k3": at("k3"), "dead": at("dead")}
	if diff := cmp.Diff(map[string]uint64{"fd": 0x40, "k3": 0, "dead": neverReached}, got); diff != "" {
		t.Errorf("offsets (-want +got):\n%s", diff)
	}
}

func TestAnArrayThatAnEarlierFileLeavesOpenHasTheMemoryOfItsDefinition(t *testing.T) {
	opened := func() *object {
		return newObject().function("ka", true, 0x160).undefined("x", cubin.STTCudaObject, cubin.STOShared).uses("ka", 55, "x")
	}
	defined := func() *object {
		return newObject().function("kb", true, 0x160).shared("", "x", 4, 4).uses("kb", 55, "x")
	}
	for _, l := range []*link{laidOut(t, Options{}, opened(), defined()), laidOut(t, Options{}, defined(), opened())} {
		for _, name := range []string{".nv.shared.ka", ".nv.shared.kb"} {
			if s := sectionNamed(l, name); s.Size != 4 || s.Drop {
				t.Errorf("%s first: %s has %d bytes (dropped: %v), want 4", l.Inputs[0].Name, name, s.Size, s.Drop)
			}
		}
	}
}

func TestTooMuchSharedMemoryIsReportedPerKernel(t *testing.T) {
	o := newObject().function("k1", true, 0x160).function("k2", true, 0x160).shared("k1", "a", 4, 0xc001).shared("k2", "b", 4, 0xc000)
	l := &link{Options: Options{SM: 80, Toolkit: 130}, Diag: &diag.Collector{}, externInstance: map[secID]symID{}, sources: []Source{{Name: "a", Data: o.encode()}}}
	for _, p := range passes()[:6] {
		if err := p.run(l, context.Background()); err != nil {
			break
		}
	}
	want := []string{"Entry function 'k1' uses too much shared data (0xc001 bytes, 0xc000 max)"}
	if diff := cmp.Diff(want, texts(l.Diag)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestDescriptorsStandBehindTheLargestParameterBank(t *testing.T) {
	o := newObject().function("k1", true, 0x168).function("k2", true, 0x170)
	for _, n := range []string{"t1", "f1", "t2", "f2", "t3", "f3", "u", "v"} {
		kind := cubin.STTTexture
		if n[0] == 'f' || n == "v" {
			kind = cubin.STTSurface
		}
		o.undefined(n, kind, 0)
	}
	o.uses("k1", 66, "t3")
	l := laidOut(t, Options{}, o)
	var order []string
	for _, id := range l.table.refs {
		order = append(order, l.Syms[id].Name)
	}
	if diff := cmp.Diff([]string{"t2", "f2", "u", "v", "t1", "f1", "t3", "f3"}, order); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	if k1, k2 := sectionNamed(l, ".nv.constant0.k1"), sectionNamed(l, ".nv.constant0.k2"); k1.Size != 0x190 || k2.Size != 0x170 {
		t.Errorf("banks have %#x and %#x bytes, want 0x190 and 0x170", k1.Size, k2.Size)
	}
	rels := sectionNamed(l, ".rel.nv.constant0.k1").Rels
	if len(rels) != 8 || rels[0].Offset != 0x18c || rels[0].Type != 52 || rels[7].Offset != 0x170 || rels[7].Type != 6 {
		t.Errorf("relocations %v, want 8 from 0x18c down to 0x170", rels)
	}
}

func TestFunctionsConstantsHaveOneOffsetInAllKernels(t *testing.T) {
	o := newObject()
	bank := func(fn string, doubles int) {
		o.owned(".nv.constant2.", fn, fn+".const_opt", cubin.SHTCudaConstant0+2, cubin.STOConstant|1, 0, make([]byte, 8*doubles), uint64(8*doubles))
	}
	for _, f := range []string{"fd", "fa", "fb", "fc"} {
		o.function(f, false, 0)
	}
	for _, k := range []string{"k1", "k2", "k3", "k4"} {
		o.function(k, true, 0x160)
	}
	for _, b := range []struct {
		fn      string
		doubles int
	}{{"fd", 3}, {"fa", 3}, {"fb", 3}, {"k3", 5}, {"fc", 3}, {"k2", 2}, {"k1", 1}} {
		bank(b.fn, b.doubles)
	}
	o.calls("k1", "fd", "fc").calls("k2", "fc", "fb").calls("k3", "fb", "fa").calls("k4", "fa", "fd")
	l := laidOut(t, Options{}, o)
	got := values(l, "fa.const_opt", "fb.const_opt", "fc.const_opt", "fd.const_opt")
	want := map[string]uint64{"fc.const_opt": 16, "fb.const_opt": 40, "fa.const_opt": 64, "fd.const_opt": 88}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offsets (-want +got):\n%s", diff)
	}
	if s := sectionNamed(l, ".nv.constant2.k4"); s.Size != 112 {
		t.Errorf("bank 2 of k4 has %d bytes, want 112", s.Size)
	}
}

func TestAFullBankIsLaidOutAnew(t *testing.T) {
	o := newObject().function("k", true, 0x160)
	c := func(name string, size uint64) {
		o.sym[name] = o.AddSymbol(cubintest.Symbol{Name: name, Info: stbGlobal | uint8(cubin.STTCudaObject), Other: cubin.STOConstant,
			Shndx: uint16(o.AddSection(cubintest.Section{Name: ".nv.constant3", Type: cubin.SHTCudaConstant0 + 3, Flags: 2, Align: 256, Data: make([]byte, size)})), Size: size})
	}
	c("five", 5)
	c("big", 0xff00)
	c("eight", 8)
	c("three", 3)
	l := laidOut(t, Options{}, o)
	want := map[string]uint64{"eight": 0, "big": 8, "five": 0xff0a, "three": 0xff0f}
	if diff := cmp.Diff(want, values(l, "five", "big", "eight", "three")); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}
