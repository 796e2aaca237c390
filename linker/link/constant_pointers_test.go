package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/google/go-cmp/cmp"
)

// The reference drops the pointers of a file that stands before the definition which replaces a weak one, and leaves null in
// their place; those of files behind it stay.
func TestPointersAmongConstantsToAReplacedVariableStay(t *testing.T) {
	defines := func(binding cubin.Binding) *object {
		o := newObject()
		data := o.AddSection(cubintest.Section{Name: ".nv.global.init", Type: cubin.SHTCudaGlobalInit, Flags: 3, Align: 8, Data: make([]byte, 16)})
		o.AddSymbol(cubintest.Symbol{Name: "g", Info: uint8(binding)<<4 | uint8(cubin.STTCudaObject), Other: cubin.STOGlobal, Shndx: uint16(data), Size: 16})
		return o
	}
	points := func() *object {
		o := newObject().function("k", true, 0x168)
		bank := o.AddSection(cubintest.Section{Name: ".nv.constant3", Type: cubin.SHTCudaConstant0 + 3, Flags: 2, Align: 8, Data: make([]byte, 24)})
		o.AddSymbol(cubintest.Symbol{Name: "table", Info: stbGlobal | uint8(cubin.STTCudaObject), Other: cubin.STOConstant, Shndx: uint16(bank), Size: 24})
		o.undefined("g", cubin.STTCudaObject, cubin.STOGlobal)
		const pointer = 4 // R_CUDA_G64
		entries := []cubin.Rel{{Offset: 8, Type: pointer, Sym: o.sym["g"]}, {Offset: 16, Type: pointer, Sym: o.sym["g"], Addend: 8}}
		o.AddSection(cubintest.Section{Name: ".rela.nv.constant3", Type: cubin.SHTRela, Flags: 0x40, Link: 3, Info: uint32(bank), Align: 8, Entsize: 24, Data: encodeRels(entries)})
		return o
	}
	weak, strong := func() *object { return defines(cubin.STBWeak) }, func() *object { return defines(cubin.STBGlobal) }
	for _, test := range []struct {
		name    string
		objects []*object
	}{
		{"between the two", []*object{weak(), points(), strong()}},
		{"before both", []*object{points(), weak(), strong()}},
		{"behind both", []*object{weak(), strong(), points()}},
	} {
		for _, relocatable := range []bool{false, true} {
			var src []Source
			for _, o := range test.objects {
				src = append(src, Source{Name: "in", Data: o.encode()})
			}
			image, err := cubin.Parse(linkSources(t, Options{SM: 80, Toolkit: 130, Relocatable: relocatable}, src))
			if err != nil {
				t.Fatal(err)
			}
			base := definedSymbol(t, image, "table").Value
			want := map[string][]uint64{"g": {base + 16, base + 8}} // the last entry first, as always
			got := entriesAgainst(t, image, ".rela.nv.constant3")
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, -r %v (-want +got):\n%s", test.name, relocatable, d)
			}
		}
	}
}
