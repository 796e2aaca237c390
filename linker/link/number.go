package link

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/slab"
)

// numbering is the outcome of deciding what is in the image.
type numbering struct {
	// symbols are the image's symbols in order, behind the null symbol; the first merc of them are in .nv.merc.symtab, too.
	symbols []symID
	merc    int
	// locals is sh_info of .symtab, mercLocals that of .nv.merc.symtab.
	locals, mercLocals uint32
	// order lists the image's sections, behind the null header; twins follow as entries of their own.
	order []header
}

// header is one section header of the image: a section in its plain or its Mercury form.
type header struct {
	sec  secID
	merc bool
}

// present reports whether a section is in the image, as far as that is known before relocations are processed.
func (l *link) present(s *section) bool {
	switch {
	case s.Drop, s.Erased, s.ID == 0:
		return false
	case s.Kind == kindSymtabShndx:
		return l.created >= wideSections
	case s.Class() == orderFixed, s.KeepEmpty:
		return true
	}
	switch s.Kind {
	case kindRel, kindRela, kindResolved:
		return len(s.Rels) > 0 || len(s.MercRels) > 0
	case kindPrototype:
		return l.hasPrototypes()
	case kindCallgraph, kindTkinfo, kindCuinfo, kindCompat, kindRelAction:
		return true
	case kindDebug:
		return true // even an empty one stays
	}
	return s.Size > 0
}

// hasPrototypes reports whether .nv.prototype has records: functions of the image with a prototype whose address nobody takes.
func (l *link) hasPrototypes() bool {
	for i := 1; i < len(l.Funcs); i++ {
		if f := &l.Funcs[i]; f.Kept && !f.Taken && f.Proto != 0 && l.Syms[f.Sym].Side != noSide {
			return true
		}
	}
	return false
}

// vanishes reports whether a symbol leaves no trace in the image, not even its name. A relocatable link keeps all.
func (l *link) vanishes(s *symbol) bool {
	if l.Secs[s.Sec].Erased || s.Dead && l.Secs[s.Sec].Kind == kindConstUser {
		return true
	}
	if s.Of != 0 || l.rel {
		return false
	}
	switch {
	case s.Name == "" && s.Type() == cubin.STTFunc:
		return !l.PreserveRelocs && !l.Debug
	case s.Binding() == cubin.STBLocal && s.Other&3 == cubin.STOInternal:
		return !l.PreserveRelocs || s.Undefined()
	case s.Shared():
		return l.sharedVanishes(s)
	}
	return false
}

func (l *link) sharedVanishes(s *symbol) bool {
	inFuncs := s.Undefined() || s.Shndx < cubin.SHNLoRes && s.Def >= 0 && l.Inputs[s.Def].sectionName(int(s.Shndx)) == ".nv_debug.shared"
	if !s.CodeRef && inFuncs && !s.Undefined() {
		return true
	}
	instance := l.instance != 0 && s == &l.Syms[l.instance]
	size := uint64(0)
	if l.sharedFuncs != 0 {
		size = l.Secs[l.sharedFuncs].Size
	}
	if l.debugShared() {
		// What earlier relocatable links made of dynamic memory shows beside shared data of functions, on sm_90 always (observed).
		return instance && (!l.PreserveRelocs || size == 0 || l.SM >= 100 && size <= l.sharedReserve())
	}
	if !l.PreserveRelocs {
		return true
	}
	if !s.Undefined() && !instance {
		return false
	}
	// --preserve-relocs shows a dynamic array on sm_90 alone, and only beside shared data of functions: elsewhere its
	// value of -1 means that it was never placed (observed).
	return !(l.SM >= 90 && l.SM < 100 && size > 0x400)
}

// numberSymbols decides which symbols are in the image and numbers them. Sizes of data must be known.
func (l *link) numberSymbols() {
	n := &l.numbering
	n.symbols = make([]symID, 0, len(l.Local)+len(l.Global))
	for _, id := range l.Local {
		if l.inSymtab(id) {
			n.symbols = append(n.symbols, id)
		}
	}
	n.locals = uint32(len(n.symbols)) + 1
	n.mercLocals = n.locals
	for _, id := range l.Global {
		if l.inSymtab(id) {
			n.symbols = append(n.symbols, id)
		}
	}
	n.merc = len(n.symbols)
	for _, id := range l.appended() {
		// The parameter banks of a Mercury image have their section symbols behind everything else.
		s := l.Secs[id]
		s.Sym = symID(len(l.Syms))
		l.Syms = append(l.Syms, symbol{Name: s.Name, Info: uint8(cubin.STTSection), Of: id, Sec: id, Def: noFile, First: noFile})
		n.symbols = append(n.symbols, s.Sym)
		n.locals = uint32(len(n.symbols)) + 1
	}
	for i, id := range n.symbols {
		l.Syms[id].Index = uint32(i) + 1
	}
}

