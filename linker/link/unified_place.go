package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/uidx"
)

// refusal is a message that will end the link, once the warnings that stand before it are out.
type refusal struct {
	id   diag.ID
	args []any
}

func refuse(id diag.ID, args ...any) *refusal { return &refusal{id, args} }

// refuseUnified ends an executable link with unified functions or variables and no index file (observed).
func (l *link) refuseUnified() *refusal {
	if l.rel {
		return nil
	}
	for _, in := range l.Inputs {
		for _, i := range in.tables {
			switch in.File.Sections[i].Type {
			case cubin.SHTCudaUFT, cubin.SHTCudaUFTEntry, cubin.SHTCudaUDT, cubin.SHTCudaUDTEntry:
				return refuse(diag.UnifiedWithoutIndex)
			}
		}
	}
	return nil
}

// placeUnified moves stubs and variables of an executable to their places in the tables. The two checks of windows differ:
// that of functions is against the joined stubs, that of variables against the end of the last one placed (observed).
func (l *link) placeUnified() *refusal {
	if l.rel || l.Index == nil {
		return l.refuseUnified()
	}
	if l.uft != 0 {
		if err := l.placeStubs(&l.Index.Functions); err != nil {
			return err
		}
	}
	if l.udt = l.singles[udtSection]; l.udt != 0 {
		return l.placeVariables(&l.Index.Variables)
	}
	return nil
}

// look finds the place of each entry in the index. Of several entries with one id the last one counts; they must be of one
// symbol, as those of weak definitions in several files are. (nvlink 13.0 takes others, too, and gives one of them no
// place; 12.4 refuses all.)
func (l *link) look(entries []unifiedEntry, t *uidx.Table) *refusal {
	byID := make(map[uidx.ID]int, len(entries))
	similar := make(map[uint64]bool, len(entries)) // the reference looks ids up by a hash first
	for i := range entries {
		e := &entries[i]
		if k, ok := byID[e.id]; ok {
			if entries[k].sym != e.sym {
				return refuse(diag.SharedUuid, l.Syms[entries[k].sym].Name, l.Syms[e.sym].Name)
			}
			entries[k].sharedBy = i
		}
		byID[e.id] = i
		similar[e.id[0]^e.id[1]] = true
	}
	for i := range t.Records {
		r := &t.Records[i]
		k, ok := byID[r.ID]
		switch {
		case !ok && similar[r.ID[0]^r.ID[1]]:
			return refuse(diag.NoMatchingUuid)
		case !ok:
			return refuse(diag.NoSuchUuid)
		case entries[k].placed:
			return refuse(diag.UuidTwice)
		}
		entries[k].placed, entries[k].offset = true, r.Offset
	}
	for i := range entries {
		if e := &entries[i]; !e.placed && e.sharedBy < 0 {
			return refuse(diag.NotIndexed, l.Syms[e.sym].Name)
		}
	}
	return nil
}

// unifiedSpan is a place in a table.
type unifiedSpan struct {
	offset, size uint64
	sym          symID
}

// checkSpans refuses places that overlap or reach beyond the window.
func (l *link) checkSpans(spans []unifiedSpan, window uint64) *refusal {
	slices.SortFunc(spans, func(a, b unifiedSpan) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.size, b.size))
	})
	end := uint64(0)
	for _, s := range spans {
		if s.offset < end || s.offset > window || s.size > window-s.offset {
			return refuse(diag.WrongSlot, l.Syms[s.sym].Name, s.offset)
		}
		end = s.offset + s.size
	}
	return nil
}

// tableStub is a stub of the function table.
type tableStub struct {
	sym  symID
	part int // position among the table's contributions
	used bool
}

// placeStubs gives each stub the slot of its function.
func (l *link) placeStubs(t *uidx.Table) *refusal {
	s := l.Secs[l.uft]
	if s.Size != t.Window {
		return refuse(diag.FunctionWindow)
	}
	table := l.Secs[l.singles[uftEntrySection]]
	entries := l.unifiedEntries(table)
	stubs := l.matchStubs(s, entries)
	if err := l.look(entries, t); err != nil {
		return err
	}
	for i := range stubs {
		if !stubs[i].used {
			return refuse(diag.NotIndexed, l.Syms[stubs[i].sym].Name)
		}
	}
	spans := make([]unifiedSpan, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		if e.stub < 0 {
			return refuse(diag.MalformedInput, l.fileName(e.in), fmt.Sprintf("unified function %q has no stub", l.Syms[e.sym].Name))
		}
		if e.placed {
			p := &s.Parts[stubs[e.stub].part]
			spans = append(spans, unifiedSpan{e.offset, l.Inputs[p.In].File.Sections[max(p.Sec, p.Merc)].Size, stubs[e.stub].sym})
		}
	}
	if l.Mercury {
		for i := range spans {
			spans[i].size = unifiedSlot
		}
	}
	if err := l.checkSpans(spans, t.Window); err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		stub := &stubs[e.stub]
		if !e.placed {
			l.Syms[stub.sym].Value = entries[l.lastOf(entries, i)].offset
			l.dropPart(&s.Parts[stub.part])
			continue
		}
		l.Syms[stub.sym].Value = e.offset
		p := &s.Parts[stub.part]
		in := l.Inputs[p.In]
		p.Off = e.offset
		for _, index := range []int32{p.Sec, p.Merc} {
			if index != 0 {
				in.Secs[index].Off = e.offset
			}
		}
		if p.Sec != 0 {
			l.copyTo(s, false, p.Off, in.File.Sections[p.Sec].Data)
		}
	}
	s.Size = tableEnd(spans)
	l.mem.unified[0] = entries
	return nil
}

