package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/nvinfo"
)

// infoEdit is what propagation does to the records of one function.
type infoEdit struct {
	set    [trackedCount]bool // records of the code get the new value or words
	drop   [trackedCount]bool // records of the code go away
	value  [trackedCount]uint16
	words  [2][]uint32 // symbol numbers in EXTERNS
	setCrs bool
	crs    uint32
	// setMask gives SPARSE_MMA_MASK a value.
	setMask bool
	mask    uint16
	// add are records that are appended.
	add []nvinfo.Record
}

// edit returns the changes of a function's records, to be filled.
func (f *infoForm) edit(fn funcID) *infoEdit {
	if f.edits[fn] == nil {
		f.edits[fn] = &infoEdit{}
	}
	return f.edits[fn]
}

// infoSum is what a function and all that it reaches have together.
type infoSum struct {
	reg      uint32
	mask     uint16
	barriers uint8 // of code section flags (ABI 7)
	// changeable: tracked belongs to this sum alone. Otherwise it is shared with the sum it was taken from.
	changeable bool
	tracked    *trackedSum
}

// trackedSum is the union of tracked attributes: maxima, first places, words in reading order.
type trackedSum struct {
	value [trackedCount]uint16
	first [trackedCount]readingPos
	words [2][]word
}

// first is where the first record of a code stands among what the sum covers, 0 if there is none.
func (s *infoSum) first(t tracked) readingPos {
	if s.tracked == nil {
		return 0
	}
	return s.tracked.first[t]
}

// propagateForm computes what entries take over from the functions that they reach.
func (f *infoForm) propagateForm() {
	l := f.l
	masks := f.completeMasks()
	f.sums = reachFold(l, f.ownSum, joinSums)
	f.spreadCrs()
	if masks != 0 {
		f.spreadMasks(masks)
	}
	if l.onlyEntry() {
		f.gatherAll(l.Entries[0])
	} else {
		f.spread()
		f.spreadToStubs()
	}
	if l.release.newAttributes && !f.merc {
		f.moveBarriers()
	}
}

// spreadCrs gives entries the deepest sum of CRS_STACK_SIZE over their call paths.
func (f *infoForm) spreadCrs() {
	l := f.l
	if !slices.ContainsFunc(f.own, func(o ownAttrs) bool { return o.hasCrs }) && !l.anyRecursive() {
		return
	}
	crs := l.deepest(func(fn funcID) uint32 { return f.own[fn].crs })
	for _, e := range l.Entries {
		d := f.edit(e)
		if o := &f.own[e]; o.hasCrs {
			d.setCrs, d.crs = true, crs[e]
		} else if crs[e] != 0 {
			d.add = append(d.add, nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.CrsStackSize, Payload: le.AppendUint32(nil, crs[e])})
		}
	}
}

// anyRecursive reports whether the stack of some entry has no bound.
func (l *link) anyRecursive() bool {
	return slices.ContainsFunc(l.Entries, func(e funcID) bool { return l.attr.stack[e] == recursive })
}

func (f *infoForm) ownSum(fn funcID, s *infoSum) {
	o := &f.own[fn]
	s.reg = max(s.reg, o.reg)
	s.mask |= o.mask
	s.barriers = max(s.barriers, f.l.barrierFlags(fn))
	if o.tracked != nil {
		sum := &trackedSum{value: o.tracked.value, first: o.tracked.first}
		for i := range sum.words {
			sum.words[i] = inOrder(o.tracked.words[i])
		}
		s.join(sum)
	}
}

func joinSums(into, from *infoSum) {
	into.reg = max(into.reg, from.reg)
	into.mask |= from.mask
	into.barriers = max(into.barriers, from.barriers)
	if from.tracked != nil {
		into.join(from.tracked)
	}
}

// join adds tracked attributes. Most functions add nothing to what they call, so sums are shared until they differ.
func (s *infoSum) join(from *trackedSum) {
	switch {
	case s.tracked == from:
		return
	case s.tracked == nil:
		s.tracked = from
		return
	case !s.changeable:
		clone := *s.tracked
		s.tracked, s.changeable = &clone, true
	}
	into := s.tracked
	for t := range trackedCount {
		into.value[t] = max(into.value[t], from.value[t])
		into.first[t] = earlier(into.first[t], from.first[t])
	}
	for i := range into.words {
		into.words[i] = joinWords(into.words[i], from.words[i])
	}
}

// spread gives each of several entries the attributes of what it reaches: its own records change in place, new ones
// follow in the reading order of their causes (observed).
func (f *infoForm) spread() {
	l := f.l
	sums, lasts := f.spreadCounts()
	var conflicts []ctaConflict
	for i, e := range l.Entries {
		f.spreadTo(e, sums[i], lasts[i], trackedCount)
		if at := f.sums.of(e).ctaConflict(&f.own[e]); at != 0 {
			conflicts = append(conflicts, ctaConflict{at, e})
		}
	}
	if f != l.attr.view() {
		return
	}
	slices.SortStableFunc(conflicts, func(a, b ctaConflict) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return int(l.Funcs[b.entry].Text - l.Funcs[a.entry].Text)
	})
	l.attr.ctaConflicts = conflicts
}