// appended lists the sections that stand behind the ordinary ones, in the order of their code sections.
func (l *link) appended() []secID {
	var ids []secID
	for _, s := range l.Secs {
		if s.Appended && l.present(s) {
			ids = append(ids, s.ID)
		}
	}
	slices.SortStableFunc(ids, func(a, b secID) int { return int(l.Secs[a].Owner - l.Secs[b].Owner) })
	return ids
}

func (l *link) inSymtab(id symID) bool {
	s := &l.Syms[id]
	if s.Dead || l.vanishes(s) {
		return false
	}
	if s.Of != 0 {
		return l.hasSectionSymbol(l.Secs[s.Of])
	}
	if l.Index != nil && isUnifiedMarker(s.Name) {
		return true
	}
	if !l.rel && s.Undefined() && s.isObject() && !s.Shared() &&
		!isReservedSmem(s.Name) {
		return l.AllowUndefGlobals && s.Binding() == cubin.STBGlobal && !isUnifiedMarker(s.Name)
	}
	return true
}

// hasSectionSymbol reports whether a section of the image has its section symbol in .symtab.
func (l *link) hasSectionSymbol(s *section) bool {
	if s.row().noSymbol || !l.present(s) || s.Kind == kindDebug && s.Size == 0 && s.MercSize == 0 {
		return false
	}
	if !s.Kind.shared() {
		return true
	}
	// Shared sections without data of their own have none.
	switch {
	case s.Size == 0,
		l.Mercury && !l.rel && s.Size == l.sharedReserve(),
		l.rel && s.Size == s.Align: // with data of its own the size would be larger (alignShared)
		return false
	}
	return s.Kind != kindSharedFuncs || l.rel || l.PreserveRelocs || l.Debug && !l.SuppressDebugInfo
}

// numberSections puts the image's sections in order: by class, inside a class by creation; then what a Mercury image
// appends. It runs when every section's existence is settled.
func (l *link) numberSections() {
	var counts [orderNobits + 1]int
	class := slab.Make[int8](len(l.Secs)) // plus one; 0: not here
	for _, s := range l.Secs[1:] {
		if !s.Appended && l.present(s) {
			c := s.Class()
			counts[c]++
			class[s.ID] = int8(c) + 1
		}
	}
	var byClass [orderNobits + 1][]secID
	for c := range byClass {
		byClass[c] = make([]secID, 0, counts[c])
	}
	for id, c := range class {
		if c != 0 {
			byClass[c-1] = append(byClass[c-1], secID(id))
		}
	}
	n := &l.numbering
	count := 1
	for _, ids := range byClass {
		count += len(ids)
	}
	if l.Mercury {
		count *= 2 // twins
	}
	n.order = append(slab.Cap[header](0, count), header{})
	for _, ids := range byClass {
		for _, id := range ids {
			n.order = append(n.order, header{sec: id})
		}
	}
	ordinary := n.order[1:]
	for _, id := range l.appended() {
		n.order = append(n.order, header{sec: id})
	}
	if l.Mercury {
		l.appendTwins(ordinary)
	}
	for i, h := range n.order[1:] {
		if s := l.Secs[h.sec]; h.merc {
			s.MercIndex = uint32(i) + 1
		} else {
			s.Index = uint32(i) + 1
		}
	}
}

// appendTwins adds the Mercury forms: capsules, then the other twins in the order of the plain sections, then the symbol table.
func (l *link) appendTwins(ordinary []header) {
	n := &l.numbering
	for _, h := range slices.Clone(ordinary) {
		if k := l.Secs[h.sec].Kind; k == kindText || k == kindUFT {
			n.order = append(n.order, header{h.sec, true})
		}
	}
	for _, h := range slices.Clone(ordinary) {
		s := l.Secs[h.sec]
		switch s.Kind {
		case kindDebug, kindInfo, kindInfoFunc, kindRel, kindRela, kindResolved, kindConstUser, kindConstFunc, kindConstIndices, kindGlobalInit, kindSharedReserved,
			kindUDT, kindUFTEntry, kindUDTEntry, kindUIDX:
			if !s.NoTwin {
				n.order = append(n.order, header{h.sec, true})
			}
		}
	}
	n.order = append(n.order, header{l.symtab, true})
}

// mercName is the name of a section's Mercury form.
func mercName(s *section) string {
	switch s.Kind {
	case kindText, kindUFT:
		return ".nv.capmerc" + s.Name
	case kindSymtab:
		return ".nv.merc.symtab"
	}
	return ".nv.merc" + s.Name
}

// isRenamed reports whether a Mercury image shows a section under another name than that of its creation.
func isRenamed(s *section) bool {
	from, _ := renamedPrefix(s.Name)
	return from != ""
}
