package link

import (
	"github.com/culink/culink/linker/cubin"
)

// sharedSizes sets the shared sections of a relocatable link. It assigns no addresses: values of variables stay their
// alignments, and a section's size is the plain sum of its variables' sizes (observed).
func (l *link) sharedSizes() {
	for _, s := range l.Secs[1:] {
		if s.Kind.shared() {
			s.Align = 1 // variables' alignments count, not those of the inputs' sections
		}
	}
	l.wholeSharedSizes()
	for _, d := range l.replacedShared { // their room stays (observed)
		in := l.Inputs[d.file]
		if out := in.Secs[l.view(in)[d.number].Shndx].Out; out != 0 {
			l.Secs[out].enlarge(d.size, d.align)
		}
	}
	dynamic := false
	for i := 1; i < len(l.Syms); i++ {
		s := &l.Syms[i]
		switch {
		case s.Type() != cubin.STTCudaObject || s.Side == noSide:
		case s.Shared() && s.Def == noFile && s.Size == 0 && (s.Name != externInstance || s.First != noFile):
			l.dynamicArrayValue(symID(i))
			dynamic = true
		case l.sharedVariableSize(s):
			dynamic = true
		}
	}
	for _, d := range l.replacedShared {
		l.Syms[d.sym].Value = d.align // the first definition's stays (observed)
	}
	l.debugDynamic()
	l.alignShared(dynamic)
}

// enlarge makes room for a variable of a shared section.
func (s *section) enlarge(size, align uint64) {
	s.Size, s.Align = s.Size+size, max(s.Align, align)
}

// wholeSharedSizes sets the sections of kernels that join as wholes.
func (l *link) wholeSharedSizes() {
	whole := l.wholeShared()
	for _, text := range l.Kernels {
		e, ok := whole[text]
		if !ok {
			continue
		}
		s := l.Secs[l.sharedSection(text)]
		s.Size, s.Align = e.size, max(s.Align, e.align)
		l.mem.nullValue = e.align // as of a variable that has no symbol (observed)
	}
}

// dynamicArrayValue settles what a dynamic array is to a later link.
func (l *link) dynamicArrayValue(id symID) {
	if l.KeepSettledRelocs {
		return // a later link places it, and needs its alignment
	}
	s := &l.Syms[id]
	if id == l.instance && l.sharedFuncs != 0 {
		// The place that an earlier link found passes for an alignment (observed).
		l.Secs[l.sharedFuncs].enlarge(0, s.Value)
	} else {
		s.Value = 0
		if l.debugShared() {
			s.Value = l.dynamicStart(0)
		}
	}
	s.Sec = l.sharedFuncs // where a later link takes it for a variable without size
}

// sharedVariableSize makes room for a variable if it is a shared one, and reports whether it is what an earlier relocatable
// link made of a dynamic array.
func (l *link) sharedVariableSize(s *symbol) bool {
	if s.Def == noFile && s.Of == 0 && s.Space() != 0 && s.Name != externInstance && !l.AllowUndefGlobals {
		s.Value = ^uint64(0) // what nobody defines (observed)
	}
	if s.Def == noFile || s.Sec == 0 {
		return false
	}
	sec := l.Secs[s.Sec]
	if !sec.Kind.shared() {
		return false
	}
	sec.enlarge(s.Size, s.Value)
	if s.Size != 0 || sec.Kind != kindSharedFuncs {
		return false
	}
	if l.debugShared() {
		s.Value = 0
	}
	return true
}

// debugDynamic gives dynamic arrays their places in a relocatable link with -g: behind the own variables of all kernels that
// refer to one of them or to others that these kernels refer to. Functions do not count (observed).
func (l *link) debugDynamic() {
	uses := l.externUses
	sections := make([]secID, len(uses))
	sets := newDisjointSets(len(uses))
	bySection, bySymbol := map[secID]int32{}, map[symID]int32{} // the first use
	for i, u := range uses {
		sections[i] = l.sharedSection(u.text)
		joinFirst(sets, bySection, sections[i], int32(i))
		joinFirst(sets, bySymbol, u.sym, int32(i))
	}
	largest := make([]uint64, len(uses)) // by set
	for i, s := range sections {
		r := sets.find(int32(i))
		largest[r] = max(largest[r], l.dynamicStart(l.Secs[s].Size))
	}
	for i, s := range sections {
		l.Secs[s].Size = largest[sets.find(int32(i))]
		l.Syms[uses[i].sym].Value = l.Secs[s].Size
	}
}

// joinFirst joins the set of element i with that of the first element of the same key.
func joinFirst[K comparable](sets disjointSets, first map[K]int32, key K, i int32) {
	if other, ok := first[key]; ok {
		sets.join(i, other)
	} else {
		first[key] = i
	}
}

// alignShared adjusts the shared sections of a relocatable link and drops those that are not needed.
func (l *link) alignShared(dynamic bool) {
	maximum := uint64(0)
	if l.sharedFuncs != 0 {
		s := l.Secs[l.sharedFuncs]
		maximum = s.Align
		if dynamic {
			s.Align = max(s.Align, 16)
		}
	}
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindSharedEntry:
			l.alignEntryShared(s, maximum, dynamic)
		case kindSharedFuncs, kindSharedReserved:
		default:
			continue
		}
		switch {
		case s.Size == 0 && s.Align != 16 && !(s.Kind == kindSharedFuncs && s.Align > 16 && dynamic):
			s.Drop = true
		case s.Size <= s.Align:
			s.Size += s.Align
		}
	}
	if l.sharedReserved != 0 {
		s := l.Secs[l.sharedReserved]
		s.MercSize = s.Size
	}
}

func (l *link) alignEntryShared(s *section, maximum uint64, dynamic bool) {
	id, uses := l.externInstance[s.Owner]
	if s.Size == 0 && !uses && !(dynamic && maximum >= 16) {
		return
	}
	if !s.late {
		s.Align = max(s.Align, maximum)
	}
	if uses {
		s.Align = max(s.Align, 16)
		s.Size = l.dynamicStart(s.Size)
		if id == 0 {
			return
		}
		l.Syms[id].Value = s.Size
	}
}

// dynamicStart is where dynamic shared memory begins behind size bytes of other variables.
func (l *link) dynamicStart(size uint64) uint64 {
	return alignUp(max(size, l.sharedStart()), dynamicAlign)
}

// dynamicAlign is the alignment of dynamic shared memory (observed).
const dynamicAlign = 16

// reservedShared places the variables of the system in .nv.shared.reserved.0, behind the area that the symbol
// .nv.reservedSmem.offset0 names. The twin does not count that area (observed).
func (l *link) reservedShared() {
	if l.sharedReserved == 0 {
		return
	}
	s := l.Secs[l.sharedReserved]
	start := uint64(0)
	if id, ok := l.lookup(".nv.reservedSmem.offset0"); ok {
		start = l.Syms[id].Value
	}
	var list []sharedVar
	for i := 1; i < len(l.Syms); i++ {
		y := &l.Syms[i]
		if y.Sec == s.ID && y.Of == 0 && y.Def != noFile {
			list = append(list, sharedVar{sym: symID(i), align: y.Value, size: y.Size})
		}
	}
	listSort(list, coreBefore)
	e := extent{start, 1}
	for i := range list {
		l.Syms[list[i].sym].Value = e.add(list[i].size, list[i].align)
	}
	s.Size, s.Align = e.size, e.align
	s.MercSize = e.size - min(start, e.size)
}
