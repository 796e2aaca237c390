package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// stubRecord is a record that a stub took over, with the place of its first cause.
type stubRecord struct {
	at  readingPos
	rec nvinfo.Record
}

// spreadToStubs gives stubs of unified functions what they reach: they are entries of an image that has no kernel, or
// several; but lists of functions and fragments stay away from them. All stubs have one section, where the records stand in the
// reading order of their causes (observed).
func (f *infoForm) spreadToStubs() {
	l := f.l
	if l.uft == 0 {
		return
	}
	sums := f.stubBarriers()
	for _, e := range l.stubs() {
		created := f.spreadTo(e, sums[e], 0, tExterns)
		d, s := f.edit(e), f.sums.of(e)
		records := d.add[len(d.add)-len(created):]
		for i, t := range created {
			f.stubs = append(f.stubs, stubRecord{s.first(t), records[i]})
		}
		d.add = d.add[:len(d.add)-len(created)]
	}
	slices.SortStableFunc(f.stubs, func(a, b stubRecord) int { return cmp.Compare(a.at, b.at) })
}

// stubBarriers adds NUM_MBARRIERS of each function to every stub that reaches it.
func (f *infoForm) stubBarriers() map[funcID]uint16 {
	l := f.l
	sums := map[funcID]uint16{}
	for i := 1; i < len(f.own); i++ {
		o := &f.own[i]
		if !o.has(tMbarriers) {
			continue
		}
		for _, e := range l.callersOf(funcID(i)) {
			if e != funcID(i) && l.isStub(&l.Syms[l.Funcs[e].Sym]) {
				sums[e] += o.value(tMbarriers)
			}
		}
	}
	return sums
}

// appendStubs adds to the records of all stubs of an executable what they took over, and their masks. The compiler's
// records count as the first stub's: 12.4 gives each other stub that is an entry a mask of its own; 13.0, whose compiler
// gives stubs none, one to all (observed).
func (f *infoForm) appendStubs(out []nvinfo.Record) []nvinfo.Record {
	l := f.l
	masked := false
	for i := range f.stubs {
		out = append(out, f.stubs[i].rec)
	}
	for _, e := range l.stubs() {
		masked = masked || f.own[e].hasMask
		if d := f.edits[e]; d != nil {
			out = append(out, d.add...)
		}
	}
	if !masked && !l.release.stubsAreEntries {
		out = append(out, nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.SparseMmaMask})
	}
	return out
}

// completeStubMasks gives 12.4's stubs but the first, which holds the records of all, the mask of a function without one,
// unless the only entry speaks for them and no other function lacks a mask. masks is the number of functions that have one (observed).
func (f *infoForm) completeStubMasks(masks int) int {
	l := f.l
	if !l.release.stubsAreEntries || l.uft == 0 {
		return masks
	}
	var without []funcID
	for _, e := range l.stubs() {
		if !f.own[e].hasMask {
			without = append(without, e)
		}
	}
	masks += len(without)
	if l.onlyEntry() && masks == l.functionSymbols() {
		return masks
	}
	for _, e := range without {
		f.own[e].mask = noMask
		d := f.edit(e)
		d.add = append(d.add, nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.SparseMmaMask, Field: noMask})
	}
	return masks
}

// appendStubRegisters adds register counts of stubs that are entries, which 12.4 states behind the stack sizes (observed).
func (f *infoForm) appendStubRegisters(out []nvinfo.Record) []nvinfo.Record {
	l := f.l
	if !l.release.stubsAreEntries || l.uft == 0 || l.onlyEntry() {
		return out
	}
	for _, e := range l.stubs() {
		payload := le.AppendUint32(le.AppendUint32(nil, l.Syms[l.Funcs[e].Sym].Index), f.registers(e))
		out = append(out, nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.Regcount, Payload: payload})
	}
	return out
}

// stubHeader gives the table of unified functions the barriers that its stubs reach, where headers state them: 12.4, for
// stubs that are entries (observed).
func (l *link) stubHeader() {
	if !l.release.stubsAreEntries || l.uft == 0 || l.rel || l.onlyEntry() {
		return
	}
	count := uint64(0)
	for _, e := range l.stubs() {
		count = max(count, uint64(l.attr.plain.sums.of(e).barriers))
	}
	l.Secs[l.uft].ExtraFlags |= count << cubin.BarrierShift
}