// lastOf is the entry that has the place of entry i.
func (l *link) lastOf(entries []unifiedEntry, i int) int {
	for entries[i].sharedBy >= 0 {
		i = entries[i].sharedBy
	}
	return i
}

// dropPart leaves a contribution out of the image, with what patches it.
func (l *link) dropPart(p *part) {
	for _, index := range []int32{p.Sec, p.Merc} {
		if index != 0 {
			l.Inputs[p.In].Secs[index].Dead = true
		}
	}
}

func tableEnd(spans []unifiedSpan) uint64 {
	if len(spans) == 0 {
		return 0
	}
	last := &spans[len(spans)-1]
	return last.offset + last.size
}

// matchStubs finds the stub of each entry: the one with the function's name in the same input, the first of those that no
// earlier entry has.
func (l *link) matchStubs(s *section, entries []unifiedEntry) []tableStub {
	type place struct {
		in    fileID
		index int32
	}
	type name struct {
		in   fileID
		name string
	}
	parts := make(map[place]int, len(s.Parts))
	for i := range s.Parts {
		p := &s.Parts[i]
		index := p.Sec
		if l.Mercury && p.Merc != 0 {
			index = p.Merc
		}
		parts[place{p.In, index}] = i
	}
	var stubs []tableStub
	byName := map[name][]int{}
	for i := 1; i < len(l.Funcs); i++ {
		y := &l.Syms[l.Funcs[i].Sym]
		if y.Sec != l.uft || y.Def < 0 {
			continue
		}
		if part, ok := parts[place{y.Def, int32(y.Shndx)}]; ok {
			k := name{y.Def, y.Name}
			byName[k] = append(byName[k], len(stubs))
			stubs = append(stubs, tableStub{sym: l.Funcs[i].Sym, part: part})
		}
	}
	for i := range entries {
		k := name{entries[i].in, stubPrefix + l.Syms[entries[i].sym].Name}
		if free := byName[k]; len(free) > 0 {
			entries[i].stub, stubs[free[0]].used = free[0], true
			byName[k] = free[1:]
		}
	}
	return stubs
}

// placeVariables moves each variable to its place.
func (l *link) placeVariables(t *uidx.Table) *refusal {
	s := l.Secs[l.udt]
	entries := l.unifiedEntries(l.Secs[l.singles[udtEntrySection]])
	if err := l.look(entries, t); err != nil {
		return err
	}
	var spans []unifiedSpan
	end := uint64(0)
	for i := range entries {
		e := &entries[i]
		y := &l.Syms[e.sym]
		if y.Sec != l.udt || y.Def < 0 {
			return refuse(diag.MalformedInput, l.fileName(e.in), fmt.Sprintf("unified variable %q is not in %s", y.Name, udtSection))
		}
		if e.placed {
			spans = append(spans, unifiedSpan{e.offset, y.Size, e.sym})
			end = max(end, e.offset+y.Size)
		}
	}
	if end != t.Window {
		return refuse(diag.DataWindow)
	}
	if err := l.checkSpans(spans, t.Window); err != nil {
		return err
	}
	if end > s.Size && end-s.Size > l.gapLimit() {
		return refuse(diag.UnsupportedInput, l.fileName(0), fmt.Sprintf("the index file asks for %#x bytes between unified variables", end-s.Size))
	}
	s.Size = end
	if l.Mercury {
		s.MercSize = end
	}
	for i := range entries {
		if e := &entries[i]; e.placed {
			l.moveVariable(s, &l.Syms[e.sym], e.offset)
		}
	}
	l.mem.unified[1] = entries
	return nil
}

// moveVariable copies a variable's bytes, in both forms, to its place.
func (l *link) moveVariable(s *section, y *symbol, offset uint64) {
	in := l.Inputs[y.Def]
	from := y.Value - in.Secs[y.Shndx].Off
	plain, twin := in.forms(int32(y.Shndx))
	for i, index := range []int32{plain, twin} {
		if index == 0 {
			continue
		}
		if d := in.File.Sections[index].Data; from <= uint64(len(d)) {
			l.copyTo(s, i == 1, offset, d[from:min(from+y.Size, uint64(len(d)))])
		}
	}
	y.Value = offset
}
