package link

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/slab"
)

// relocate disposes of every relocation entry: it is applied to the section's bytes, kept for the loader (or for a later
// link), or dropped. The symbol's kind and the type's kind decide (dispositions). What stays is in the exact reverse of the
// order of reading: the reference keeps one list with the newest entry first (observed).
//
// The sections that relocations patch are worked on in parallel: an entry touches nothing but its own section.
func (l *link) relocate(ctx context.Context) error {
	l.warnNullPointers()
	r := newRelocator(l)
	if err := r.rebuildLines(); err != nil {
		return r.report(err)
	}
	jobs := r.jobs()
	patchers := make([]patcher, l.loop().Workers(len(jobs)))
	if err := l.loop().Do(len(jobs), func(worker, i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return r.work(&patchers[worker], &jobs[i])
	}); err != nil {
		return r.report(err)
	}
	for i := range jobs {
		jobs[i].deliver()
	}
	// Local functions of one name share the section of what was applied.
	for i := range slices.Backward(r.targets) {
		if t := &r.targets[i]; t.resolved != nil {
			t.resolved.Rels = append(t.resolved.Rels, t.settled...)
		}
	}
	if l.Mercury {
		if err := r.registerNames(); err != nil {
			return r.report(err)
		}
	}
	if l.relAction != 0 {
		s := l.Secs[l.relAction]
		s.Data = reloc.ActionSection()
		s.Size = uint64(len(s.Data))
	}
	return l.relocateMercury(ctx)
}

// relocator is what is the same for all sections.
type relocator struct {
	l       *link
	targets []relocTarget
	// class says, by symID, what kind of thing the symbol is for a relocation.
	class []symbolClass
	table *dispositionTable
	// codeHasRels marks, by input and section, code sections that a relocation section patches; only for inputs in which a
	// definition was replaced later.
	codeHasRels [][]bool
	// aliasedEarly marks, by funcID, functions one of whose aliases an earlier input mentions (debug.go).
	aliasedEarly []bool
	// headerBase is where a -r link of the reference believes that descriptors begin.
	headerBase uint64
	// userBank is what userBankSize stands for.
	userBank uint64
	// lines are the places of line units, for the references that follow them (Mercury links).
	lines map[secID]*rebuilt
}

// relocTarget is a section that relocations patch, with the sections that hold its entries; any of them may be nil.
type relocTarget struct {
	sec                 *section
	rel, rela, resolved *section
	parts               []part // input relocation sections, in reading order
	lost                []part // those that make no section
	settled             []outRel
}

// relocJob is what one goroutine works on at a time: a target, or a piece of one that many inputs contribute to.
type relocJob struct {
	t     *relocTarget
	parts []part
	// end is where the next piece's bytes begin; a field is rewritten together with bytes behind it.
	end uint64
	// What stays, in the reverse of the order of reading.
	rel, rela, settled []outRel
}

// partsPerPiece is how many inputs' contributions to a debug section make a piece.
const partsPerPiece = 64

// jobs cuts the work into pieces, a target's last piece first.
func (r *relocator) jobs() []relocJob {
	jobs := make([]relocJob, 0, len(r.targets))
	for i := range r.targets {
		t := &r.targets[i]
		if len(t.parts) > partsPerPiece && t.sec.Kind == kindDebug && !r.l.Mercury {
			if pieces := r.pieces(t); pieces != nil {
				jobs = append(jobs, pieces...)
				continue
			}
		}
		if len(t.parts) > 0 {
			jobs = append(jobs, relocJob{t: t, parts: t.parts, end: uint64(len(t.sec.Data))})
		}
	}
	return jobs
}

// pieces cuts a debug section; nil if the contributions do not stand in the order of their relocations.
func (r *relocator) pieces(t *relocTarget) []relocJob {
	var jobs []relocJob
	end := uint64(len(t.sec.Data))
	for hi := len(t.parts); hi > 0; hi -= partsPerPiece {
		lo := max(hi-partsPerPiece, 0)
		begin := end
		for _, part := range t.parts[lo:hi] {
			in := r.l.Inputs[part.In]
			patched := int(in.File.Sections[part.Sec].TextIndex())
			if in.Secs[patched].Out != t.sec.ID {
				continue
			}
			if in.Secs[patched].Off+in.File.Sections[patched].Size > end {
				return nil
			}
			begin = min(begin, in.Secs[patched].Off)
		}
		jobs = append(jobs, relocJob{t: t, parts: t.parts[lo:hi], end: end})
		end = begin
	}
	return jobs
}

