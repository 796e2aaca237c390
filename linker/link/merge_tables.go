package link

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// tables is the fourth walk: attributes, relocations, call graph, in index order.
func (m *merger) tables(in *input) {
	for i := 1; i < len(in.Secs); i++ {
		switch in.Secs[i].Type {
		case cubin.SHTCudaInfo:
			m.place(in, int32(i))
		case cubin.SHTRel, cubin.SHTRela:
			m.relocations(in, int32(i))
		case cubin.SHTCudaCallgraph:
			m.callgraphStrings(in, in.File.Sections[i].Data)
		case cubin.SHTCudaPrototype:
			for p := nvinfo.ReadPrototypes(in.File.Sections[i].Data); p.Next(); {
				m.prototypeString(in, p.String)
			}
		}
	}
	if !m.l.Mercury {
		return
	}
	for i := range in.File.Sections { // plain relocations that have no twin
		h := &in.File.Sections[i]
		if (h.Type == cubin.SHTRel || h.Type == cubin.SHTRela) && in.Secs[i].Twin == 0 && h.Size > 0 {
			m.relocations(in, int32(i))
		}
	}
}

// relocations creates the sections that an input's relocation section asks for.
func (m *merger) relocations(in *input, index int32) {
	l := m.l
	h := &in.File.Sections[index]
	target := h.TextIndex()
	if strings.HasPrefix(in.sectionName(int(target)), ".text.") && in.Secs[target].Lost == lostOnArrival {
		return
	}
	out, dead := m.place(in, int32(target))
	if dead || h.Size == 0 {
		if dead && in.Secs[target].kind == kindText {
			m.ghostRelocations(in.Secs[target].ghost, h)
		}
		return
	}
	if out == 0 {
		if l.PreserveRelocs {
			l.sec(".nv.resolvedrela"+in.sectionName(int(target)), 0, 0)
		}
		return
	}
	t := l.Secs[out]
	n := newRelocations{m: m, in: in, h: h, target: t}
	filter := l.newEntryFilter(in, index, int32(target), t)
	for j := range h.NumRels() {
		if r := h.RelAt(j); filter.enters(l, &r) {
			n.enter(&r)
		}
	}
	plain, twin := in.forms(index)
	part := part{In: in.ID, Sec: plain, Merc: twin}
	if !n.entered {
		if t.Kind == kindDebug {
			l.lostDebug = append(l.lostDebug, lostEntries{out, part})
		}
		return
	}
	home := n.home()
	l.addPart(l.Secs[home], part)
	in.setOut(uint32(index), home, in.Secs[target].Lost)
}

// newRelocations makes the relocation sections of one code or data section as the entries of one input ask for them.
type newRelocations struct {
	m      *merger
	in     *input
	h      *cubin.Section
	target *section
	// rel and rela are the sections, 0 until an entry needs them; entered: some entry came.
	rel, rela secID
	entered   bool
}

// enter makes the section for an entry. A RELA section whose later entries have an addend of 0 makes the name of a REL section,
// too, which stays empty (observed).
func (n *newRelocations) enter(r *cubin.Rel) {
	l := n.m.l
	n.noteSymbol(r)
	isRela := n.h.Type != cubin.SHTRel && (!n.entered || r.Addend != 0 || n.rel == 0 && n.m.startsLater(n.in, n.h, r.Sym))
	if isRela {
		n.needRela()
	} else if n.rel == 0 {
		n.rel = l.sec(l.slabs.name(".rel", n.target.Name), 0, n.target.ID)
	}
	if l.ForceRela {
		n.needRela() // the REL section leaves its name alone (observed)
	}
	if l.PreserveRelocs && !n.entered {
		l.resolvedSection(n.target)
	}
	n.entered = true
}

func (n *newRelocations) needRela() {
	if l := n.m.l; n.rela == 0 {
		n.rela = l.sec(l.slabs.name(".rela", n.target.Name), 0, n.target.ID)
	}
}

// noteSymbol notes what code refers to.
func (n *newRelocations) noteSymbol(r *cubin.Rel) {
	syms := n.in.Syms
	if !n.h.Mercury() {
		syms = n.in.PlainSyms
	}
	if n.target.Kind != kindText || int(r.Sym) >= len(syms) || syms[r.Sym] == 0 {
		return
	}
	s := &n.m.l.Syms[syms[r.Sym]]
	s.CodeRef = true
	if n.target.Kernel && s.Shared() && s.Size == 0 {
		n.m.kernelUsesExtern(n.target.ID, n.in.ID, syms[r.Sym])
	}
}

// home is the section that the input's entries join.
func (n *newRelocations) home() secID {
	if n.h.Type != cubin.SHTRel {
		n.needRela()
	} else if !n.m.l.ForceRela {
		return n.rel
	}
	return n.rela
}

// startsLater reports whether an entry of h names, by its section symbol, a section whose bytes earlier inputs precede in the image.
// The addend that the reference looks at then has their size in it (observed).
func (m *merger) startsLater(in *input, h *cubin.Section, sym uint32) bool {
	symbols := in.File.Symbols
	if h.Mercury() {
		symbols = in.File.MercSymbols
	}
	if int64(sym) >= int64(len(symbols)) || symbols[sym].Type() != cubin.STTSection || int64(symbols[sym].Shndx) >= int64(len(in.Secs)) {
		return false
	}
	s := m.l.Secs[in.Secs[symbols[sym].Shndx].Out]
	if s.Kind == kindText {
		return false
	}
	for _, p := range s.Parts {
		index := p.Sec
		if h.Mercury() {
			index = p.Merc
		}
		switch {
		case p.In >= in.ID:
			return false
		case m.l.Inputs[p.In].File.Sections[index].Size > 0:
			return true
		}
	}
	return false
}

// lostEntries is an input's relocation section none of whose entries makes a section in the image. Those of debug data are looked at all
// the same: they say which descriptions are of lost copies.
type lostEntries struct {
	target secID
	part   part
}

func (m *merger) kernelUsesExtern(text secID, in fileID, sym symID) {
	if n := len(m.externs); n == 0 || m.externs[n-1] != (externUse{text, in, sym}) {
		m.externs = append(m.externs, externUse{text, in, sym})
	}
}

// externUse is a kernel one of whose copies refers to a dynamic shared array.
type externUse struct {
	text secID
	in   fileID
	sym  symID
}

// callgraphStrings adds the prototypes of address-taken functions and of indirect calls to the string table, but for those
// of functions whose definition here lost on arrival (observed).
func (m *merger) callgraphStrings(in *input, d []byte) {
	for g := nvinfo.ReadGraph(d); g.Next(); {
		if g.Edge != nvinfo.AddressTaken && g.Edge != nvinfo.CallsIndirect || in.Lost[g.A] == lostOnArrival {
			continue // resolve refused numbers outside the table
		}
		m.prototypeString(in, g.B)
	}
}

func (m *merger) prototypeString(in *input, off uint32) {
	l := m.l
	s, ok := in.File.String(off)
	if !ok {
		return // refused by resolve
	}
	p := l.proto(s)
	for len(m.seenProto) <= int(p) {
		m.seenProto = append(m.seenProto, false)
	}
	if !m.seenProto[p] {
		m.seenProto[p] = true
		l.protoList = append(l.protoList, p)
	}
}
