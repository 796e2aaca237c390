package link

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
)

// TestForceRelaMovesAllEntriesIntoRELASections: the same entries patch the same sections, whatever the form; a REL entry's
// addend is in its field and in r_addend then.
func TestForceRelaMovesAllEntriesIntoRELASections(t *testing.T) {
	entries := func(opts Options) (list []string, forms map[cubin.SectionType]int) {
		f, err := cubin.Parse(linkSources(t, opts, encoded(manyPrograms(4))))
		if err != nil {
			t.Fatal(err)
		}
		forms = map[cubin.SectionType]int{}
		for i := range f.Sections {
			s := &f.Sections[i]
			if s.NumRels() > 0 {
				forms[s.Type]++
			}
			for k := range s.NumRels() {
				r := s.RelAt(k)
				list = append(list, fmt.Sprintf("%s %#x %d %s", f.Sections[s.TextIndex()].Name, r.Offset, r.Type, f.Symbols[r.Sym].Name))
			}
		}
		slices.Sort(list)
		return list, forms
	}
	for _, opts := range []Options{{SM: 80, Toolkit: 124}, {SM: 80, Toolkit: 130}, {SM: 80, Toolkit: 130, Relocatable: true}, {SM: 80, Toolkit: 130, PreserveRelocs: true}} {
		want, plain := entries(opts)
		opts.ForceRela = true
		got, forced := entries(opts)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v (-plain +forced):\n%s", opts, diff)
		}
		if plain[cubin.SHTRel] == 0 || forced[cubin.SHTRel] != 0 || forced[cubin.SHTRela] == 0 {
			t.Errorf("sections by type: %v and, forced, %v", plain, forced)
		}
	}
}
