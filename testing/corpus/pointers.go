package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/link"
)

// pointing links the inputs of every folder of a corpus, in their order and in the reverse one, and asks of each image what nothing but
// the inputs is needed for: every pointer in data that counts is there, under the name of what it points to.
type pointing struct {
	toolkit  string
	list     int
	pointers int // in data that counts
	lost     int
}

// pointers links the inputs of all folders below dir whose path matches.
func pointers(dir, match, toolkit string, list int) (bool, error) {
	p := &pointing{toolkit: toolkit, list: list}
	if err := eachFolder(dir, match, p.folder); err != nil {
		return false, err
	}
	fmt.Printf("%d pointers in data, %d of them lost\n", p.pointers, p.lost)
	return p.lost == 0, nil
}

// folder links the inputs of one folder. What does not link as it is is passed over.
func (p *pointing) folder(dir, arch string, inputs []string) error {
	o, sources, ok := options(dir, "pointers", append([]string{"-arch=" + arch}, inputs...), p.toolkit)
	if !ok {
		return nil
	}
	o.KeepPointers = true
	reversed := slices.Clone(sources)
	slices.Reverse(reversed)
	for _, order := range [][]link.Source{sources, reversed} {
		image, _ := linkOnce(o, order)
		if image == nil {
			continue
		}
		n, lost, err := lostPointers(image, order)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		p.pointers += n
		for _, l := range lost {
			if p.lost++; p.lost <= p.list {
				fmt.Printf("%s: %s\n", dir, l)
			}
		}
	}
	return nil
}

// lostPointers counts the pointers in data that counts, and lists those that an image of the sources lacks. The image does not tell whose
// copy of a variable it has: the one that lacks least is taken.
func lostPointers(image []byte, sources []link.Source) (n int, lost []string, err error) {
	f, err := cubin.Parse(image)
	if err != nil {
		return 0, nil, err
	}
	there := map[string][]*cubin.Symbol{}
	for i := range f.Symbols {
		y := &f.Symbols[i]
		there[y.Name] = append(there[y.Name], y)
	}
	files := make([]*cubin.File, len(sources))
	for i := range sources {
		if files[i], err = cubin.Parse(sources[i].Data); err != nil {
			return 0, nil, err
		}
	}
	owners := ownersOf(files)
	entries := pointersOf(f, owners)
	best := map[string][]string{}
	all := map[string]int{}
	for s, in := range files {
		held := pointersOf(in, owners)
		for i := range in.Symbols {
			v := &in.Symbols[i]
			if v.Type() != cubin.STTCudaObject || len(there[v.Name]) == 0 || int(v.Shndx) >= len(in.Sections) || len(held[v.Shndx]) == 0 {
				continue
			}
			name := v.Name
			if v.Binding() == cubin.STBLocal {
				name = fmt.Sprintf("%s of %s (%d)", v.Name, sources[s].Name, s)
			}
			count, lacks := 0, []string{}
			for off, target := range held[v.Shndx] {
				if off < v.Value || off >= v.Value+v.Size || len(there[target]) == 0 {
					continue
				}
				count++
				if !slices.ContainsFunc(there[v.Name], func(y *cubin.Symbol) bool { return entries[y.Shndx][y.Value+off-v.Value] == target }) {
					lacks = append(lacks, fmt.Sprintf("%s+%#x has no pointer to %s", name, off-v.Value, target))
				}
			}
			if old, known := best[name]; !known || len(lacks) < len(old) {
				best[name], all[name] = lacks, count
			}
		}
	}
	for name, lacks := range best {
		n += all[name]
		lost = append(lost, lacks...)
	}
	slices.Sort(lost)
	return n, lost, nil
}

// pointersOf are the names that the entries of initialised data and of user constants are against, by section and offset; those of
// aliases are their owners'.
func pointersOf(f *cubin.File, owners map[string]string) map[uint32]map[uint64]string {
	out := map[uint32]map[uint64]string{}
	for i := range f.Sections {
		h := &f.Sections[i]
		target := h.TextIndex()
		if h.Type != cubin.SHTRel && h.Type != cubin.SHTRela || int(target) >= len(f.Sections) {
			continue
		}
		if name := f.Sections[target].Name; name != ".nv.global.init" && !strings.HasPrefix(name, ".nv.constant3") {
			continue
		}
		held := out[uint32(target)]
		if held == nil {
			held = map[uint64]string{}
			out[uint32(target)] = held
		}
		for j := range h.NumRels() {
			if r := h.RelAt(j); int(r.Sym) < len(f.Symbols) {
				name := f.Symbols[r.Sym].Name
				if owner, ok := owners[name]; ok {
					name = owner
				}
				held[r.Offset] = name
			}
		}
	}
	return out
}

// ownersOf are the names of the functions whose code others are names of (aliases), by the others' names.
func ownersOf(files []*cubin.File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		for i := range f.Symbols {
			y := &f.Symbols[i]
			if y.Type() == cubin.STTFunc && int(y.Shndx) < len(f.Sections) {
				if owner, ok := strings.CutPrefix(f.Sections[y.Shndx].Name, ".text."); ok && owner != y.Name {
					out[y.Name] = owner
				}
			}
		}
	}
	return out
}
