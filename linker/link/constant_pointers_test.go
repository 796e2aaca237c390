package link

import (
	"fmt"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
	"github.com/google/go-cmp/cmp"
)

// pointingTo is a file with a table of user constants whose second and third word point to f, a weak function of its own if code is
// set, otherwise a variable g: of its own with the binding given, or undefined if that is local.
func pointingTo(table string, tableBinding cubin.Binding, code bool, variable cubin.Binding) *object {
	o, target := newObject(), "g"
	if table != "" {
		o.function("k"+table, true, 0x168)
		o.Symbols[o.sym["k"+table]].Info = uint8(tableBinding)<<4 | uint8(cubin.STTFunc)
	}
	switch {
	case code:
		target = "f"
		o.function("f", false, 0)
		o.Symbols[o.sym["f"]].Info = uint8(cubin.STBWeak)<<4 | uint8(cubin.STTFunc)
		o.calls("k"+table, "f")
	case variable == cubin.STBLocal:
		o.undefined("g", cubin.STTCudaObject, cubin.STOGlobal)
	default:
		data := o.AddSection(cubintest.Section{Name: ".nv.global.init", Type: cubin.SHTCudaGlobalInit, Flags: 3, Align: 8, Data: make([]byte, 16)})
		o.sym["g"] = o.AddSymbol(cubintest.Symbol{Name: "g", Info: uint8(variable)<<4 | uint8(cubin.STTCudaObject), Other: cubin.STOGlobal, Shndx: uint16(data), Size: 16})
	}
	if table == "" {
		return o
	}
	bank := o.AddSection(cubintest.Section{Name: ".nv.constant3", Type: cubin.SHTCudaConstant0 + 3, Flags: 2, Align: 8, Data: make([]byte, 24)})
	o.AddSymbol(cubintest.Symbol{Name: table, Info: uint8(tableBinding)<<4 | uint8(cubin.STTCudaObject), Other: cubin.STOConstant, Shndx: uint16(bank), Size: 24})
	pointer := uint32(4) // R_CUDA_G64
	if code {
		pointer = cubintest.RelAddr64
	}
	entries := []cubin.Rel{{Offset: 8, Type: pointer, Sym: o.sym[target]}, {Offset: 16, Type: pointer, Sym: o.sym[target], Addend: 8}}
	o.AddSection(cubintest.Section{Name: ".rela.nv.constant3", Type: cubin.SHTRela, Flags: 0x40, Link: 3, Info: uint32(bank), Align: 8, Entsize: 24, Data: encodeRels(entries)})
	return o
}

