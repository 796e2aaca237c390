package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/slab"
)

// patcher works on one section that relocations patch.
type patcher struct {
	*relocator
	t    *relocTarget
	sec  *section
	code bool // a code section
	// dropsLost: entries against functions whose definition in the same input lost go (observed: 13.0, three sections).
	dropsLost bool
	relaFirst bool     // the target's RELA section was made before its REL section
	moved     *rebuilt // places of what was taken apart and put together anew (Mercury links)

	// The twin of the contribution whose Mercury frames were asked for last.
	twins    []twinFrame
	twinPart int
	twinRead bool

	// The input section that is read, and the relocation section that patches it.
	in        *input
	from      int32
	number    int    // of the entry
	twinRel   int32  // the twin of the relocation section, 0 if none
	base      uint64 // place of the contribution
	vars      []heldVariable
	part      *rebuiltPart
	relSec    *cubin.Section
	rela      bool
	symbols   []cubin.Symbol
	linkSyms  []symID
	data      []byte // the section's bytes, as far as this job may write them
	kept      slab.Pool[outRel]
	keptREL   []outRel
	keptRELA  []outRel
	settled   []outRel
	variables bool // the section holds variables, and where they went decides
}

// work disposes of all entries of a job. The patcher is the goroutine's own.
func (r *relocator) work(p *patcher, job *relocJob) error {
	t := job.t
	*p = patcher{relocator: r, t: t, sec: t.sec, data: t.sec.Data, code: t.sec.Kind == kindText, kept: p.kept,
		keptREL: p.keptREL[:0], keptRELA: p.keptRELA[:0], settled: p.settled[:0], vars: p.vars[:0]}
	if job.end < uint64(len(p.data)) {
		p.data = p.data[:job.end]
	}
	p.variables = holdsVariables(t.sec)
	if t.sec.Kind == kindDebug {
		p.dropsLost = r.l.release.dropsLostDebug && (isFrameSection(t.sec.Name) || isLineSection(t.sec.Name))
		p.relaFirst = t.rel != nil && t.rela != nil && t.rela.ID < t.rel.ID
	}
	if r.l.Mercury && t.sec.Kind == kindDebug {
		if err := p.rebuild(); err != nil {
			return err
		}
		p.data = p.sec.Data
	}
	for _, part := range slices.Backward(job.parts) {
		if err := p.input(&part); err != nil {
			return err
		}
	}
	if p.moved != nil && isLineSection(t.sec.Name) {
		slices.SortStableFunc(p.keptRELA, func(a, b outRel) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	job.rel, job.rela, job.settled = p.copyOf(p.keptREL), p.copyOf(p.keptRELA), p.copyOf(p.settled)
	return nil
}

// copyOf takes a list out of the patcher, which uses its own again.
func (p *patcher) copyOf(list []outRel) []outRel {
	if len(list) == 0 {
		return nil
	}
	out := p.kept.Take(len(list))
	copy(out, list)
	return out
}

// holdsVariables reports whether a section's entries move with the variables that cover them.
func holdsVariables(s *section) bool {
	return s.Kind == kindGlobalInit || s.Kind == kindConstUser || s.Kind == kindUDT
}

// input disposes of the entries of one input's relocation section, the last first.
func (p *patcher) input(part *part) error {
	if part.Sec == 0 {
		return nil // entries for the twin alone
	}
	p.in = p.l.Inputs[part.In]
	p.relSec, p.twinRel = &p.in.File.Sections[part.Sec], part.Merc
	p.rela = p.relSec.Type != cubin.SHTRel
	p.symbols, p.linkSyms = p.in.File.Symbols, p.in.PlainSyms
	p.from = int32(p.relSec.TextIndex())
	sec := &p.in.Secs[p.from]
	if sec.Out != p.sec.ID || sec.Dead || p.code && !p.holds(part.In, p.from) {
		return nil
	}
	p.base = sec.Off
	if p.moved != nil {
		p.part = p.moved.find(part.In, p.from)
	}
	if p.variables {
		p.vars = p.l.heldVariables(p.in, p.from, p.sec.Kind, p.vars[:0])
	}
	for i := p.relSec.NumRels() - 1; i >= 0; i-- {
		p.number = i
		if err := p.entry(p.relSec.RelAt(i)); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether the code section's bytes are that input's.
func (p *patcher) holds(in fileID, index int32) bool {
	parts := p.sec.Parts
	return len(parts) > 0 && parts[0].In == in && parts[0].Sec == index
}

// entry disposes of one entry.
func (p *patcher) entry(r cubin.Rel) error {
	if int(r.Sym) >= len(p.symbols) {
		return p.refuse(diag.MalformedInput, &r, "its symbol number is outside the symbol table")
	}
	y := &p.symbols[r.Sym]
	if p.dropsLost && p.definitionLost(p.in, y, p.rela || p.relaFirst) {
		return nil
	}
	if p.sec.Kind == kindConstUser && p.l.pointerLost(p.in, y, p.linkSyms[r.Sym], p.in.lossOf(int(r.Sym), p.l.view(p.in)), p.vars, r.Offset) {
		return nil
	}
	off, gone, err := p.place(&r)
	if gone || err != nil {
		return err
	}
	e := pending{Rel: r, off: off, typ: reloc.Type(r.Type)}
	if !p.bind(&e, y) {
		return nil
	}
	if p.twinRel != 0 && e.class == classFunction && p.sec.Kind == kindDebug && p.moved == nil {
		p.endAtWinner(&e, y)
	}
	if p.l.plainTypes() {
		e.typ = reloc.Plain(e.typ)
	}
	return p.dispose(&e)
}

// pending is an entry with its place and symbol in the image.
type pending struct {
	cubin.Rel
	off     uint64
	typ     reloc.Type
	sym     symID
	class   symbolClass
	plus    uint64 // what the place of the contribution adds to a REL entry's field
	dynamic bool   // dynamic shared memory
}

// place translates r_offset.
func (p *patcher) place(r *cubin.Rel) (off uint64, gone bool, err error) {
	if size := p.in.File.Sections[p.from].Size; r.Offset >= size {
		return 0, false, p.refuse(diag.MalformedInput, r, fmt.Sprintf("it lies past the end of section %q (%#x bytes)", p.in.File.Sections[p.from].Name, size))
	}
	switch {
	case p.moved != nil:
		off, ok := p.part.place(r.Offset)
		return off, !ok, nil
	case p.variables:
		if v := findVariable(p.vars, r.Offset); v != nil {
			return v.value + (r.Offset - v.start), v.gone, nil
		}
		if p.sec.Kind == kindUDT && !p.l.rel {
			return 0, true, nil // bytes of no variable are not in the table
		}
	}
	return p.base + r.Offset, false, nil
}

// bind finds the symbol of the image. It reports whether anything is left to do.
func (p *patcher) bind(e *pending, y *cubin.Symbol) bool {
	switch y.Type() {
	case cubin.STTSection:
		if e.Sym == 0 {
			break
		}
		return p.bindSection(e, y)
	case cubin.STTNotype:
		if e.Sym != 0 {
			e.class = classLabel
			return true
		}
	}
	if e.Sym == 0 {
		e.class = classSection
		return true
	}
	e.sym = p.linkSyms[e.Sym]
	if e.sym == 0 {
		e.class = classAbsent
		if y.Type() == cubin.STTFunc {
			e.class = classDead
		}
		return true
	}
	e.dynamic = y.Type() == cubin.STTCudaObject && y.Space() == cubin.STOShared && y.Size == 0
	if p.l.rel && e.dynamic && p.code {
		id := p.l.externInstance[p.sec.ID]
		if id == 0 && e.sym == p.l.instance {
			id = p.l.instance // with -g an instance that is there already is left to the later link (observed)
		}
		if id != 0 {
			e.sym, e.class = id, classDeferred
			return true
		}
	}
	e.sym = p.l.aliasOwner(e.sym)
	e.class = p.class[e.sym]
	return true
}

// aliasOwner replaces a second name of a function by the function that the code section belongs to.
func (l *link) aliasOwner(id symID) symID {
	s := &l.Syms[id]
	if s.Type() == cubin.STTFunc && s.Sec != 0 && s.Value == 0 && l.Secs[s.Sec].Kind != kindUFT {
		if owner := l.Secs[s.Sec].Fn; owner != 0 {
			return owner
		}
	}
	return id
}

// bindSection resolves a section symbol: the joined section's, and the place of this input's contribution is added.
func (p *patcher) bindSection(e *pending, y *cubin.Symbol) bool {
	if y.Shndx == cubin.SHNUndef || int(y.Shndx) >= len(p.in.Secs) {
		e.class = classAbsent
		return true
	}
	sec := &p.in.Secs[y.Shndx]
	if p.l.Mercury && isFrameSection(p.sec.Name) {
		return false // the pointer to the CIE is written anew
	}
	if sec.Out == 0 || sec.Dead {
		e.class = classAbsent
		return true
	}
	out := p.l.Secs[sec.Out]
	e.sym, e.class = out.Sym, classSection
	plus := sec.Off
	if lines := p.lines[sec.Out]; lines != nil {
		plus = lines.find(p.in.ID, int32(y.Shndx)).shift(uint64(e.Addend))
	}
	if p.rela {
		e.Addend += int64(plus)
	} else {
		e.plus = plus
	}
	switch {
	case out.Kind == kindGlobal, out.Kind == kindGlobalInit, out.Kind == kindUDT:
		e.class = classLoaded
	case p.l.rel && (p.l.KeepSettledRelocs || p.l.Mercury && isLineSection(out.Name)):
		e.class = classDeferred
	}
	return true
}

// dispose does what the table says.
func (p *patcher) dispose(e *pending) error {
	what := p.table[e.class][typeClassOf(e.typ)]
	switch {
	case e.class == classReference && what == apply:
		return p.applyReference(e)
	case what == keep && e.sym != 0 && p.l.Syms[e.sym].Index == 0:
		// The symbol is not in the image: nothing can be left to the loader.
		what = drop
		if e.class == classShared {
			what = refuseDeleted
		}
	}
	switch what {
	case drop:
		return nil
	case keep:
		return p.keep(e)
	case apply:
		return p.apply(e)
	case clearField:
		if err := p.write(e, 0, 0); err != nil {
			return err
		}
		p.record(e, e.Addend)
		return nil
	case toNop:
		if p.data == nil || !reloc.NeverYield(e.typ, p.data, e.off, uint64(e.Addend)) {
			return p.refuse(diag.MalformedInput, &e.Rel, "no instruction to change")
		}
		p.record(e, e.Addend)
		return nil
	case refuseDeleted:
		return p.refuse(diag.DeletedSymbol, &e.Rel, "no field to write, and the symbol is not in the image")
	case refuseBranch:
		return p.refuse(diag.BranchOtherSection, &e.Rel, "a PC-relative branch needs code as its target")
	case refuseDescriptor:
		return p.refuse(diag.UnsupportedInput, &e.Rel, "a function descriptor of something that is no function")
	}
	return p.refuse(diag.UnexpectedNVRS, &e.Rel, fmt.Sprintf("unknown type %d", e.Type))
}

// keep leaves the entry to the loader, or to a later link.
func (p *patcher) keep(e *pending) error {
	out := outRel{Offset: e.off, Sym: e.sym, Type: uint32(e.typ), Addend: e.Addend}
	switch {
	case p.rela:
		p.keptRELA = append(p.keptRELA, out)
		return nil
	case p.l.ForceRela: // the field keeps its addend, too (observed)
		old, err := p.inField(e)
		if err != nil {
			return err
		}
		out.Addend = int64(old)
		p.keptRELA = append(p.keptRELA, out)
	default:
		p.keptREL = append(p.keptREL, out)
	}
	if e.plus != 0 {
		return p.write(e, e.plus, 0)
	}
	return nil
}

// apply writes the value.
func (p *patcher) apply(e *pending) error {
	return p.settle(e, p.value(e), p.bank(e))
}

// settle writes S into the fields of an entry and notes it for --preserve-relocs.
func (p *patcher) settle(e *pending, s uint64, bank uint32) error {
	addend := e.Addend
	if !p.rela {
		s += e.plus
		old, err := p.oldField(e)
		if err != nil {
			return err
		}
		addend = int64(old)
	}
	if err := p.write(e, s, bank); err != nil {
		return err
	}
	p.record(e, addend)
	return nil
}

// write puts S (and A) into the fields of the entry's type.
func (p *patcher) write(e *pending, s uint64, bank uint32) error {
	if p.data == nil {
		return p.refuse(diag.MalformedInput, &e.Rel, "the section that it patches has no bytes")
	}
	err := reloc.Apply(e.typ, p.data, e.off, reloc.Values{S: s, A: uint64(e.Addend), P: e.off, Bank: bank, REL: !p.rela})
	if err != nil {
		return p.refuse(diag.MalformedInput, &e.Rel, err.Error())
	}
	return nil
}

// oldField is the addend that a REL entry keeps in its field, the place of the contribution included.
func (p *patcher) oldField(e *pending) (uint64, error) {
	if p.t.resolved == nil {
		return 0, nil
	}
	return p.inField(e)
}

// inField is oldField whether or not applied entries are preserved.
func (p *patcher) inField(e *pending) (uint64, error) {
	d, ok := reloc.Lookup(e.typ)
	if !ok {
		return 0, nil
	}
	old, err := d.Extract(p.data, e.off)
	if err != nil {
		return 0, p.refuse(diag.MalformedInput, &e.Rel, err.Error())
	}
	return old + e.plus>>d.Actions[0].Shift, nil
}

func (p *patcher) refuse(id diag.ID, r *cubin.Rel, problem string) error {
	return &relocationError{id: id, file: p.in.Name, section: p.relSec.Name, offset: r.Offset, problem: problem}
}

// definitionLost reports whether y is a function whose definition in this input is not the image's, and whose entries in
// .debug_frame, .debug_line and .nv_debug_line_sass go therefore. 13.0 drops them when another definition stood before;
// when one came later, only RELA entries and, where the target's RELA section is the older one, all, and only if the losing code had
// relocations of its own (observed).
func (r *relocator) definitionLost(in *input, y *cubin.Symbol, rela bool) bool {
	if y.Type() != cubin.STTFunc || y.Shndx == cubin.SHNUndef || int(y.Shndx) >= len(in.Secs) {
		return false
	}
	switch in.Secs[y.Shndx].Lost {
	case lostOnArrival:
		return true
	case replacedLater:
		return rela && r.codeHasRels[in.ID][y.Shndx]
	}
	return false
}
