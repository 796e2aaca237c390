package link

import (
	"context"
	"hash/maphash"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/slab"
)

// read parses every source, one goroutine each, and decides what the link makes: the dialect follows the toolkit that is
// imitated, and the image has Mercury twins iff the target has them and every input does (observed).
func (l *Link) read(ctx context.Context) error {
	inputs := make([]*Input, len(l.sources))
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
		in.ID, in.Name, in.File = FileID(i), l.sources[i].Name, f
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
	l.ABI = 8
	if l.Toolkit < 130 {
		l.ABI = 7
	}
	l.rel = l.Relocatable && l.ABI == 8
	l.dce = !l.rel && !l.Debug && !l.PreserveRelocs
	l.Mercury = l.ABI == 8 && l.SM >= 100
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
		in.noteUnified()
		in.descriptors = descriptorUses(in.File, l.Mercury)
		return nil
	})
	for _, in := range inputs {
		l.hasUFT = l.hasUFT || in.unified
	}
	return err
}

// inputSlabs is where one goroutine takes the tables of its inputs from.
type inputSlabs struct {
	parser   cubin.Parser
	inputs   slab.Pool[Input]
	sections slab.Pool[InSection]
	hashes   slab.Pool[uint64]
	ids      slab.Pool[SymID]
	lost     slab.Pool[lossKind]
}

// viewSections fills secs, which is parallel to the file's sections. It gives each section the name and type that the link goes by. In a Mercury link the reference works on the
// twins under the plain names and does not look at the plain sections that have one (observed): these are hidden, but
// paired with their twins so that both forms share one output section.
func (l *Link) viewSections(f *cubin.File, secs []InSection) []InSection {
	for i := range secs {
		s := &f.Sections[i]
		secs[i] = InSection{Name: s.Name, Type: s.Type}
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
		secs[i].kind = kindOf(secs[i].Name, f.Sections[i].Owned())
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
func pairTwins(f *cubin.File, secs []InSection) {
	byName := map[string]int32{}
	type owned struct {
		kind  Kind
		owner uint32
	}
	byOwner := map[owned]int32{}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Mercury() || i == 0 {
			continue
		}
		if _, ok := byName[s.Name]; !ok {
			byName[s.Name] = int32(i)
		}
		if s.Owned() {
			key := owned{kindOf(s.Name, s.Owned()), s.TextIndex()}
			if _, ok := byOwner[key]; !ok {
				byOwner[key] = int32(i)
			}
		}
	}
	pair := func(twin int, plain int32) {
		if plain != 0 && secs[plain].Twin == 0 {
			secs[twin].Twin, secs[plain].Twin = plain, int32(twin)
		}
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if !s.Mercury() {
			continue
		}
		if rest, ok := strings.CutPrefix(s.Name, ".nv.capmerc"); ok {
			secs[i].Name, secs[i].Type = rest, cubin.SHTProgbits
			plain := int32(0)
			if len(s.Data) >= 4 {
				if n := le.Uint32(s.Data); int(n) < len(f.Sections) && f.Sections[n].Name == rest {
					plain = int32(n)
				}
			}
			if plain == 0 {
				plain = byName[rest]
			}
			pair(i, plain)
		}
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if !s.Mercury() || s.Type == cubin.SHTMercSymtab {
			if s.Type == cubin.SHTMercSymtab {
				secs[i].Type = cubin.SHTNull
			}
			continue
		}
		rest, ok := strings.CutPrefix(s.Name, ".nv.merc")
		if !ok {
			continue
		}
		secs[i].Name = rest
		switch s.Type {
		case cubin.SHTMercRela:
			secs[i].Type = cubin.SHTRela
		case cubin.SHTMercInfo:
			secs[i].Type = cubin.SHTCudaInfo
		}
		if secs[i].Type == cubin.SHTRela {
			continue // paired when their targets are
		}
		if s.Owned() {
			if owner := secs[s.TextIndex()].Twin; owner != 0 {
				pair(i, byOwner[owned{kindOf(plainName(rest), s.Owned()), uint32(owner)}])
			}
			continue
		}
		pair(i, byName[plainName(rest)])
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Mercury() && secs[i].Type == cubin.SHTRela {
			if target := secs[s.TextIndex()].Twin; target != 0 {
				pair(i, byOwner[owned{KindRela, uint32(target)}])
			}
		}
	}
}

// count notes how many symbols and functions the input defines.
func (in *Input) count(view []cubin.Symbol) {
	for i := range view {
		y := &view[i]
		if y.Shndx == cubin.SHNUndef || y.Type() == cubin.STTSection {
			continue
		}
		in.defined++
		if y.Type() == cubin.STTFunc {
			in.functions++
		}
	}
}
