package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// From sm_100 on the reference takes four debug sections apart and writes them anew: frames and line sequences of
// functions that are not in the image go, line sequences stand in the order of symbol numbers, and what belongs to a
// function that is described twice is left in the form of the Mercury twin (observed). Below sm_100 they stay as they are.

func isFrameSection(name string) bool { return name == ".debug_frame" }

func isLineSection(name string) bool { return name == ".debug_line" || name == ".nv_debug_line_sass" }

// span is a run of bytes of an input section and where it went.
type span struct{ from, to, at uint64 }

// rebuiltPart holds the spans of one input section in ascending order. What no span covers is gone.
type rebuiltPart struct {
	in    fileID
	sec   int32
	spans []span
}

// rebuilt describes a section that was put together anew; parts are in link order.
type rebuilt struct{ parts []rebuiltPart }

// find returns what became of an input section, nil if it is not part of the section.
func (b *rebuilt) find(in fileID, sec int32) *rebuiltPart {
	i, ok := slices.BinarySearchFunc(b.parts, sec, func(p rebuiltPart, sec int32) int {
		if p.in != in {
			return int(p.in) - int(in)
		}
		return int(p.sec) - int(sec)
	})
	if !ok {
		return nil
	}
	return &b.parts[i]
}

// place translates an offset; ok is false if the bytes there are gone.
func (p *rebuiltPart) place(off uint64) (at uint64, ok bool) {
	if s := p.span(off); s != nil {
		return s.at + off - s.from, true
	}
	return 0, false
}

func (p *rebuiltPart) span(off uint64) *span {
	if p == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(p.spans, off, func(s span, off uint64) int {
		switch {
		case off < s.from:
			return 1
		case off >= s.to:
			return -1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &p.spans[i]
}

// shift is what must be added to a reference to an offset of the input section; one to a place that is gone follows the
// section's first unit.
func (p *rebuiltPart) shift(off uint64) uint64 {
	s := p.span(off)
	switch {
	case s != nil:
		return s.at - s.from
	case p != nil && len(p.spans) > 0:
		return p.spans[0].at
	}
	return 0
}

// codeAddress is an entry that gives the address of a function to a place in a debug section.
type codeAddress struct {
	off uint64
	num uint32 // number in the input's .symtab
	sym symID  // 0 if it is not in the image
	// gone: the function, or this input's definition of it, is not in the image.
	gone bool
	typ  uint32
}

// addresses lists, in ascending order, the entries of one input section that name functions. parts are the relocation
// sections of the target; the ones of earlier inputs are cut off.
func (p *patcher) addresses(in *input, sec int32, parts []part, buf []codeAddress) ([]codeAddress, []part) {
	for len(parts) > 0 && parts[0].In < in.ID {
		parts = parts[1:]
	}
	for i := 0; i < len(parts) && parts[i].In == in.ID; i++ {
		if parts[i].Sec == 0 {
			continue
		}
		h := &in.File.Sections[parts[i].Sec]
		if int32(h.TextIndex()) != sec {
			continue
		}
		for j := range h.NumRels() {
			r := h.RelAt(j)
			if int(r.Sym) >= len(in.File.Symbols) {
				continue // refused when the entries are read
			}
			y := &in.File.Symbols[r.Sym]
			if y.Type() != cubin.STTFunc {
				continue
			}
			a := codeAddress{off: r.Offset, num: r.Sym, sym: in.PlainSyms[r.Sym], typ: r.Type}
			a.gone = a.sym == 0 || p.class[a.sym] != classFunction || p.definitionLost(in, y, true)
			buf = append(buf, a)
		}
	}
	slices.SortStableFunc(buf, func(a, b codeAddress) int { return cmp.Compare(a.off, b.off) })
	return buf, parts
}

// rebuild writes the target anew if it is one of the sections that are taken apart.
func (p *patcher) rebuild() error {
	switch {
	case isFrameSection(p.sec.Name):
		return p.rebuildFrames()
	case isLineSection(p.sec.Name):
		p.moved = p.lines[p.sec.ID]
	}
	return nil
}

// markAliasedEarly notes the functions with a second name that an input before the one that defines them mentions, unless it or an
// earlier one mentions the first name before: the reference describes them by their Mercury form (observed).
func (r *relocator) markAliasedEarly() {
	l := r.l
	var owner map[symID]funcID
	for i := 1; i < len(l.Funcs); i++ {
		f := &l.Funcs[i]
		if f.AliasOf == 0 {
			continue
		}
		if owner == nil {
			owner = map[symID]funcID{}
			r.aliasedEarly = make([]bool, len(l.Funcs))
		}
		// Either name may be the one that debug data use.
		owner[f.Sym] = f.AliasOf
		owner[l.Funcs[f.AliasOf].Sym] = funcID(i)
	}
	if owner == nil {
		return
	}
	for _, in := range l.Inputs {
		for i := range in.File.Symbols {
			y := &in.File.Symbols[i]
			if y.Type() != cubin.STTFunc || y.Shndx != cubin.SHNUndef {
				continue
			}
			id := in.PlainSyms[i]
			if other, ok := owner[id]; ok && in.ID < l.Syms[id].Def && l.Syms[id].Index < l.Syms[l.Funcs[other].Sym].Index {
				r.aliasedEarly[other] = true
			}
		}
	}
}

func (r *relocator) aliased(id symID) bool {
	return r.aliasedEarly != nil && r.aliasedEarly[r.l.Syms[id].Func]
}

// endAtWinner moves a place behind the end of the code that counts to its end, if the entry describes a copy that lost: the
// reference takes places in functions from the Mercury form and translates them by that code (observed). Places inside
// it would need the Mercury size of every instruction; they stay as the compiler wrote them.
func (p *patcher) endAtWinner(e *pending, y *cubin.Symbol) {
	if int(y.Shndx) >= len(p.in.Secs) || p.in.Secs[y.Shndx].Lost == notLost {
		return
	}
	s := &p.l.Syms[e.sym]
	twin := &p.in.File.Sections[p.twinRel]
	if s.Def == noFile || p.number >= twin.NumRels() {
		return
	}
	view := p.l.Inputs[s.Def].File.MercSymbols
	if r := twin.RelAt(p.number); r.Offset == e.Offset && int(s.DefSym) < len(view) && r.Addend >= int64(view[s.DefSym].Size) {
		e.Addend = int64(s.Size)
	}
}

// malformedDebug is the error of a debug section that cannot be taken apart.
func malformedDebug(in *input, sec int32, off uint64, problem string) error {
	return &relocationError{id: diag.MalformedInput, file: in.Name, section: in.File.Sections[sec].Name, offset: off, problem: problem}
}
