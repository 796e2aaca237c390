package link

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

// TestEntriesWithoutAddendCreateASectionOfTheirOwn: of a RELA section's entries, all but the first create .rel beside
// .rela if their addend is 0 (observed). The addend of a section symbol's entry counts from the joined section.
func TestEntriesWithoutAddendCreateASectionOfTheirOwn(t *testing.T) {
	refers := func(name string) *object {
		o := newObject().function(name, true, 0x168)
		lines := o.AddSection(cubintest.Section{Name: ".debug_line", Type: cubin.SHTProgbits, Align: 1, Data: []byte{1, 2, 3}})
		abbrev := o.AddSection(cubintest.Section{Name: ".debug_abbrev", Type: cubin.SHTProgbits, Align: 1, Data: []byte{0}})
		info := o.AddSection(cubintest.Section{Name: ".debug_info", Type: cubin.SHTProgbits, Align: 1, Data: make([]byte, 16)})
		var rels []cubin.Rel
		for i, n := range []int{lines, abbrev} {
			sym := o.AddSymbol(cubintest.Symbol{Name: o.Sections[n].Name, Info: uint8(cubin.STTSection), Shndx: uint16(n)})
			rels = append(rels, cubin.Rel{Offset: uint64(4 * i), Type: 1, Sym: sym, HasAddend: true})
		}
		o.AddSection(cubintest.Section{Name: ".rela.debug_info", Type: cubin.SHTRela, Flags: 0x40, Link: 3, Info: uint32(info), Align: 8, Entsize: 24, Data: encodeRels(rels)})
		return o
	}
	silent := func(name string, abbrev []byte) *object {
		o := newObject().function(name, true, 0x168)
		o.AddSection(cubintest.Section{Name: ".debug_abbrev", Type: cubin.SHTProgbits, Align: 1, Data: abbrev})
		return o
	}
	for _, test := range []struct {
		name    string
		objects []*object
		want    bool
	}{
		{"alone", []*object{refers("a")}, true},
		{"before another", []*object{refers("a"), silent("b", []byte{0})}, true},
		{"behind another's bytes", []*object{silent("b", []byte{0}), refers("a")}, false},
		{"behind an empty section", []*object{silent("b", nil), refers("a")}, true},
	} {
		l := laidOut(t, Options{}, test.objects...)
		named := func(name string) bool {
			return slices.ContainsFunc(l.Secs, func(s *section) bool { return s.Name == name })
		}
		if got := named(".rel.debug_info"); got != test.want || !named(".rela.debug_info") {
			t.Errorf("%s: .rel.debug_info %t, want %t beside .rela.debug_info", test.name, got, test.want)
		}
	}
}
