package link

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

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

// leaveCommon leaves a COMMON to a later link, which may know a larger one or a definition. The reference places it at once,
// so that its later link sees two definitions.
func (l *Link) leaveCommon(y *Symbol) bool {
	if !l.rel || !l.KeepSettledRelocs || y.CommonPlaced {
		return false
	}
	y.Sec, y.Value = 0, y.Align
	return true
}

// placeCommons places the COMMON variables that no initialised definition replaced behind everything else in .nv.global:
// the name whose first COMMON comes last is the first (observed).
func (l *Link) placeCommons() {
	if l.globalSec == 0 {
		return
	}
	var commons []SymID
	listed := map[SymID]bool{}
	for _, in := range l.Inputs {
		for i, id := range in.Syms {
			if id == 0 || l.view(in)[i].Shndx != cubin.SHNCommon {
				continue
			}
			if y := &l.Syms[id]; y.Side != noSide && !listed[id] && (y.Shndx == cubin.SHNCommon || y.CommonPlaced) {
				if l.leaveCommon(y) {
					continue
				}
				y.CommonPlaced, listed[id] = true, true
				commons = append(commons, id)
			}
		}
	}
	s := l.Secs[l.globalSec]
	e := extent{s.Size, max(s.Align, 1)}
	for _, id := range slices.Backward(commons) {
		y := &l.Syms[id]
		y.Value = e.add(y.Size, y.Align)
		y.Sec = s.ID
	}
	s.Size, s.Align = e.size, e.align
}
