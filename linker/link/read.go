package link

import (
	"context"
	"hash/maphash"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/slab"
)

// read parses the sources that are not parsed yet, several at a time, and decides what the link makes: the dialect follows the toolkit that is
// imitated, and the image has Mercury twins iff the target has them and every input does (observed).
func (l *link) read(ctx context.Context) error {
	inputs := make([]*input, len(l.sources))
	slabs := make([]inputSlabs, l.loop().Workers(len(inputs)))
	errs := make([]error, len(l.sources))
	if err := l.loop().Do(len(inputs), func(worker, i int) error {
		f, err := l.sources[i].File, error(nil)
		if f == nil {
			f, err = slabs[worker].parser.Parse(l.sources[i].Data)
		}
		if errs[i] = err; err != nil {
			return nil
		}
		in := &slabs[worker].inputs.Take(1)[0]
		in.ID, in.Name, in.File = fileID(i), l.sources[i].Name, f
		inputs[i] = in
		return nil
	}); err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			return l.Diag.Fatal(diag.MalformedInput, l.sources[i].Name, err)
		}
	}
	l.form = cubin.FormOf(l.Class)
	for _, in := range inputs {
		if in.File.Class != l.form.Class {
			return l.Diag.Fatal(diag.SizeMismatchOf(l.form.Class == cubin.Class64), in.Name)
		}
	}
	l.Inputs = inputs
	l.names.seed = maphash.MakeSeed()
	l.imitate()
	l.dce = !l.rel && !l.Debug && !l.PreserveRelocs
	l.Mercury = l.ABI == 8 && l.profile.Mercury
	for _, in := range inputs {
		if l.Mercury && !in.File.Mercury() {
			l.Diag.Report(diag.LimitedToArch, l.SM, in.Name)
			l.Mercury = false
		}
	}
	err := l.loop().Do(len(inputs), func(worker, i int) error {
		in, s := inputs[i], &slabs[worker]
		view := l.view(in)
		in.Secs = l.viewSections(in.File, s.sections.Take(len(in.File.Sections)))
		in.hashes = l.names.hashAll(view, s.hashes.Take(len(view)), l.AsReference)
		in.Syms, in.Lost = s.ids.Take(len(view)), s.lost.Take(len(view))
		in.count(view)
		s.found = findTables(in.File, s.found[:0])
		in.tables = s.tables.Take(len(s.found))
		copy(in.tables, s.found)
		in.noteUnified()
		in.descriptors = descriptorUses(in.File, l.Mercury)
		return nil
	})
	for _, in := range inputs {
		l.hasUFT = l.hasUFT || in.unified
	}
	return err
}

// imitate looks up what depends on the release that is imitated and on the target.
func (l *link) imitate() {
	l.tool = arch.ToolkitByWord(l.Toolkit)
	l.ABI = l.tool.ABI
	l.release = rulesOf(l.Toolkit)
	l.rel = l.Relocatable && l.tool.RelocatableLink
	if p, known := arch.Lookup(l.SM); known {
		l.profile = *p
	}
}

// inputSlabs is where one goroutine takes the tables of its inputs from.
type inputSlabs struct {
	parser   cubin.Parser
	inputs   slab.Pool[input]
	sections slab.Pool[inSection]
	hashes   slab.Pool[uint64]
	ids      slab.Pool[symID]
	lost     slab.Pool[lossKind]
	tables   slab.Pool[int32]
	found    []int32 // room for the tables of one input
}

// viewSections fills secs, which is parallel to the file's sections, with the kind and type that the link goes by. In a
// Mercury link the reference works on the twins under the plain names and does not look at the plain sections that have one
// (observed): these are hidden, but paired with their twins so that both forms share one output section.
func (l *link) viewSections(f *cubin.File, secs []inSection) []inSection {
	for i := range secs {
		s := &f.Sections[i]
		secs[i] = inSection{Type: s.Type}
		switch {
		case !s.Mercury() && l.Mercury && hasTwinForm(s.Name),
			s.Mercury() && !l.Mercury && (s.Type == cubin.SHTRel || s.Type == cubin.SHTRela): // twins have a type of their own
			secs[i].Type = cubin.SHTNull
		}
	}
	if l.Mercury {
		pairTwins(f, secs)
	}
	for i := range secs {
		secs[i].kind = kindOf(f.Sections[i].Name[secs[i].mark:], f.Sections[i].Owned())
	}
	return secs
}

