package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/glob"
)

// pruneConstants makes room in a bank of constants that is too full: it is laid out anew, and where a kernel filter is
// active constants that nothing in the image refers to go (observed). The reference dies here when a constant is local
// or a weak one lost; nothing else depends on that.
func (l *link) pruneConstants() {
	if l.rel {
		return
	}
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstUser && s.Size > bankLimit {
			l.pruneBank(s, l.referredConstants())
		}
	}
}

// pruneBank lays a bank out anew with the constants that live names. A constant's alignment is forgotten: its size, 8 at
// most, stands for it. The order is that of other spaces, where local and weak constants count as those of no alignment: they
// come last, the smaller ones first.
func (l *link) pruneBank(bank *section, live []bool) {
	var list []sharedVar
	for i := 1; i < len(l.Syms); i++ {
		s := &l.Syms[i]
		if s.Sec != bank.ID || s.Of != 0 || s.Def == noFile {
			continue
		}
		if !live[i] && l.PreserveRelocs {
			s.Other |= cubin.STOInternal // the symbol stays where it was, with the mark of deleted ones (observed)
			continue
		}
		if !live[i] {
			s.Dead = true
			continue
		}
		size := min(s.Size, uint64(len(l.Inputs[s.Def].File.Sections[s.Shndx].Data)))
		v := sharedVar{sym: symID(i), align: min(size, 8), size: size}
		if s.Side == localSide {
			v.align = 0
		}
		list = append(list, v)
	}
	listSort(list, coreBefore)
	l.forgetCopies(bank)
	e := extent{align: 1}
	for i := range list {
		s := &l.Syms[list[i].sym]
		in := l.Inputs[s.Def]
		// The value was moved to the joined bank; the constant's place in its own section is what it was before.
		from := s.Value - in.Secs[s.Shndx].Off
		s.Value = e.add(list[i].size, min(list[i].size, 8))
		data := in.File.Sections[s.Shndx].Data
		from = min(from, uint64(len(data)))
		l.copyTo(bank, false, s.Value, data[from:min(from+list[i].size, uint64(len(data)))])
	}
	bank.Size, bank.MercSize, bank.Align = e.size, 0, e.align
	bank.Erased = bank.Size == 0 // not even its name stays (observed)
	if l.Mercury {
		bank.MercSize = e.size
	}
}

// forgetCopies drops the copies into a section that were planned so far.
func (l *link) forgetCopies(s *section) {
	kept := l.mem.copies[:0]
	for _, c := range l.mem.copies {
		if c.sec != s.ID {
			kept = append(kept, c)
		}
	}
	l.mem.copies = kept
}

// referredConstants marks, by symID, what the image's code and initialised data refer to, and the variables that the
// filter names.
func (l *link) referredConstants() []bool {
	live := make([]bool, len(l.Syms))
	if !l.filtersConstants() {
		for i := range live {
			live[i] = true
		}
		return live
	}
	for _, in := range l.Inputs {
		for i := range in.File.Sections {
			h := &in.File.Sections[i]
			if h.Mercury() || h.Type != cubin.SHTRel && h.Type != cubin.SHTRela || !l.keepsReferences(in, int32(h.TextIndex())) {
				continue
			}
			for j := range h.NumRels() {
				if r := h.RelAt(j); int(r.Sym) < len(in.PlainSyms) {
					live[in.PlainSyms[r.Sym]] = true
				}
			}
		}
	}
	named := l.variableFilter()
	for i := range l.Syms {
		live[i] = live[i] || named(l.Syms[i].Name)
	}
	return live
}

// keepsReferences reports whether what a section refers to stays: code of the image and initialised variables.
func (l *link) keepsReferences(in *input, index int32) bool {
	switch h := &in.File.Sections[index]; kindOf(h.Name, h.Owned()) {
	case kindGlobalInit, kindConstUser:
		return true
	}
	fn, code := l.codeOf(in, index)
	return code && fn != 0 && !in.Secs[index].Dead
}

// variableFilter tests names against -variables-used, or against the host's lists of variables.
func (l *link) variableFilter() func(string) bool {
	if l.FilterGiven {
		return glob.NewSet(glob.Containing(l.VariablesUsed)).Matches
	}
	var names []string
	for i := range l.sources {
		names = append(names, l.sources[i].HostVariables...)
	}
	return glob.NewSet(names).Matches
}
