package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/dwarf"
)

// frameForm is the form of the image's .debug_frame.
func (l *link) frameForm() dwarf.FrameForm {
	if l.Class == cubin.Class32 {
		return dwarf.Frame32()
	}
	return dwarf.Frame64()
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
		p.l.frameForm().SetCIE(out[at:], cieAt)
		if own && p.isPlacedStub(f.sym) {
			le.PutUint64(out[at+dwarf.Frame64().Range():], p.l.firstStubRange())
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
	address := form.Address()
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
			rec, err := form.Record(data[o:])
			if err != "" {
				return nil, malformedDebug(in, part.Sec, o, err)
			}
			end := o + uint64(len(rec))
			if form.IsCIE(rec) {
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
	return p.twins[i].cie, dwarf.Frame64().Bare(p.twins[i].fde) // twins are in files of CUDA 13
}

// twinFrames reads the twin of one contribution; the result is sorted by symbol.
func (p *patcher) twinFrames(part *part) []twinFrame {
	in := p.l.Inputs[part.In]
	names := p.twinAddresses(in, part.Merc)
	data := in.File.Sections[part.Merc].Data
	var twins []twinFrame
	var cie []byte
	form := dwarf.Frame64()
	for o := 0; o < len(data); {
		rec, problem := form.Record(data[o:])
		if problem != "" {
			return nil
		}
		if form.IsCIE(rec) {
			cie = rec
		} else if i, ok := slices.BinarySearchFunc(names, uint64(o)+form.Address(), func(a codeAddress, off uint64) int { return cmp.Compare(a.off, off) }); ok {
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