// hasTwinForm tells the plain sections that a Mercury link does not create from.
func hasTwinForm(name string) bool {
	for _, p := range []string{".text.", ".nv.shared.reserved", ".nv.info", ".rel.", ".rela.", ".debug_", ".nv_debug_", ".nv.constant", ".nv.global.init", uftSection, udtSection} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// pairTwins finds the plain section of each Mercury twin. Code sections are paired by the capsule's first word, which is
// the plain section's index (observed); what belongs to a section follows its owner; the rest goes by name.
func pairTwins(f *cubin.File, secs []inSection) {
	p := newTwinPairing(f, secs)
	p.each(p.code)
	p.each(p.data)
	p.each(p.relocations)
}

// twinPairing is the pairing of the sections of one input.
type twinPairing struct {
	f    *cubin.File
	secs []inSection
	// byName and byOwner find plain sections: the first of a name, and the first of a kind that belongs to a section.
	byName  map[string]int32
	byOwner map[ownedKind]int32
}

type ownedKind struct {
	kind  kind
	owner uint32
}

func newTwinPairing(f *cubin.File, secs []inSection) *twinPairing {
	p := &twinPairing{f: f, secs: secs, byName: map[string]int32{}, byOwner: map[ownedKind]int32{}}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Mercury() || i == 0 {
			continue
		}
		if _, ok := p.byName[s.Name]; !ok {
			p.byName[s.Name] = int32(i)
		}
		if s.Owned() {
			key := ownedKind{kindOf(s.Name, s.Owned()), s.TextIndex()}
			if _, ok := p.byOwner[key]; !ok {
				p.byOwner[key] = int32(i)
			}
		}
	}
	return p
}

// each calls fn for every twin.
func (p *twinPairing) each(fn func(twin int, s *cubin.Section)) {
	for i := range p.f.Sections {
		if s := &p.f.Sections[i]; s.Mercury() {
			fn(i, s)
		}
	}
}

// pair makes two sections the forms of one, unless the plain one has a twin or only one of them holds relocations: names alone
// do not tell in a damaged file.
func (p *twinPairing) pair(twin int, plain int32) {
	if plain != 0 && p.secs[plain].Twin == 0 && p.f.Sections[plain].HoldsRelocations() == p.f.Sections[twin].HoldsRelocations() {
		p.secs[twin].Twin, p.secs[plain].Twin = plain, int32(twin)
	}
}

// code pairs a capsule.
func (p *twinPairing) code(i int, s *cubin.Section) {
	rest, ok := strings.CutPrefix(s.Name, ".nv.capmerc")
	if !ok {
		return
	}
	p.secs[i].mark, p.secs[i].Type = uint8(len(s.Name)-len(rest)), cubin.SHTProgbits
	if len(s.Data) >= 4 {
		if n := le.Uint32(s.Data); n != 0 && int(n) < len(p.f.Sections) && p.f.Sections[n].Name == rest {
			p.pair(i, int32(n))
			return
		}
	}
	p.pair(i, p.byName[rest])
}

// data pairs what is neither code nor relocations; these get the names and types that the link goes by.
func (p *twinPairing) data(i int, s *cubin.Section) {
	if s.Type == cubin.SHTMercSymtab {
		p.secs[i].Type = cubin.SHTNull
		return
	}
	rest, ok := strings.CutPrefix(s.Name, ".nv.merc")
	if !ok {
		return
	}
	p.secs[i].mark = uint8(len(s.Name) - len(rest))
	switch s.Type {
	case cubin.SHTRela:
		return
	case cubin.SHTMercRela:
		p.secs[i].Type = cubin.SHTRela
		return
	case cubin.SHTMercInfo:
		p.secs[i].Type = cubin.SHTCudaInfo
	}
	plain := plainName(rest)
	if !s.Owned() {
		p.pair(i, p.byName[plain])
	} else if owner := p.secs[s.TextIndex()].Twin; owner != 0 {
		p.pair(i, p.byOwner[ownedKind{kindOf(plain, true), uint32(owner)}])
	}
}

// relocations pairs relocations, whose targets have been paired.
func (p *twinPairing) relocations(i int, s *cubin.Section) {
	if p.secs[i].Type != cubin.SHTRela {
		return
	}
	if target := p.secs[s.TextIndex()].Twin; target != 0 {
		p.pair(i, p.byOwner[ownedKind{kindRela, uint32(target)}])
	}
}

// count notes how many symbols and functions the input defines.
func (in *input) count(view []cubin.Symbol) {
	for i := range view {
		y := &view[i]
		if y.Shndx == cubin.SHNUndef || y.Type() == cubin.STTSection {
			continue
		}
		in.defined++
		if y.Type() == cubin.STTFunc {
			in.functions++
			in.weakKernels = in.weakKernels || y.Entry() && y.Binding() == cubin.STBWeak
		}
	}
}

// isTable tells the types of sections that hold a table or a note about the whole object.
func isTable(t cubin.SectionType) bool {
	switch t {
	case cubin.SHTNote, cubin.SHTCudaCallgraph, cubin.SHTCudaPrototype, cubin.SHTCudaCompat,
		cubin.SHTCudaUFT, cubin.SHTCudaUFTEntry, cubin.SHTCudaUDT, cubin.SHTCudaUDTEntry:
		return true
	}
	return false
}

// findTables appends the indices of the file's tables.
func findTables(f *cubin.File, to []int32) []int32 {
	for i := range f.Sections {
		if isTable(f.Sections[i].Type) {
			to = append(to, int32(i))
		}
	}
	return to
}
