package link

import (
	"slices"

	"github.com/culink/culink/linker/diag"
)

// registers is the register count of an entry in the image: the greatest of those that it reaches, but its own if it
// reaches code that sets the count at run time (REG_RECONFIG); with a single entry any such function of the image counts
// (observed).
func (f *infoForm) registers(e funcID) uint32 {
	if f.frozen(e) {
		return f.own[e].reg
	}
	return f.sums.of(e).reg
}

func (f *infoForm) frozen(e funcID) bool {
	if !f.l.release.newAttributes {
		return false
	}
	return f.anyReconfig && (f.l.onlyEntry() || f.sums.of(e).first(tReconfig) != 0)
}

// raise is one step of the reference's walk over all functions, by code section, and for each over the entries that
// reach it, backwards: the function needs more registers than the entry has by then.
type raise struct {
	fn, entry funcID
	limit     uint16 // MAXREG_COUNT of the entry if the function exceeds it, else 0
}

// stair is the running maximum of register counts over functions in the order of their code sections; it has at most as
// many steps as there are register counts.
type stair []step

type step struct {
	text secID
	reg  uint32
	fn   funcID
}

// joinStairs merges two running maxima.
func joinStairs(a, b stair) stair {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make(stair, 0, len(a)+len(b))
	best := uint32(0)
	for len(a)+len(b) > 0 {
		var s step
		if len(b) == 0 || len(a) > 0 && a[0].text <= b[0].text {
			s, a = a[0], a[1:]
		} else {
			s, b = b[0], b[1:]
		}
		if s.reg > best {
			best = s.reg
			out = append(out, s)
		}
	}
	return out
}

// raises lists the steps that raise entries, in the reference's order: functions by code section, entries backwards.
func (f *infoForm) raises() []raise {
	l := f.l
	stairs := reachFold(l, func(fn funcID, into *stair) {
		if o := &f.own[fn]; o.reg != 0 && l.Funcs[fn].Text != 0 && l.Syms[l.Funcs[fn].Sym].Index != 0 {
			*into = joinStairs(*into, stair{{l.Funcs[fn].Text, o.reg, fn}})
		}
	}, func(into, from *stair) { *into = joinStairs(*into, *from) })
	var out []raise
	entries := l.Entries
	if l.release.stubsAreEntries {
		entries = l.stackEntries() // 12.4 raises stubs of unified functions, too (observed)
	}
	for _, e := range entries {
		if f.frozen(e) {
			continue
		}
		limit := f.own[e].limit
		for _, s := range *stairs.of(e) {
			if s.reg <= f.own[e].reg {
				continue
			}
			r := raise{fn: s.fn, entry: e}
			if limit != 0 && uint32(limit) < s.reg {
				r.limit = limit
			}
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b raise) int {
		if x, y := l.Funcs[a.fn].Text, l.Funcs[b.fn].Text; x != y {
			return int(x) - int(y)
		}
		return int(l.Funcs[b.entry].Text) - int(l.Funcs[a.entry].Text)
	})
	return out
}

// reportRaises says which entries exceed their register limits, and with -dump-callgraph every raise.
func (f *infoForm) reportRaises(names func(funcID) string) {
	l := f.l
	if names == nil && !f.limitExceeded() {
		return
	}
	for _, r := range f.raises() {
		fn, entry := &l.Syms[l.Funcs[r.fn].Sym], &l.Syms[l.Funcs[r.entry].Sym]
		if r.limit != 0 {
			l.Diag.Report(diag.RegisterLimit, entry.Name, r.limit, fn.Name, f.own[r.fn].reg)
		}
		if names != nil {
			l.Diag.Raw(registerLine(f.own[r.fn].reg, names(r.fn), names(r.entry)))
		}
	}
}

// limitExceeded reports whether some entry reaches a function with more registers than its limit.
func (f *infoForm) limitExceeded() bool {
	for _, e := range f.l.Entries {
		if limit := f.own[e].limit; limit != 0 && f.sums.of(e).reg > uint32(limit) {
			return true
		}
	}
	return false
}