// The reference drops pointers among constants to what another file's copy is in the image for, and to what a later file replaces: they
// are null.
func TestPointersAmongConstantsStayWhereAnotherFileHasTheCopyThatCounts(t *testing.T) {
	const none, weak, global = cubin.STBLocal, cubin.STBWeak, cubin.STBGlobal
	for _, test := range []struct {
		name      string
		objects   func() []*object
		kept      []string // tables whose pointers stay
		reference []string // with the reference
	}{
		{"a function of two files", func() []*object {
			return []*object{pointingTo("a", global, true, none), pointingTo("b", global, true, none)}
		}, []string{"a", "b"}, []string{"a"}},
		{"a variable of two files", func() []*object {
			return []*object{pointingTo("a", global, false, weak), pointingTo("b", global, false, weak)}
		}, []string{"a", "b"}, []string{"a"}},
		{"a variable that a later file replaces", func() []*object {
			return []*object{pointingTo("a", global, false, weak), pointingTo("", 0, false, global)}
		}, []string{"a"}, nil},
		{"one of another file that a later one replaces", func() []*object {
			return []*object{pointingTo("", 0, false, weak), pointingTo("a", global, false, none), pointingTo("", 0, false, global)}
		}, []string{"a"}, nil},
		{"in front of both", func() []*object {
			return []*object{pointingTo("a", global, false, none), pointingTo("", 0, false, weak), pointingTo("", 0, false, global)}
		}, []string{"a"}, nil},
		{"behind both", func() []*object {
			return []*object{pointingTo("", 0, false, weak), pointingTo("", 0, false, global), pointingTo("a", global, false, none)}
		}, []string{"a"}, []string{"a"}},
		{"a table of two files", func() []*object {
			second := pointingTo("a", weak, true, none)
			return []*object{pointingTo("a", weak, true, none), second}
		}, []string{"a"}, []string{"a"}},
	} {
		for _, opts := range []Options{{}, {KeepPointers: true}, {Relocatable: true}, {Relocatable: true, KeepPointers: true, KeepSettledRelocs: true}} {
			opts.SM, opts.Toolkit = 80, 130
			var src []Source
			for _, o := range test.objects() {
				src = append(src, Source{Name: "in", Data: o.encode()})
			}
			image, err := cubin.Parse(linkSources(t, opts, src))
			if err != nil {
				t.Fatal(err)
			}
			tables := test.reference
			if opts.KeepPointers {
				tables = test.kept
			}
			want, got := map[uint64]bool{}, map[uint64]bool{}
			for _, table := range tables {
				base := definedSymbol(t, image, table).Value
				want[base+8], want[base+16] = true, true
			}
			for _, places := range entriesAgainst(t, image, ".rela.nv.constant3") {
				for _, place := range places {
					got[place] = true
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, -r %v, keeping %v (-want +got):\n%s", test.name, opts.Relocatable, opts.KeepPointers, d)
			}
		}
	}
}

func TestNullPointersAreReportedOncePerSymbolAndFile(t *testing.T) {
	const none, weak, global = cubin.STBLocal, cubin.STBWeak, cubin.STBGlobal
	for _, test := range []struct {
		name    string
		opts    Options
		objects []*object
		want    []string
	}{
		{"a function", Options{WarnNullPointers: true}, []*object{pointingTo("a", global, true, none), pointingTo("b", global, true, none)},
			[]string{"pointers to 'f' in the constants of 'in1' are null: the copy that counts is another file's"}},
		{"in a table of which another file has the copy that counts", Options{WarnNullPointers: true},
			[]*object{pointingTo("a", weak, true, none), pointingTo("a", weak, true, none)}, nil},
		{"replaced", Options{WarnNullPointers: true}, []*object{pointingTo("a", global, false, weak), pointingTo("", 0, false, global)},
			[]string{"pointers to 'g' in the constants of 'in0' are null: the copy that counts is another file's"}},
		{"kept", Options{WarnNullPointers: true, KeepPointers: true}, []*object{pointingTo("a", global, true, none), pointingTo("b", global, true, none)}, nil},
		{"not asked for", Options{}, []*object{pointingTo("a", global, true, none), pointingTo("b", global, true, none)}, nil},
	} {
		test.opts.SM, test.opts.Toolkit = 80, 130
		var src []Source
		for i, o := range test.objects {
			src = append(src, Source{Name: fmt.Sprintf("in%d", i), Data: o.encode()})
		}
		d := &diag.Collector{}
		if _, err := Run(t.Context(), test.opts, src, d); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, texts(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Two files of one header, as nvcc compiles them, in the plain and in the Mercury form.
func TestConstantTablesOfTemplatesHavePointersInEveryFile(t *testing.T) {
	for _, test := range []struct {
		sm       int
		sections []string // of entries of user constants
	}{
		{80, []string{".rel.nv.constant3", ".rela.nv.constant3"}},
		{100, []string{".rela.nv.constant3"}},
		{100, []string{".nv.merc.rela.nv.constant.user"}},
	} {
		for _, keep := range []bool{true, false} {
			opts := Options{SM: test.sm, Toolkit: 130, KeepPointers: keep}
			src := testFiles(t, fmt.Sprintf("tables/c-sm_%d.cubin", test.sm), fmt.Sprintf("tables/d-sm_%d.cubin", test.sm))
			image, err := cubin.Parse(linkSources(t, opts, src))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]map[uint64]bool{}
			for _, section := range test.sections {
				for target, places := range entriesAgainst(t, image, section) {
					if got[target] == nil {
						got[target] = map[uint64]bool{}
					}
					for _, place := range places {
						got[target][place] = true
					}
				}
			}
			want := map[string]map[uint64]bool{"_Z3addIfET_S0_S0_": {}, "_Z3mulIfET_S0_S0_": {}, "value": {}}
			for _, file := range []string{"c", "d"} {
				if file == "d" && !keep {
					break // the reference's pointers of the second file are null
				}
				table := definedSymbol(t, image, "table_"+file).Value
				want["_Z3addIfET_S0_S0_"][table], want["_Z3mulIfET_S0_S0_"][table+8] = true, true
				want["value"][definedSymbol(t, image, "pointer_"+file).Value] = true
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("sm_%d, %v, keeping %v (-want +got):\n%s", test.sm, test.sections, keep, d)
			}
		}
	}
}
