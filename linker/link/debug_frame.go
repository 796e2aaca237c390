package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// frameForm is where things stand in a record of .debug_frame: a length, then the CIE's mark or the FDE's pointer to its CIE.
type frameForm struct {
	word    int // size of lengths, pointers and addresses
	head    int // bytes that the length does not count; then the mark or the pointer
	address int // offset of an FDE's initial location, the range follows
	body    int // where the instructions begin
}

// Device compilers write the form of DWARF that goes with the class: in ELF64 ffffffff and a length of 8 bytes.
var (
	frame32 = frameForm{word: 4, head: 4, address: 8, body: 16}
	frame64 = frameForm{word: 8, head: 12, address: 20, body: 36}
)

func (l *link) frameForm() *frameForm {
	if l.Class == cubin.Class32 {
		return &frame32
	}
	return &frame64
}

// rangeOffset is the offset of an FDE's range.
func (f *frameForm) rangeOffset() uint64 { return uint64(f.body - f.word) }

// at reads a word.
func (f *frameForm) at(b []byte, off int) uint64 {
	if f.word == 4 {
		return uint64(le.Uint32(b[off:]))
	}
	return le.Uint64(b[off:])
}

// isCIE tells a CIE from an FDE by the mark in place of the pointer.
func (f *frameForm) isCIE(rec []byte) bool {
	for _, b := range rec[f.head : f.head+f.word] {
		if b != 0xff {
			return false
		}
	}
	return true
}

// point sets an FDE's pointer to its CIE.
func (f *frameForm) point(fde []byte, cie uint64) {
	if f.word == 4 {
		le.PutUint32(fde[f.head:], uint32(cie))
		return
	}
	le.PutUint64(fde[f.head:], cie)
}

// frame is one FDE of the inputs with the CIE before it.
type frame struct {
	part     int // index of the contribution
	off, end uint64
	cie      []byte
	cieOff   uint64
	sym      symID // the function, 0 if no entry names one
	gone     bool
}

// rebuildFrames writes .debug_frame anew: FDEs of functions that are not in the image go together with their CIE, and each
// FDE points to the real place of the CIE before it (the compiler's own pointers are wrong from the second on; observed).
// A function that is described again (the first copy was replaced) has the winner's description at the first place; the second,
// like a function whose alias was mentioned early, is left in the Mercury form.
func (p *patcher) rebuildFrames() error {
	frames, err := p.frames()
	if err != nil {
		return err
	}
	p.moved = &rebuilt{parts: make([]rebuiltPart, len(p.sec.Parts))}
	for i, part := range p.sec.Parts {
		p.moved.parts[i] = rebuiltPart{in: part.In, sec: part.Sec}
	}
	best, described := p.bestFrames(frames), make([]bool, len(p.l.Funcs))
	out := make([]byte, 0, len(p.sec.Data))
	var last *frame // the frame whose own CIE was written last, at cieAt
	cieAt := uint64(0)
	for i := range frames {
		f := &frames[i]
		if f.gone {
			continue
		}
		cie, fde, own := p.describe(f, frames, best, described)
		if !own || last == nil || last.part != f.part || last.cieOff != f.cieOff {
			cieAt = uint64(len(out))
			out = append(out, cie...)
		}
		if last = nil; own {
			last = f
		}
		at := uint64(len(out))
		spans := &p.moved.parts[f.part].spans
		*spans = append(*spans, span{f.off, f.end, at})
		out = append(out, fde...)
		p.l.frameForm().point(out[at:], cieAt)
		if own && p.isPlacedStub(f.sym) {
			le.PutUint64(out[at+frame64.rangeOffset():], p.l.firstStubRange())
		}
	}
	p.sec.Data, p.sec.Size = out, uint64(len(out))
	return nil
}

// describe chooses what stands in the place of an FDE, and its CIE: the FDE itself (own), the winner's, or the Mercury form.
func (p *patcher) describe(f *frame, frames []frame, best []int32, described []bool) (cie, fde []byte, own bool) {
	if f.sym == 0 {
		return f.cie, p.frameBytes(f), true
	}
	fn := p.l.Syms[f.sym].Func
	again := described[fn]
	described[fn] = true
	if again || p.aliased(f.sym) || p.isPlacedStub(f.sym) && p.l.Syms[f.sym].Value != 0 {
		if cie, fde := p.mercuryFrame(f); fde != nil {
			return cie, fde, false
		}
	}
	winner := &frames[best[fn]-1]
	return winner.cie, p.frameBytes(winner), winner == f
}

func (p *patcher) frameBytes(f *frame) []byte {
	part := &p.sec.Parts[f.part]
	return p.l.Inputs[part.In].File.Sections[part.Sec].Data[f.off:f.end]
}

