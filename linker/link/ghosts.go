package link

import "github.com/culink/culink/linker/cubin"

// The reference creates the sections of dead functions, too, numbers them, and takes them out again, names and all.
// Nothing of that shows until a link creates 0xff00 sections or more: then the image has a .symtab_shndx, which holds
// for each symbol not the section's number in the image but the one of its creation (observed; 12.4 and 13.0). So
// sections of dead functions are counted here, and nothing else is made of them.

// wideSections is the number of created sections from which on the image has a .symtab_shndx: SHN_LORESERVE.
const wideSections = 0xff00

// ghostKind is a bit for each section that a dead function can have.
type ghostKind uint16

const (
	ghostText ghostKind = 1 << iota
	ghostInfo
	ghostShared
	ghostBank0
	ghostConst
	ghostIndices
	ghostLocal
	ghostRel
	ghostRela
)

// ghosts counts the sections of dead functions.
type ghosts struct {
	made []ghostKind // by funcID
}

// create counts n sections unless the function has that kind already.
func (m *merger) ghost(fn funcID, kind ghostKind, n uint32) {
	if fn == 0 {
		return
	}
	if m.ghosts.made == nil {
		m.ghosts.made = make([]ghostKind, len(m.l.Funcs))
	}
	if m.ghosts.made[fn]&kind == 0 {
		m.ghosts.made[fn] |= kind
		m.l.created += n
	}
}

// ghostCode counts the code section of a dead function's definition.
func (m *merger) ghostCode(in *input, y *cubin.Symbol, id symID) {
	sec := &in.Secs[y.Shndx]
	if sec.ghost != 0 || sec.Out != 0 {
		return
	}
	fn := m.l.Syms[id].Func
	sec.ghost = fn
	if sec.Twin != 0 {
		in.Secs[sec.Twin].ghost = fn
	}
	m.ghost(fn, ghostText, 1)
	if y.Other&cubin.STOEntry != 0 {
		m.ghost(fn, ghostInfo, 1)
		m.unreferencedKernel(fn, id)
	}
}

// unreferencedKernel counts the section of a dead kernel's shared variables. Of a kernel that the host references removed
// the image keeps its name in both string tables, as if the section had been made (observed; not of one that -kernels-used removed).
func (m *merger) unreferencedKernel(fn funcID, id symID) {
	l := m.l
	before := l.created
	m.ghost(fn, ghostShared, 1)
	if !l.filtered || l.FilterGiven || l.created == before {
		return
	}
	l.created = before
	l.Secs[l.newSec(".nv.shared."+l.Syms[id].Name, 0, 0)].Drop = true
}

// ghostSection counts a section that belongs to a dead function.
func (m *merger) ghostSection(fn funcID, kind kind) {
	switch kind {
	case kindInfoFunc:
		m.ghost(fn, ghostInfo, 1)
	case kindSharedEntry:
		m.ghost(fn, ghostShared, 1)
	case kindConstEntry:
		if m.l.rel || m.l.Mercury {
			m.ghost(fn, ghostBank0, 1)
		} else {
			m.ghost(fn, ghostBank0, 2) // with its relocation section
		}
	case kindConstFunc:
		m.ghost(fn, ghostConst, 1)
	case kindConstIndices:
		m.ghost(fn, ghostIndices, 2)
	case kindLocal:
		m.ghost(fn, ghostLocal, 1)
	}
}

// ghostRelocations counts the relocation sections of a dead function's code.
func (m *merger) ghostRelocations(fn funcID, h *cubin.Section) {
	for j := range h.NumRels() {
		if h.Type != cubin.SHTRel && (j == 0 || h.RelAt(j).Addend != 0) {
			m.ghost(fn, ghostRela, 1)
		} else {
			m.ghost(fn, ghostRel, 1)
		}
	}
}

// sectionNumbers is the content of .symtab_shndx: for each symbol of the image the number of its section's creation, or,
// where the section's number in the image does not fit st_shndx, that number, as ELF has it (observed).
func (l *link) sectionNumbers() []byte {
	b := make([]byte, 4, 4*(len(l.numbering.symbols)+1))
	for _, id := range l.numbering.symbols {
		s := l.Secs[l.Syms[id].Sec]
		if s.Index >= wideSections {
			b = le.AppendUint32(b, s.Index)
		} else {
			b = le.AppendUint32(b, s.born)
		}
	}
	return b
}
