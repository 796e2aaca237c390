package link

import "github.com/culink/culink/linker/cubin"

// With a filter of kernels the reference looks at each input's user constants as one unit and, if its size is one of
// a few, merges it with an equal one that it has already. It then writes the place of the unit into symbol 0 instead of
// the unit's symbols (observed with both toolkits). Merging leaves symbols that point behind the bank, so that kernels
// read something else: that is not done here. Units that have no equal keep their place, and all that shows is the null
// symbol's value.

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

// markUnits gives the null symbol the place of the last unit of user constants.
func (l *Link) markUnits() {
	if l.rel || l.Debug || !l.filtered && !l.FilterGiven || l.mem.nullValue != 0 {
		return
	}
	for _, s := range l.Secs[1:] {
		if s.Kind != KindConstUser || cubin.BankOf(plainName(s.Name)) != 3 {
			continue
		}
		for _, p := range s.Parts {
			if p.Sec == 0 {
				continue
			}
			if h := &l.Inputs[p.In].File.Sections[p.Sec]; isUnit(h.Size, h.Addralign) {
				l.mem.nullValue = p.Off
			}
		}
	}
}
