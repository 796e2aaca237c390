package link

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// Sizes in a line unit (DWARF 2, 32-bit form): unit_length, version, header_length, then five fields, the last of which is
// opcode_base.
const (
	lineHead       = 4  // unit_length itself
	lineBase       = 12 // offset of line_base
	lineRange      = 13 // offset of line_range
	lineOpcodeBase = 14 // offset of opcode_base
	lineSetAddress = 3  // bytes of DW_LNE_set_address before its operand
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
			end, problem := lineUnit(data, u)
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
				out = append(out, s.bytes(data, specialsOf(data[u:]))...)
			}
			le.PutUint32(out[at:], uint32(uint64(len(out))-at-lineHead))
			u = end
		}
		slices.SortFunc(b.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	p.sec.Data, p.sec.Size = out, uint64(len(out))
	return nil
}

// lineUnit finds the end of the unit at u, or says what is wrong with it.
func lineUnit(data []byte, u uint64) (end uint64, problem string) {
	if uint64(len(data))-u <= lineOpcodeBase {
		return 0, "a line unit is cut off"
	}
	n := uint64(le.Uint32(data[u:]))
	switch {
	case n >= 0xfffffff0:
		return 0, "a line unit is not in the 32-bit form of DWARF"
	case n > uint64(len(data))-u-lineHead:
		return 0, "a line unit reaches past the end of its section"
	case n+lineHead <= lineOpcodeBase:
		return 0, "a line unit is too short"
	}
	return u + lineHead + n, ""
}

// sequences lists what stays of a unit's sequences in the order in which the image has them, and where the first begins.
// Each begins with DW_LNE_set_address, whose operand has the entry.
func (p *patcher) sequences(in *input, part *part, addrs []codeAddress, u, end uint64, buf []sequence) (head uint64, seqs []sequence) {
	head = end
	from := func(a *codeAddress) uint64 { return max(a.off, u+lineOpcodeBase+1+lineSetAddress) - lineSetAddress }
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
func (s *sequence) bytes(data []byte, special specials) []byte {
	seq := data[s.from:s.to]
	switch {
	case s.length != 0:
		return withLength(seq, s.length)
	case !s.aliased:
		return seq
	case s.form != nil:
		seq = s.form
	}
	return rewriteRows(seq, special)
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
			if int(r.Sym) < len(in.File.MercSymbols) && in.File.MercSymbols[r.Sym].Type() == cubin.STTFunc && r.Offset >= lineSetAddress {
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
		end, problem := lineUnit(data, u)
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
			to = min(to, o-lineSetAddress)
		}
	}
	if at-lineSetAddress >= to {
		return nil
	}
	return data[at-lineSetAddress : to]
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

// moveNames adds the place of the input's part of .debug_str to the field of namesField.
func (p *patcher) moveNames(in *input, unit, out []byte) {
	at := namesField(unit)
	own := in.File.Find(".debug_str")
	if at == 0 || own == 0 || at+4 > len(out) {
		return
	}
	le.PutUint32(out[at:], le.Uint32(unit[at:])+uint32(in.Secs[own].Off))
}

// namesField finds the 4 bytes between the file table of a unit and its program, 0 if there are none. The compiler puts the
// offset of the unit's names in .debug_str there when functions are inlined; header_length counts them (observed).
func namesField(unit []byte) int {
	if len(unit) <= lineOpcodeBase {
		return 0
	}
	end := 10 + int(le.Uint32(unit[6:]))
	q := lineOpcodeBase + int(unit[lineOpcodeBase])
	text := func() bool { // skips one NUL-terminated string
		if q >= len(unit) {
			return false
		}
		n := bytes.IndexByte(unit[q:], 0)
		q += n + 1
		return n > 0
	}
	for text() { // directories
	}
	for text() { // files: name, directory, time, length
		for range 3 {
			for q < len(unit) && unit[q]&0x80 != 0 {
				q++
			}
			q++
		}
	}
	if q > len(unit) || end-q != 4 {
		return 0
	}
	return q
}
