package link

import "math/bits"

// placeGroups overlays variables that no kernel needs at the same time: each joins the first group none of whose members
// has a kernel in common with it. Groups lie one behind the other, members at the group's start.
func (p *sharedPlan) placeGroups() {
	var groups []extent
	inGroups := make([]groupSet, len(p.own)) // per kernel
	groupOf := make([]int, len(p.grouped))
	for i := range p.grouped {
		v := &p.grouped[i]
		g := p.firstFree(v.entries, inGroups)
		if g == len(groups) {
			groups = append(groups, extent{align: 1})
		}
		groups[g].size, groups[g].align = max(groups[g].size, v.size), max(groups[g].align, v.align)
		groupOf[i] = g
		for _, e := range v.entries {
			p.l.sharedSection(p.l.Funcs[e].Text) // which a kernel that a filter rejects does not have yet
			inGroups[p.kernelAt[p.l.Funcs[e].Text]-1].add(g)
		}
	}
	at := p.l.sharedStart()
	starts := make([]uint64, len(groups))
	for i, g := range groups {
		starts[i] = alignUp(at, g.align)
		at = starts[i] + g.size
	}
	for i := range p.grouped {
		p.grouped[i].addr = starts[groupOf[i]]
	}
	if len(groups) > 0 {
		p.total = at
	}
}

// groupSet is the groups that have a variable which a kernel reaches.
type groupSet struct {
	bits []uint64
	// full is the number of words at the start that have all bits set.
	full int
}

func (s *groupSet) add(g int) {
	for len(s.bits) <= g/64 {
		s.bits = append(s.bits, 0)
	}
	s.bits[g/64] |= 1 << (g % 64)
	for s.full < len(s.bits) && s.bits[s.full] == ^uint64(0) {
		s.full++
	}
}

// firstFree is the number of the first group that none of the kernels is in.
func (p *sharedPlan) firstFree(entries []funcID, inGroups []groupSet) int {
	first := 0
	for _, e := range entries {
		first = max(first, inGroups[p.kernelAt[p.l.Funcs[e].Text]-1].full)
	}
	for word := first; ; word++ {
		taken := uint64(0)
		for _, e := range entries {
			if s := &inGroups[p.kernelAt[p.l.Funcs[e].Text]-1]; word < len(s.bits) {
				taken |= s.bits[word]
			}
		}
		if taken != ^uint64(0) {
			return 64*word + bits.TrailingZeros64(^taken)
		}
	}
}
