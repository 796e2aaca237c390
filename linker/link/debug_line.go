package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/dwarf"
)

// rebuildLines writes .debug_line and .nv_debug_line_sass anew before anything else is relocated, since .debug_info refers
// to the places of units.
func (r *relocator) rebuildLines() error {
	if !r.l.Mercury {
		return nil
	}
	r.lines = map[secID]*rebuilt{}
	for i := range r.targets {
		t := &r.targets[i]
		if t.sec.Kind != kindDebug || !isLineSection(t.sec.Name) {
			continue
		}
		p := &patcher{relocator: r, t: t, sec: t.sec}
		if err := p.rebuildUnits(); err != nil {
			return err
		}
		r.lines[t.sec.ID] = p.moved
	}
	return nil
}

// sequence is the line program of one function.
type sequence struct {
	from, to uint64
	index    uint32 // symbol number
	aliased  bool
	form     []byte // in the twin, if it is aliased
	length   uint64 // of the code that the last row ends; 0: as the compiler wrote it
}

// rebuildUnits puts the sequences of each unit into the order of their functions' symbol numbers, leaves out those of
// functions that are not in the image, and corrects unit_length (observed).
func (p *patcher) rebuildUnits() error {
	p.moved = &rebuilt{parts: make([]rebuiltPart, len(p.sec.Parts))}
	out := make([]byte, 0, len(p.sec.Data))
	var addrs []codeAddress
	var seqs []sequence
	rels := p.t.parts
	for i, part := range p.sec.Parts {
		b := &p.moved.parts[i]
		*b = rebuiltPart{in: part.In, sec: part.Sec}
		if part.Sec == 0 {
			continue
		}
		in := p.l.Inputs[part.In]
		data := in.File.Sections[part.Sec].Data
		addrs, rels = p.addresses(in, part.Sec, rels, addrs[:0])
		names := p.sec.Name == ".debug_line" && namesMove(in, rels)
		rest := addrs
		for u := uint64(0); u < uint64(len(data)); {
			end, problem := dwarf.UnitEnd(data, u)
			if problem != "" {
				return malformedDebug(in, part.Sec, u, problem)
			}
			n := 0
			for n < len(rest) && rest[n].off < end {
				n++
			}
			var head uint64
			head, seqs = p.sequences(in, &part, rest[:n], u, end, seqs[:0])
			rest = rest[n:]
			at := uint64(len(out))
			b.spans = append(b.spans, span{u, head, at})
			out = append(out, data[u:head]...)
			if names {
				p.moveNames(in, data[u:end], out[at:])
			}
			for _, s := range seqs {
				b.spans = append(b.spans, span{s.from, s.to, uint64(len(out))})
				out = append(out, s.bytes(data, dwarf.SpecialsOf(data[u:]))...)
			}
			dwarf.SetUnitLength(out[at:])
			u = end
		}
		slices.SortFunc(b.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	p.sec.Data, p.sec.Size = out, uint64(len(out))
	return nil
}

// sequences lists what stays of a unit's sequences in the order in which the image has them, and where the first begins.
// Each begins with DW_LNE_set_address, whose operand has the entry.
func (p *patcher) sequences(in *input, part *part, addrs []codeAddress, u, end uint64, buf []sequence) (head uint64, seqs []sequence) {
	head = end
	from := func(a *codeAddress) uint64 {
		return max(a.off, dwarf.FirstSequence(u)+dwarf.SetAddress) - dwarf.SetAddress
	}
	for i := range addrs {
		a := &addrs[i]
		if i == 0 {
			head = from(a)
		}
		to := end
		if i+1 < len(addrs) {
			to = from(&addrs[i+1])
		}
		if a.gone || to <= from(a) {
			continue
		}
		s := sequence{from: from(a), to: to, index: p.l.Syms[a.sym].Index, aliased: p.aliased(a.sym)}
		if s.aliased {
			s.form = p.mercuryForm(in, part, a)
		}
		if p.isPlacedStub(a.sym) {
			if s.aliased = p.l.Syms[a.sym].Value != 0; !s.aliased {
				s.length = p.l.Secs[p.l.uft].Size
			}
		}
		buf = append(buf, s)
	}
	slices.SortStableFunc(buf, func(a, b sequence) int { return int(int64(a.index) - int64(b.index)) })
	return head, buf
}

// bytes are the sequence as the image has it: that of a function in the Mercury form, which form is, is written anew.
func (s *sequence) bytes(data []byte, special dwarf.Specials) []byte {
	seq := data[s.from:s.to]
	switch {
	case s.length != 0:
		return dwarf.WithLength(seq, unifiedSlot, s.length)
	case !s.aliased:
		return seq
	case s.form != nil:
		seq = s.form
	}
	return dwarf.RewriteRows(seq, special)
}

// mercuryForm is the sequence of a function in the twin of a contribution, nil if there is none.
func (p *patcher) mercuryForm(in *input, part *part, a *codeAddress) []byte {
	if part.Merc == 0 || int(a.num) >= len(in.File.MercSymbols) {
		return nil
	}
	data := in.File.Sections[part.Merc].Data
	to, at := uint64(len(data)), uint64(0)
	var offsets []uint64
	for i := range in.File.Sections {
		h := &in.File.Sections[i]
		if h.Type != cubin.SHTMercRela || int32(h.TextIndex()) != part.Merc {
			continue
		}
		for j := range h.NumRels() {
			r := h.RelAt(j)
			if int(r.Sym) < len(in.File.MercSymbols) && in.File.MercSymbols[r.Sym].Type() == cubin.STTFunc && r.Offset >= dwarf.SetAddress {
				offsets = append(offsets, r.Offset)
				if r.Sym == a.num {
					at = r.Offset
				}
			}
		}
	}
	if at == 0 {
		return nil
	}
	for u := uint64(0); u < uint64(len(data)); {
		end, problem := dwarf.UnitEnd(data, u)
		if problem != "" {
			return nil
		}
		if at < end {
			to = end
			break
		}
		u = end
	}
	for _, o := range offsets {
		if o > at {
			to = min(to, o-dwarf.SetAddress)
		}
	}
	if at-dwarf.SetAddress >= to {
		return nil
	}
	return data[at-dwarf.SetAddress : to]
}

// namesMove reports whether the input's twin has an entry against .debug_str for .debug_line: the offset of the names of a
// unit with inlined functions. The plain section has no entry for it (observed).
func namesMove(in *input, parts []part) bool {
	for i := 0; i < len(parts) && parts[i].In == in.ID; i++ {
		if parts[i].Merc == 0 {
			continue
		}
		h := &in.File.Sections[parts[i].Merc]
		if h.Name != ".nv.merc.rela.debug_line" {
			continue
		}
		for j := range h.NumRels() {
			if r := h.RelAt(j); int(r.Sym) < len(in.File.MercSymbols) {
				switch in.File.MercSymbols[r.Sym].Name {
				case ".debug_str", ".nv.merc.debug_str":
					return true
				}
			}
		}
	}
	return false
}

// moveNames adds the place of the input's part of .debug_str to the field of dwarf.NamesField.
func (p *patcher) moveNames(in *input, unit, out []byte) {
	at := dwarf.NamesField(unit)
	own := in.File.Find(".debug_str")
	if at == 0 || own == 0 || at+4 > len(out) {
		return
	}
	le.PutUint32(out[at:], le.Uint32(unit[at:])+uint32(in.Secs[own].Off))
}
