package fatbin

// Target is what a link asks of code: the rules of architecture.
type Target interface {
	// AcceptsCubin reports whether machine code for number and variant runs on the target, or is linked for it. entry is set when the
	// code comes from a container, which tells with compat whether it has what the newest pairs need.
	AcceptsCubin(number uint32, variant Variant, entry bool, compat bool) bool
	// AcceptsPTX reports whether PTX (or IR) for number and variant can be compiled for the target.
	AcceptsPTX(number uint32, variant Variant) bool
	// Is64 tells the width of addresses of the code that is wanted.
	Is64() bool
	// Old reports the rules of choice of CUDA 12: letters of PTX do not count, kinds that are not known are cubins, and of
	// equal cubins the last one wins (observed of 12.4; of 13.0 the first one).
	Old() bool
}

// class is how an entry competes.
type class uint8

const (
	classNone class = iota
	classIR         // for link-time optimisation: what is left when nothing else is acceptable
	classPTX
	classCubin
)

func (e *Entry) class(old bool) class {
	switch e.Kind {
	case KindIR:
		return classIR
	case KindPTX:
		return classPTX
	case KindCubin, KindCubin16:
		return classCubin
	}
	if old {
		return classCubin
	}
	return classNone
}

// rank orders acceptable entries: anything before IR, then the higher SM number, then cubins before PTX, then a before f before
// plain (observed).
type rank struct {
	number  uint32
	class   class
	variant uint8
}

func (r rank) compare(s rank) int {
	switch {
	case (r.class == classIR) != (s.class == classIR):
		return sign(s.class == classIR)
	case r.number != s.number:
		return sign(r.number > s.number)
	case r.class != s.class:
		return sign(r.class > s.class)
	case r.variant != s.variant:
		return sign(r.variant > s.variant)
	}
	return 0
}

func sign(more bool) int {
	if more {
		return 1
	}
	return -1
}

// variantRank is the place of a letter among entries of one number and kind.
func variantRank(v Variant) uint8 {
	switch v {
	case 'a':
		return 2
	case 'f':
		return 1
	}
	return 0
}

// Choose returns the entry that a link for t uses, nil if none is acceptable.
func (c *Container) Choose(t Target) *Entry {
	var best *Entry
	var bestRank rank
	for i := range c.Entries {
		e := &c.Entries[i]
		if (e.Flags&Flag64Bit != 0) != t.Is64() {
			continue
		}
		r := rank{e.Number, e.class(t.Old()), variantRank(e.Variant())}
		switch r.class {
		case classCubin:
			if !t.AcceptsCubin(e.Number, e.Variant(), true, e.Flags&FlagMercury != 0 && e.Compat() != nil) {
				continue
			}
		case classPTX, classIR:
			if !t.AcceptsPTX(e.Number, e.Variant()) {
				continue
			}
			if t.Old() {
				r.variant = 0
			}
		default:
			continue
		}
		laterWins := r.class != classCubin || t.Old()
		if best == nil || r.compare(bestRank) > 0 || laterWins && r == bestRank {
			best, bestRank = e, r
		}
	}
	return best
}
