package link

import "github.com/culink/culink/linker/cubin"

// With a filter of kernels the reference looks at each input's user constants as one unit and, if its size is one of
// a few, merges it with an equal one that it has already. It then writes the place of the unit into symbol 0, and leaves
// the unit's symbols, and those of all units behind it, where they were without merging (observed with both toolkits). So merging
// leaves symbols that point to other constants or behind the bank, and kernels read something else: that is not done here. It is
// done at the end of the bank, behind the last unit that has a symbol which counts: copies of weak constants. All else
// keeps its place, and what shows is the null symbol's value.

// largestUnit is the size in bytes of the largest unit.
const largestUnit = 64

// unit is what makes two units equal.
type unit struct {
	size, align uint64
	bytes       [largestUnit]byte
}

// units are the units of a bank so far; nil where none are merged.
type units struct {
	places map[unit]uint64
	// tail is the part from which on no symbol counts.
	tail int
}

// unitsOf returns an empty set for a bank whose units are merged.
func (l *link) unitsOf(s *section) *units {
	if s.Kind != kindConstUser || !l.mergesUnits() || cubin.BankOf(plainName(s.Name)) != 3 {
		return nil
	}
	u := &units{places: map[unit]uint64{}, tail: len(s.Parts)}
	for u.tail > 0 && l.lostAll(&s.Parts[u.tail-1]) {
		u.tail--
	}
	return u
}

// lostAll reports whether all symbols of a contribution lost against others.
func (l *link) lostAll(p *part) bool {
	in := l.Inputs[p.In]
	for _, n := range l.variables(in).in(p.Sec) {
		if id := in.PlainSyms[n]; id != 0 && l.Syms[id].Def == in.ID {
			return false
		}
	}
	return true
}

// mergesUnits reports whether the link is one in which the reference looks for units.
func (l *link) mergesUnits() bool {
	return !l.rel && l.filtersConstants()
}

// filtersConstants reports whether a filter of kernels decides about user constants.
func (l *link) filtersConstants() bool { return !l.debugShared() && (l.filtered || l.FilterGiven) }

func unitOf(h *cubin.Section) unit {
	u := unit{size: h.Size, align: h.Addralign}
	copy(u.bytes[:], h.Data)
	return u
}

// enter notes the place of a section if it is a unit, and reports whether it is one.
func (u *units) enter(h *cubin.Section, at uint64) bool {
	if u == nil || !isUnit(h.Size, h.Addralign) {
		return false
	}
	key := unitOf(h)
	if _, ok := u.places[key]; !ok {
		u.places[key] = at
	}
	return true
}

// equal returns the place of an earlier unit that can stand for a part of the bank.
func (u *units) equal(part int, h *cubin.Section) (at uint64, ok bool) {
	if u == nil || part < u.tail || !isUnit(h.Size, h.Addralign) {
		return 0, false
	}
	at, ok = u.places[unitOf(h)]
	return at, ok
}

// isUnit reports whether the reference takes a section of user constants for a unit: sizes and alignments in bytes.
func isUnit(size, align uint64) bool {
	switch size {
	case 4, 8:
		return align == size
	case 12, 16, 20, 24, 32, 48, 64:
		return true
	}
	return false
}

// markUnits gives the null symbol the place of the last unit of user constants that was not merged, whatever a function's
// constants gave it.
func (l *link) markUnits() {
	if l.mem.hasUnit {
		l.mem.nullValue = l.mem.lastUnit
	}
}
