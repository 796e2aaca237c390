package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/uidx"
)

// Unified functions and variables (PTX's .attribute(.unified(a, b)), sm_90 and later) have the same place in a table in
// every image of a program. The compiler gives each function a stub, one slot of the function table (.nv.uft.rel.F),
// and puts variables into .nv.udt; .nv.uft.entry and .nv.udt.entry relate ids to symbols. An executable link joins
// the stubs in .nv.uft and moves stubs and variables to the places that an index file has for their ids; a relocatable
// link leaves the stubs apart and needs no index (observed).

// Names of the sections.
const (
	uftSection      = ".nv.uft"
	uftRelPrefix    = ".nv.uft.rel."
	uftEntrySection = ".nv.uft.entry"
	udtSection      = ".nv.udt"
	udtEntrySection = ".nv.udt.entry"
	uidxSection     = ".nv.uidx"
	stubPrefix      = "__cuda_uf_stub_" // and the function's name: the symbol of a stub
)

const (
	unifiedSlot      = 128 // bytes of a stub
	unifiedEntrySize = 32  // u32 symbol | u32 flags | u64 offset | u64, u64 id
	unifiedAlign     = 32  // sh_addralign of an executable's .nv.uft.entry
)

// Flags of an entry (observed).
const (
	entryMerged   = 6
	entryUnplaced = 1 << 31
)

// noteUnified notes whether an input has unified functions.
func (in *input) noteUnified() {
	for i := range in.Secs {
		if in.Secs[i].kind == kindUFT {
			in.unified = true
			return
		}
	}
}

// isStub reports whether a function is a stub of the function table. Stubs are called from outside of the image, so they
// keep their functions alive.
func (l *link) isStub(s *symbol) bool {
	return l.hasUFT && s.Type() == cubin.STTFunc && s.Def >= 0 && s.Shndx < cubin.SHNLoRes &&
		l.Inputs[s.Def].Secs[s.Shndx].kind == kindUFT
}

// plainTypes reports whether unified relocation types become plain ones: in an executable without an index (observed).
func (l *link) plainTypes() bool { return !l.rel && l.Index == nil }

// earlyEntries creates an executable's .nv.uft.entry, which stands before the linker's own sections (observed).
func (l *link) earlyEntries() {
	if l.rel {
		return
	}
	for _, in := range l.Inputs {
		if !in.unified {
			continue
		}
		for _, i := range in.tables {
			if in.Secs[i].kind == kindUFTEntry && in.Secs[i].Type == cubin.SHTCudaUFTEntry {
				l.sec(uftEntrySection, 0, 0)
				return
			}
		}
	}
}

// indexSection creates the section that carries the index file.
func (l *link) indexSection() {
	if l.Index == nil {
		return
	}
	s := l.Secs[l.sec(uidxSection, 0, 0)]
	s.Data, s.Size = l.Index.Raw, uint64(len(l.Index.Raw))
	if l.Mercury {
		s.MercData, s.MercSize = s.Data, s.Size
	}
}

// stubSection is the section that a stub goes to: the table of an executable, or its own of a relocatable image.
func (l *link) stubSection(name string) secID {
	if l.rel {
		return l.newSec(name, 0, 0)
	}
	if l.uft == 0 {
		l.uft = l.newSec(uftSection, 0, 0)
		if l.release.stubsShareInfo {
			l.sec(".nv.info."+uftSection, l.uft, 0)
		}
	}
	return l.uft
}

// stubOwned is the name of a section that belongs to a stub. In an executable all stubs share one; 12.4 names it as its
// first contribution is (observed).
func (l *link) stubOwned(name string, kind kind, owner secID) string {
	switch {
	case l.rel:
		return name
	case l.release.stubsShareInfo && kind == kindInfoFunc:
		return ".nv.info." + uftSection
	}
	for id := l.Secs[owner].firstChild; id != 0; id = l.Secs[id].sibling {
		if l.Secs[id].Kind == kind {
			return l.Secs[id].Name
		}
	}
	return name
}

// unifiedEntry is a record of .nv.uft.entry or .nv.udt.entry.
type unifiedEntry struct {
	in  fileID
	sym symID // the function or variable
	id  uidx.ID
	// stub is the position of the function's stub in the list of stubs, -1 without one.
	stub int
	// placed: offset is its place in the table. sharedBy is the later entry of the same symbol that has the place, -1
	// if there is none.
	placed   bool
	sharedBy int
	offset   uint64
}

// unifiedEntries lists the records of a section in merge order.
func (l *link) unifiedEntries(s *section) []unifiedEntry {
	var out []unifiedEntry
	for i := range s.Parts {
		p := &s.Parts[i]
		in := l.Inputs[p.In]
		index, syms := p.Sec, in.PlainSyms
		if index == 0 {
			index, syms = p.Merc, in.Syms
		}
		for d := in.File.Sections[index].Data; len(d) >= unifiedEntrySize; d = d[unifiedEntrySize:] {
			e := unifiedEntry{in: p.In, id: uidx.ID{le.Uint64(d[16:]), le.Uint64(d[24:])}, stub: -1, sharedBy: -1}
			if n := le.Uint32(d); int(n) < len(syms) {
				e.sym = syms[n]
			}
			e.offset = l.Syms[e.sym].Value
			out = append(out, e)
		}
	}
	return out
}

// encodeEntries writes the records of an output section: symbols by their numbers in the image, and the places.
func (l *link) encodeEntries(s *section, entries []unifiedEntry) {
	for _, data := range [][]byte{s.Data, s.MercData} {
		for i := range entries {
			e, o := &entries[i], i*unifiedEntrySize
			if o+unifiedEntrySize > len(data) {
				break
			}
			flags := le.Uint32(data[o+4:]) | entryMerged
			if !l.rel && !e.placed {
				flags |= entryUnplaced
			}
			le.PutUint32(data[o:], l.Syms[e.sym].Index)
			le.PutUint32(data[o+4:], flags)
			le.PutUint64(data[o+8:], e.offset)
		}
	}
}

// finishEntries encodes both sections of entries once symbols have their numbers.
func (l *link) finishEntries() {
	for i, name := range []string{uftEntrySection, udtEntrySection} {
		s := l.Secs[l.singles[name]]
		if len(s.Parts) == 0 {
			continue
		}
		entries := l.mem.unified[i]
		if entries == nil {
			entries = l.unifiedEntries(s)
		}
		l.encodeEntries(s, entries)
	}
}

// stubs lists the functions that are called from outside of the image through the function table.
func (l *link) stubs() []funcID {
	if !l.hasUFT {
		return nil
	}
	var stubs []funcID
	for i := 1; i < len(l.Funcs); i++ {
		if l.isStub(&l.Syms[l.Funcs[i].Sym]) {
			stubs = append(stubs, funcID(i))
		}
	}
	return stubs
}

// keepUnified keeps stubs and everything that they reach: other images and the host call them. Beside exactly one kernel the
// reference keeps stubs and unified functions, but not what those call.
func (l *link) keepUnified() {
	stack := l.stubs()
	if len(stack) == 0 {
		return
	}
	seenProto := make([]bool, len(l.Protos))
	seen := make([]bool, len(l.Funcs))
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f := &l.Funcs[id]
		if seen[id] || f.Live {
			continue
		}
		seen[id], f.Kept = true, true
		stack = append(stack, f.Calls...)
		for _, p := range f.Indirect {
			if !seenProto[p] {
				seenProto[p] = true
				stack = append(stack, l.graph.byProto[p]...)
			}
		}
	}
}