// frames reads the FDEs of all contributions.
func (p *patcher) frames() ([]frame, error) {
	form := p.l.frameForm()
	address := uint64(form.address)
	var frames []frame
	var addrs []codeAddress
	rels := p.t.parts
	for i, part := range p.sec.Parts {
		if part.Sec == 0 {
			continue
		}
		in := p.l.Inputs[part.In]
		data := in.File.Sections[part.Sec].Data
		addrs, rels = p.addresses(in, part.Sec, rels, addrs[:0])
		at := 0
		var cie []byte
		cieOff := uint64(0)
		for o := uint64(0); o < uint64(len(data)); {
			rec, err := form.record(data[o:])
			if err != "" {
				return nil, malformedDebug(in, part.Sec, o, err)
			}
			end := o + uint64(len(rec))
			if form.isCIE(rec) {
				cie, cieOff = rec, o
			} else {
				f := frame{part: i, off: o, end: end, cie: cie, cieOff: cieOff}
				for at < len(addrs) && addrs[at].off < o+address {
					at++
				}
				for j := at; j < len(addrs) && addrs[j].off == o+address; j++ {
					f.sym, f.gone = addrs[j].sym, addrs[j].gone
				}
				frames = append(frames, f)
			}
			o = end
		}
	}
	return frames, nil
}

// record cuts off the first CIE or FDE, or says what is wrong with it.
func (f *frameForm) record(data []byte) (rec []byte, problem string) {
	if len(data) < f.address {
		return nil, "a frame entry is cut off"
	}
	if wide := le.Uint32(data) == 0xffffffff; wide != (f.word == 8) {
		return nil, fmt.Sprintf("a frame entry is not in the %d-bit form of DWARF", 8*f.word)
	}
	n := f.at(data, f.head-f.word)
	if n > uint64(len(data)-f.head) {
		return nil, "a frame entry reaches past the end of its section"
	}
	rec = data[:uint64(f.head)+n]
	least := f.body
	if len(rec) >= f.address && f.isCIE(rec) {
		least = f.address
	}
	if len(rec) < least {
		return nil, "a frame entry is too short"
	}
	return rec, ""
}

// bestFrames finds, by function, the first description in the last input that describes it: the index plus one, 0 for
// functions that none describes.
func (p *patcher) bestFrames(frames []frame) []int32 {
	last := make([]int32, len(p.l.Funcs))
	for i := range frames {
		f := &frames[i]
		if f.gone || f.sym == 0 {
			continue
		}
		b := &last[p.l.Syms[f.sym].Func]
		if *b == 0 || frames[*b-1].part != f.part {
			*b = int32(i + 1)
		}
	}
	return last
}

// twinFrame is what the twin section says about a function.
type twinFrame struct {
	sym      symID
	cie, fde []byte
}

// mercuryFrame is the Mercury form of an FDE: the CIE of the twin section and an FDE of 28 bytes with the twin's range and no
// instructions. It is nil if the input has no twin that describes the function.
func (p *patcher) mercuryFrame(f *frame) (cie, fde []byte) {
	part := &p.sec.Parts[f.part]
	if part.Merc == 0 {
		return nil, nil
	}
	if !p.twinRead || p.twinPart != f.part {
		p.twinRead, p.twinPart = true, f.part
		p.twins = p.twinFrames(part)
	}
	i, ok := slices.BinarySearchFunc(p.twins, f.sym, func(t twinFrame, id symID) int { return int(t.sym) - int(id) })
	if !ok {
		return nil, nil
	}
	form := &frame64 // twins are in files of CUDA 13
	fde = make([]byte, 0, form.body+4)
	fde = append(fde, 0xff, 0xff, 0xff, 0xff)
	fde = le.AppendUint64(fde, uint64(form.body+4-form.head))
	fde = append(fde, p.twins[i].fde[form.head:form.body]...)
	return p.twins[i].cie, append(fde, 0, 0, 0, 0)
}

// twinFrames reads the twin of one contribution; the result is sorted by symbol.
func (p *patcher) twinFrames(part *part) []twinFrame {
	in := p.l.Inputs[part.In]
	names := p.twinAddresses(in, part.Merc)
	data := in.File.Sections[part.Merc].Data
	var twins []twinFrame
	var cie []byte
	for o := 0; o < len(data); {
		rec, problem := frame64.record(data[o:])
		if problem != "" {
			return nil
		}
		if frame64.isCIE(rec) {
			cie = rec
		} else if i, ok := slices.BinarySearchFunc(names, uint64(o+frame64.address), func(a codeAddress, off uint64) int { return cmp.Compare(a.off, off) }); ok {
			twins = append(twins, twinFrame{names[i].sym, cie, rec})
		}
		o += len(rec)
	}
	slices.SortStableFunc(twins, func(a, b twinFrame) int { return int(a.sym) - int(b.sym) })
	return twins
}

// twinAddresses lists the functions that the relocations of a twin section name, by offset.
func (p *patcher) twinAddresses(in *input, sec int32) []codeAddress {
	first, _ := slices.BinarySearchFunc(p.t.parts, in.ID, func(p part, id fileID) int { return int(p.In) - int(id) })
	var names []codeAddress
	for _, part := range p.t.parts[first:] {
		if part.In != in.ID {
			break
		}
		h := &in.File.Sections[part.Merc]
		if part.Merc == 0 || int32(h.TextIndex()) != sec {
			continue
		}
		for j := range h.NumRels() {
			if r := h.RelAt(j); int(r.Sym) < len(in.Syms) {
				if id := in.Syms[r.Sym]; p.l.Syms[id].Func != 0 {
					names = append(names, codeAddress{off: r.Offset, sym: id})
				}
			}
		}
	}
	slices.SortStableFunc(names, func(a, b codeAddress) int { return cmp.Compare(a.off, b.off) })
	return names
}
