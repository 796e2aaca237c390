package link

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// leaveCommon leaves a COMMON to a later link, which may know a larger one or a definition. The reference places it at once,
// so that its later link sees two definitions.
func (l *link) leaveCommon(y *symbol) bool {
	if !l.rel || !l.KeepSettledRelocs || y.CommonPlaced {
		return false
	}
	y.Sec, y.Value = 0, y.Align
	return true
}

// placeCommons places the COMMON variables that no initialised definition replaced behind everything else in .nv.global:
// the name whose first COMMON comes last is the first (observed).
func (l *link) placeCommons() {
	if l.globalSec == 0 {
		return
	}
	var commons []symID
	listed := map[symID]bool{}
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
