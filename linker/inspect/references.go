package inspect

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Use is a place that refers to a symbol.
type Use struct {
	Section string // the section that is patched
	Offset  uint64 // in it, in bytes
}

// Function is the function whose code the use is in, "" for data.
func (u Use) Function() string {
	f, ok := strings.CutPrefix(u.Section, ".text.")
	if !ok {
		return ""
	}
	return f
}

func (u Use) String() string { return fmt.Sprintf("%s+%#x", u.Section, u.Offset) }

// Uses calls found for every place of a file whose relocation refers to one of the wanted symbols by name, in file order,
// Mercury twins left out.
func Uses(f *cubin.File, wanted map[string]bool, found func(symbol string, u Use)) {
	number := map[uint32]string{}
	for i := range f.Symbols {
		if wanted[f.Symbols[i].Name] {
			number[uint32(i)] = f.Symbols[i].Name
		}
	}
	if len(number) == 0 {
		return
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		target := int64(s.TextIndex())
		if s.Mercury() || target >= int64(len(f.Sections)) || strings.HasPrefix(s.Name, ".nv.resolved") {
			continue
		}
		for k := range s.NumRels() {
			r := s.RelAt(k)
			if name, ok := number[r.Sym]; ok {
				found(name, Use{f.Sections[target].Name, r.Offset})
			}
		}
	}
}
