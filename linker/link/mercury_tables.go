package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// movedTable are the entries of a device function's jump tables, which an executable keeps in every kernel that reaches
// the function.
type movedTable struct {
	fn      funcID
	file    fileID // the input that gives the function, and the tables there: the order of merging
	tables  int32
	entries []outRel
}

// movedTables gives the kernels the entries of the jump tables that layout put into their compiler constants. In a kernel's
// list, which is then reversed as a whole, its functions' entries stand in the order of merging, before its own (observed).
func (t *twinRelocator) movedTables() error {
	l := t.l
	if len(l.FuncConsts) == 0 {
		return nil
	}
	rela := make([]*section, len(l.Secs)) // by the kernel's code section
	for _, s := range l.Secs[1:] {
		if s.Kind == kindRela && s.Target != 0 && l.Secs[s.Target].Kind == kindConstFunc {
			rela[l.Secs[s.Target].Owner] = s
		}
	}
	inputs := make([]*tableIndex, len(l.Inputs))
	tables := make([]movedTable, 0, len(l.FuncConsts))
	for i := range l.FuncConsts {
		table, err := t.movedTable(&l.FuncConsts[i], inputs)
		if err != nil {
			return err
		}
		slices.Reverse(table.entries)
		tables = append(tables, table)
	}
	slices.SortStableFunc(tables, func(a, b movedTable) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.tables, b.tables))
	})
	for i := range slices.Backward(tables) {
		table := &tables[i]
		for _, kernel := range l.entriesReaching(table.fn) {
			if s := rela[l.Funcs[kernel].Text]; s != nil {
				s.MercRels = append(s.MercRels, table.entries...)
			}
		}
	}
	return nil
}