// spreadTo gives an entry the attributes before end, in the order of propagatedCodes, of what it
// reaches, and returns those that it had no record of. sum and last are what spreadCounts found for it.
func (f *infoForm) spreadTo(e funcID, sum uint16, last funcID, end tracked) (created []tracked) {
	o, d, s := &f.own[e], f.edit(e), f.sums.of(e)
	for t := range end {
		if s.first(t) == 0 {
			continue
		}
		switch t {
		case tMbarriers:
			d.value[t] = o.value(t) + sum
		case tReconfig:
			if o.has(t) {
				d.value[t] = o.tracked.firstValue[t]
			}
			if last != 0 {
				d.value[t] = d.value[t]&^0xff | f.own[last].value(t)
			}
		case tExterns, tFragments:
			k := wordList(t)
			d.words[k] = f.numbers(t, joinOwnFirst(o.words(t), s.tracked.words[k]))
		case tCtaInit, tBarriers:
			d.value[t] = s.tracked.value[t]
		}
		if o.has(t) {
			d.set[t] = true
		} else {
			created = append(created, t)
		}
	}
	slices.SortFunc(created, func(a, b tracked) int { return cmp.Compare(s.first(a), s.first(b)) })
	for _, t := range created {
		d.create(t)
	}
	return created
}

// spreadCounts adds NUM_MBARRIERS of each function once to every other entry that reaches it, and finds for each entry
// the other function with the last REG_RECONFIG that is not 0. Few functions have either, so each is traced back by itself.
func (f *infoForm) spreadCounts() (sums []uint16, lasts []funcID) {
	l := f.l
	sums, lasts = make([]uint16, len(l.Entries)), make([]funcID, len(l.Entries))
	for i := 1; i < len(f.own); i++ {
		o := &f.own[i]
		if !o.has(tMbarriers) && !o.has(tReconfig) {
			continue
		}
		for _, e := range l.entriesReachingAny([]funcID{funcID(i)}) {
			if e == funcID(i) {
				continue
			}
			at := l.graph.entryPos[e] - 1
			sums[at] += o.value(tMbarriers)
			if o.value(tReconfig) != 0 && (lasts[at] == 0 || f.own[lasts[at]].tracked.first[tReconfig] < o.tracked.first[tReconfig]) {
				lasts[at] = funcID(i)
			}
		}
	}
	return sums, lasts
}

// create appends a record of a tracked code, unless it is a list without words.
func (d *infoEdit) create(t tracked) {
	r := nvinfo.Record{Format: trackedFormats[t], Code: propagatedCodes[t]}
	switch t {
	case tExterns, tFragments:
		words := d.words[wordList(t)]
		if len(words) == 0 {
			return
		}
		for _, w := range words {
			r.Payload = le.AppendUint32(r.Payload, w)
		}
	case tCtaInit, tBarriers, tMbarriers, tReconfig:
		r.Field = d.value[t]
	}
	d.add = append(d.add, r)
}

// numbers turns words into what a record holds.
func (f *infoForm) numbers(t tracked, list []word) []uint32 {
	out := make([]uint32, len(list))
	for i, w := range list {
		out[i] = w.value
		if t == tExterns {
			out[i] = f.l.Syms[w.value].Index
		}
	}
	return out
}

// gatherAll gives an image's only entry the attributes of all functions of the image, reached or not (observed).
func (f *infoForm) gatherAll(e funcID) {
	o, d := &f.own[e], f.edit(e)
	var has [trackedCount]bool
	var lists [2][]word
	for i := range f.own {
		fn := f.own[i].tracked
		if fn == nil {
			continue
		}
		for t := range trackedCount {
			if fn.first[t] == 0 {
				continue
			}
			has[t] = true
			switch t {
			case tMbarriers:
				d.value[t] += fn.value[t]
			case tCtaInit, tBarriers:
				d.value[t] = max(d.value[t], fn.value[t])
			case tExterns, tFragments:
				lists[wordList(t)] = append(lists[wordList(t)], fn.words[wordList(t)]...)
			}
		}
	}
	// The entry's own values of these two stay.
	if o.has(tReconfig) {
		d.value[tReconfig] = o.tracked.firstValue[tReconfig]
	}
	if o.has(tCtaInit) {
		d.value[tCtaInit] = o.tracked.firstValue[tCtaInit]
	}
	for t := range trackedCount {
		if !has[t] {
			continue
		}
		switch t {
		case tBarriers, tMbarriers:
			if d.value[t] == 0 {
				continue // nothing is written, and an own record stays
			}
		case tExterns, tFragments:
			f.gatherWords(t, o, d, lists[wordList(t)])
			continue
		}
		if o.has(t) {
			d.set[t] = true
		} else {
			d.create(t)
		}
	}
}

// gatherWords decides the only entry's list: if nobody adds a word to it, it stays where and as it is; otherwise it is
// dropped and made anew behind the others, EXTERNS in reversed reading order (observed).
func (f *infoForm) gatherWords(t tracked, o *ownAttrs, d *infoEdit, list []word) {
	k := wordList(t)
	slices.SortFunc(list, func(a, b word) int { return cmp.Compare(a.at, b.at) })
	list = inOrder(list)
	if o.has(t) && len(list) == len(o.words(t)) {
		d.set[t] = true
		d.words[k] = f.numbers(t, o.words(t))
		return
	}
	if t == tExterns {
		slices.Reverse(list)
	}
	d.drop[t] = true
	d.words[k] = f.numbers(t, list)
	d.create(t)
}
