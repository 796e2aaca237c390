package link

import (
	"slices"

	"github.com/culink/culink/linker/nvinfo"
)

// barrierFlags is the number of barriers that the header of a function's code section states (ABI 7 objects).
func (l *link) barrierFlags(fn funcID) uint8 {
	text := l.Funcs[fn].Text
	if text == 0 || l.Funcs[fn].AliasOf != 0 {
		return 0
	}
	return uint8(l.textFlags(l.Secs[text]) >> 20 & 0x7f)
}

// textFlags are the sh_flags of the input's section that a code section comes from.
func (l *link) textFlags(s *section) uint64 {
	if len(s.Parts) == 0 || s.Parts[0].Sec == 0 {
		return 0
	}
	p := &s.Parts[0]
	return l.Inputs[p.In].File.Sections[p.Sec].Flags
}

// moveBarriers turns the barrier counts that ABI 7 objects keep in section flags into records, as ABI 8 has it: entries
// get the maximum of what they reach (observed).
func (f *infoForm) moveBarriers() {
	l := f.l
	for i := 1; i < len(l.Funcs); i++ {
		fn := funcID(i)
		if l.Funcs[i].Text == 0 || l.Funcs[i].AliasOf != 0 || l.Syms[l.Funcs[i].Sym].Index == 0 {
			continue
		}
		count := l.barrierFlags(fn)
		if l.Funcs[i].Entry {
			count = f.sums.of(fn).barriers
		}
		if count == 0 || !f.own[i].hasSection {
			continue
		}
		d := f.edit(fn)
		if at := slices.IndexFunc(d.add, func(r nvinfo.Record) bool { return r.Code == nvinfo.NumBarriers }); at >= 0 {
			d.add[at].Field = max(d.add[at].Field, uint16(count))
			continue
		}
		if f.own[i].has(tBarriers) {
			if l.Funcs[i].Entry {
				if !d.set[tBarriers] {
					d.set[tBarriers], d.value[tBarriers] = true, f.own[i].value(tBarriers)
				}
				d.value[tBarriers] = max(d.value[tBarriers], uint16(count))
			}
			continue
		}
		d.add = append(d.add, nvinfo.Record{Format: nvinfo.BVAL, Code: nvinfo.NumBarriers, Field: uint16(count)})
		l.attr.barriersMoved[i] = true
	}
}