// deliver adds what stays to the image's sections, behind entries that another pass made (descriptors).
func (j *relocJob) deliver() {
	if len(j.rel) > 0 && j.t.rel != nil {
		j.t.rel.Rels = concat(j.t.rel.Rels, j.rel)
	}
	if len(j.rela) > 0 && j.t.rela != nil {
		j.t.rela.Rels = concat(j.t.rela.Rels, j.rela)
	}
	j.t.settled = concat(j.t.settled, j.settled)
}

// concat appends b to a, without a copy if there is no a yet.
func concat(a, b []outRel) []outRel {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}

func newRelocator(l *link) *relocator {
	r := &relocator{l: l, table: l.dispositions(), class: slab.Make[symbolClass](len(l.Syms)), userBank: l.sizeOfUserBank()}
	l.ranges(len(l.Syms), func(lo, hi int) {
		for i := max(lo, 1); i < hi; i++ {
			r.class[i] = l.symbolClass(&l.Syms[i])
		}
	})
	at := slab.Make[int32](len(l.Secs))
	r.targets = slab.Cap[relocTarget](0, len(l.Secs)/2)
	target := func(sec secID) *relocTarget {
		if at[sec] == 0 {
			r.targets = append(r.targets, relocTarget{sec: l.Secs[sec]})
			at[sec] = int32(len(r.targets))
		}
		return &r.targets[at[sec]-1]
	}
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindRel, kindRela:
		default:
			continue
		}
		if s.Target == 0 {
			continue
		}
		t := target(s.Target)
		if s.Kind == kindRel {
			t.rel = s
		} else {
			t.rela = s
		}
	}
	for i := range l.lostDebug {
		t := target(l.lostDebug[i].target)
		t.lost = append(t.lost, l.lostDebug[i].part)
	}
	asked := make([]bool, len(l.Inputs))
	for i := range r.targets {
		t := &r.targets[i]
		t.parts = joinParts(joinParts(t.rel.parts(), t.rela.parts()), t.lost)
		t.resolved = l.resolvedOf(t.sec)
		if holdsVariables(t.sec) {
			for _, part := range t.parts {
				asked[part.In] = true
			}
		}
	}
	l.indexVariables(asked)
	r.markReplaced()
	if l.Mercury {
		r.markAliasedEarly()
	}
	if l.rel && l.Mercury {
		r.headerBase = l.largestParameterBank()
	}
	return r
}

// parts are a section's contributions, none if there is no section.
func (s *section) parts() []part {
	if s == nil {
		return nil
	}
	return s.Parts
}

// joinParts merges two lists of relocation sections of one target into reading order.
func joinParts(a, b []part) []part {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]part, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].In < b[0].In || a[0].In == b[0].In && a[0].Sec < b[0].Sec {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// markReplaced notes which code sections of inputs with replaced definitions have relocations.
func (r *relocator) markReplaced() {
	r.codeHasRels = make([][]bool, len(r.l.Inputs))
	for i, in := range r.l.Inputs {
		if !in.replaced || !slices.ContainsFunc(in.Secs, func(s inSection) bool { return s.Lost == replacedLater }) {
			continue
		}
		r.codeHasRels[i] = in.patched()
	}
}

// largestParameterBank is the size of the largest parameter bank of any input, as descriptors would be aligned behind it.
func (l *link) largestParameterBank() uint64 {
	size := uint64(0)
	for _, in := range l.Inputs {
		for i := range in.File.Sections {
			if s := &in.File.Sections[i]; kindOf(s.Name, s.Owned()) == kindConstEntry {
				size = max(size, s.Size)
			}
		}
	}
	return alignUp(size, 16)
}

// relocationError is a relocation that cannot be disposed of. id is the message it ends the link with.
type relocationError struct {
	id      diag.ID
	file    string
	section string
	offset  uint64
	problem string
}

func (e *relocationError) Error() string {
	return fmt.Sprintf("%s: section %q, relocation at offset %#x: %s", e.file, e.section, e.offset, e.problem)
}

// report ends the link with an error's message.
func (r *relocator) report(err error) error {
	var e *relocationError
	if !errors.As(err, &e) {
		return err
	}
	if e.id == diag.MalformedInput || e.id == diag.UnsupportedInput {
		return r.l.Diag.Fatal(e.id, e.file, fmt.Sprintf("section %q: offset %#x: %s", e.section, e.offset, e.problem))
	}
	return fmt.Errorf("%w (%w)", r.l.Diag.FatalNote(e.Error()+".", e.id), e)
}