// movedTable lists a function's entries in reading order: those of the copy that counts, one table after the other, then
// those of the other copies.
func (t *twinRelocator) movedTable(fc *funcConst, inputs []*tableIndex) (movedTable, error) {
	l := t.l
	text := l.Secs[fc.Owner]
	m := movedTable{fn: l.Syms[text.Fn].Func, file: noFile}
	capsule := int32(0)
	if len(text.Parts) > 0 {
		m.file, capsule = text.Parts[0].In, text.Parts[0].Merc
	}
	winner := func(p *part) bool {
		return p.In == m.file && int32(l.Inputs[p.In].File.Sections[p.Merc].TextIndex()) == capsule
	}
	end := uint64(0) // of all copies
	for i := range fc.Parts {
		p := &fc.Parts[i]
		end = max(end, l.Inputs[p.In].Secs[p.Sec].Off+l.copySize(fc.Owner, p))
	}
	for _, wanted := range []bool{true, false} {
		for i := range fc.Parts {
			p := &fc.Parts[i]
			if p.Merc == 0 || winner(p) != wanted {
				continue
			}
			if wanted {
				m.tables = p.Merc
			}
			if inputs[p.In] == nil {
				inputs[p.In] = indexTables(l.Inputs[p.In])
			}
			if err := t.tableEntries(&m, p, inputs[p.In], wanted, end); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

// tableEntries adds the entries of one copy. Those of the copy that counts are taken table by table in ascending order. Behind
// its tables are those of losing copies that a relocatable link joined: their entries go, unless bytes of other copies now stand in their
// place, up to end (observed).
func (t *twinRelocator) tableEntries(m *movedTable, p *part, index *tableIndex, byTable bool, end uint64) error {
	in := t.l.Inputs[p.In]
	rel := &in.File.Sections[index.rela[p.Merc]]
	size := in.File.Sections[p.Merc].Size
	place := in.Secs[p.Merc].Off
	units := index.units[p.Merc]
	start := len(m.entries)
	var unit []int // of each entry
	for i := range rel.NumRels() {
		r := rel.RelAt(i)
		if int(r.Sym) >= len(in.Syms) || r.Offset >= size {
			return &relocationError{id: diag.MalformedInput, file: in.Name, section: rel.Name, offset: r.Offset,
				problem: "its place or its symbol does not exist"}
		}
		sym := t.l.aliasOwner(in.Syms[r.Sym])
		if t.l.Syms[sym].Index == 0 {
			continue
		}
		if byTable {
			n := tableAt(units, r.Offset)
			if n < 0 {
				if place+r.Offset >= end {
					continue
				}
				n = len(units)
			}
			unit = append(unit, n)
		}
		m.entries = append(m.entries, outRel{Offset: place + r.Offset, Sym: sym, Type: uint32(reloc.Plain(reloc.Type(r.Type))), Addend: r.Addend})
	}
	if byTable {
		sortByUnit(m.entries[start:], unit)
	}
	return nil
}

// tableTarget is a place in a function as Mercury counts it.
type tableTarget struct {
	fn     symID
	addend int64
}

// fillLosingTables gives the plain jump tables of copies that lost, which layout left empty, the places in the code that
// counts: of those targets that a table of that code has, too, by their places as Mercury counts them (observed).
func (l *link) fillLosingTables() {
	for _, s := range l.Secs[1:] {
		if s.Kind == kindRela && s.Target != 0 && l.Secs[s.Target].Kind == kindConstFunc {
			fillEmptyPlaces(l.Secs[s.Target].Data, s.MercRels)
		}
	}
}

// fillEmptyPlaces fills the places of entries that are 0 with those of others that have the same target.
func fillEmptyPlaces(bank []byte, entries []outRel) {
	var empty []*outRel
	for i := range entries {
		r := &entries[i]
		if reloc.Type(r.Type) == reloc.MercuryProgRel32 && r.Offset+4 <= uint64(len(bank)) && le.Uint32(bank[r.Offset:]) == 0 {
			empty = append(empty, r)
		}
	}
	if empty == nil {
		return
	}
	places := map[tableTarget]uint32{}
	for i := range entries {
		if r := &entries[i]; r.Offset+4 <= uint64(len(bank)) {
			if place := le.Uint32(bank[r.Offset:]); place != 0 {
				places[tableTarget{r.Sym, r.Addend}] = place
			}
		}
	}
	for _, r := range empty {
		le.PutUint32(bank[r.Offset:], places[tableTarget{r.Sym, r.Addend}])
	}
}

// tableAt returns the number of the table that an offset lies in, -1 if there is none.
func tableAt(units []span64, off uint64) int {
	n, found := slices.BinarySearchFunc(units, off, func(u span64, off uint64) int { return cmp.Compare(u.start, off) })
	if !found {
		n--
	}
	if n < 0 || off >= units[n].end {
		return -1
	}
	return n
}

// sortByUnit sorts entries by the table that they lie in and keeps their order inside a table.
func sortByUnit(entries []outRel, unit []int) {
	if slices.IsSorted(unit) {
		return
	}
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(unit[a], unit[b]) })
	sorted := make([]outRel, len(entries))
	for i, k := range order {
		sorted[i] = entries[k]
	}
	copy(entries, sorted)
}

// tableIndex relates the Mercury sections of an input.
type tableIndex struct {
	rela  []int32            // the relocation section of each section, 0 if none
	units map[int32][]span64 // the single tables of each section of compiler constants, ascending
}

func indexTables(in *input) *tableIndex {
	x := &tableIndex{rela: make([]int32, len(in.File.Sections)), units: map[int32][]span64{}}
	for i := range in.File.Sections {
		if s := &in.File.Sections[i]; s.Type == cubin.SHTMercRela {
			x.rela[s.TextIndex()] = int32(i)
		}
	}
	for i := range in.File.MercSymbols {
		y := &in.File.MercSymbols[i]
		if y.Shndx < cubin.SHNLoRes && y.Type() == cubin.STTCudaObject && in.File.Sections[y.Shndx].Type == cubin.SHTMercOptimizer {
			x.units[int32(y.Shndx)] = append(x.units[int32(y.Shndx)], span64{y.Value, y.Value + y.Size})
		}
	}
	for _, u := range x.units {
		slices.SortFunc(u, func(a, b span64) int { return cmp.Compare(a.start, b.start) })
	}
	return x
}
