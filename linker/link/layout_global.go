package link

import "github.com/culink/culink/linker/cubin"

// dropUnusedParts leaves out of .nv.global the sections of inputs none of whose variables was taken when the input was
// merged: an input with losing definitions alone adds nothing, one with a single taken variable adds its whole section,
// also if a later definition replaced that variable (observed).
func (l *Link) dropUnusedParts(s *Section) {
	kept := s.Parts[:0]
	for _, p := range s.Parts {
		if l.anyTaken(l.Inputs[p.In], p.Sec) {
			kept = append(kept, p)
		}
	}
	s.Parts = kept
}

// anyTaken reports whether some variable of an input's section was not lost on arrival.
func (l *Link) anyTaken(in *Input, index int32) bool {
	for _, n := range l.variables(in).in(index) {
		if in.File.Symbols[n].Internal() {
			continue
		}
		id := in.PlainSyms[n]
		if id == 0 {
			continue
		}
		// Only losers are asked for their number in the view, where losses are noted.
		if s := &l.Syms[id]; s.Def == in.ID || in.Lost[l.viewNumber(in, n)] != lostOnArrival {
			return true
		}
	}
	return false
}

// viewNumber is the number in the view of a symbol of .symtab, 0 if the two tables disagree.
func (l *Link) viewNumber(in *Input, n int32) int32 {
	if int(n) < len(in.Syms) && in.Syms[n] == in.PlainSyms[n] {
		return n
	}
	return 0
}

// placeCommons places the COMMON variables that no initialised definition replaced behind everything else in .nv.global:
// the name mentioned last comes first (observed).
func (l *Link) placeCommons() {
	if l.globalSec == 0 {
		return
	}
	s := l.Secs[l.globalSec]
	e := extent{s.Size, max(s.Align, 1)}
	for i := len(l.Syms) - 1; i > 0; i-- {
		y := &l.Syms[i]
		if y.Side == noSide || y.Shndx != cubin.SHNCommon && !y.CommonPlaced {
			continue
		}
		y.CommonPlaced = true
		y.Value = e.add(y.Size, y.Align)
		y.Sec = s.ID
	}
	s.Size, s.Align = e.size, e.align
}
