package link

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

func TestUnitsOfUserConstantsAreThoseThatTheReferenceMerges(t *testing.T) {
	// Sizes 1 to 128 at alignments 1 to 16, each linked behind a unit of 4 bytes with a filter of kernels (observed).
	always := map[uint64]bool{12: true, 16: true, 20: true, 24: true, 32: true, 48: true, 64: true}
	for _, size := range []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 68, 80, 96, 128} {
		for _, align := range []uint64{1, 2, 4, 8, 16} {
			want := always[size] || (size == 4 || size == 8) && align == size
			if got := isUnit(size, align); got != want {
				t.Errorf("%d bytes at alignment %d: %v, want %v", size, align, got, want)
			}
		}
	}
}

// Units of 12 bytes with the bytes and names given; a name in capitals is that of a weak constant. The banks are what
// 12.4.131 and 13.0.88 write, but where they merge units before a symbol that counts, which then points elsewhere.
func TestUnitsMergeBehindTheLastSymbolThatCounts(t *testing.T) {
	const size = 12
	unit := func(name string, b byte) *object {
		o := newObject()
		weak := name < "a"
		info := stbGlobal | uint8(cubin.STTCudaObject)
		if weak {
			info = uint8(cubin.STBWeak)<<4 | uint8(cubin.STTCudaObject)
		}
		sec := o.AddSection(cubintest.Section{Name: ".nv.constant3", Type: cubin.SHTCudaConstant0 + 3, Flags: 2, Align: 4, Data: bytes.Repeat([]byte{b}, size)})
		o.AddSymbol(cubintest.Symbol{Name: name, Info: info, Other: cubin.STOConstant, Shndx: uint16(sec), Size: size})
		return o
	}
	for _, test := range []struct {
		name   string
		inputs []*object
		bank   string // a byte for each unit
		null   uint64
	}{
		{"copies of a weak constant", []*object{unit("W", 1), unit("W", 1), unit("W", 1)}, "1", 0},
		{"behind another one", []*object{unit("a", 2), unit("W", 1), unit("W", 1)}, "21", size},
		{"around another one", []*object{unit("W", 1), unit("a", 2), unit("W", 1)}, "12", size},
		{"copies that are not equal", []*object{unit("W", 1), unit("W", 2), unit("W", 1), unit("W", 2)}, "12", size},
		{"before another one", []*object{unit("W", 1), unit("W", 1), unit("a", 2)}, "112", 2 * size},
		{"of two constants", []*object{unit("a", 1), unit("b", 1)}, "11", size},
	} {
		l := laidOut(t, Options{FilterGiven: true, KernelsUsed: []string{"k"}}, test.inputs...)
		var want []byte
		for _, b := range []byte(test.bank) {
			b -= '0'
			want = append(want, bytes.Repeat([]byte{b}, size)...)
		}
		if diff := cmp.Diff(want, sectionNamed(l, ".nv.constant3").Data); diff != "" {
			t.Errorf("%s: bank (-want +got):\n%s", test.name, diff)
		}
		if l.mem.nullValue != test.null {
			t.Errorf("%s: null symbol's value %d, want %d", test.name, l.mem.nullValue, test.null)
		}
	}
	whole := laidOut(t, Options{}, unit("W", 1), unit("W", 1))
	if got := sectionNamed(whole, ".nv.constant3").Size; got != 2*size {
		t.Errorf("without a filter: a bank of %d bytes, want %d", got, 2*size)
	}
}
