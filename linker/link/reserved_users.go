package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// nullName stands in messages for a function that is not in the image.
const nullName = "(null)"

// reservedUsers names the functions that use the reserved shared memory which --disable-smem-reservation takes away: one for
// each record that says so. The reference keeps one list of records with the newest first, and what entries take over
// from the functions that they reach is newer than all that was read: that stands before it in reverse of the order of making,
// which is that of the causes. A removed function's record counts, too, but has no name any more (observed).
func (f *infoForm) reservedUsers() []string {
	type use struct {
		at   readingPos
		name string
		text secID
	}
	var made, read []use
	l := f.l
	for fn := range f.own {
		o := &f.own[fn]
		if o.has(tReservedSmem) {
			read = append(read, use{at: o.tracked.first[tReservedSmem], name: l.Syms[l.Funcs[fn].Sym].Name})
		}
		if d := f.edits[fn]; d != nil && slices.ContainsFunc(d.add, isReservedUse) {
			text := l.Funcs[fn].Text
			made = append(made, use{f.sums.of(funcID(fn)).first(tReservedSmem), l.Secs[text].functionName(), text})
		}
	}
	for _, in := range l.Inputs {
		for i := range in.Secs {
			sec := &in.Secs[i]
			if sec.Dead && sec.kind == kindInfoFunc && sec.Type != cubin.SHTNull && sec.Lost == notLost {
				p := infoPart{in, int32(i), in.File.Sections[i].Data}
				for r := nvinfo.Read(p.data); r.Next(); {
					if isReservedUse(r.Record) {
						read = append(read, use{at: p.at(r.Offset), name: nullName})
					}
				}
			}
		}
	}
	slices.SortFunc(made, func(a, b use) int {
		if a.at != b.at {
			return cmp.Compare(b.at, a.at)
		}
		return int(a.text - b.text)
	})
	slices.SortFunc(read, func(a, b use) int { return cmp.Compare(a.at, b.at) })
	var names []string
	for _, u := range append(made, read...) {
		names = append(names, u.name)
	}
	return names
}

func isReservedUse(r nvinfo.Record) bool { return r.Code == nvinfo.ReservedSmemUsed }
