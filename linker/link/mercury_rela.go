package link

import (
	"cmp"
	"errors"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// twinRelocator disposes of the entries that patch twins (.nv.merc.rela.*). It differs from the relocation of plain
// sections in what a twin is: code is a capsule, which has fields only where an instruction is written out, and most
// entries are left to the loader, which makes the final code from the capsule.
type twinRelocator struct {
	l       *link
	targets []twinTarget
	class   []symbolClass // by symID
}

// twinTarget is a section whose twin entries patch, with the sections for what stays and for what was applied.
type twinTarget struct {
	sec, rela, resolved *section
	settled             []outRel // in image order
}

func newTwinRelocator(l *link) *twinRelocator {
	t := &twinRelocator{l: l, class: make([]symbolClass, len(l.Syms))}
	for i := 1; i < len(l.Syms); i++ {
		t.class[i] = l.symbolClass(&l.Syms[i])
	}
	for _, s := range l.Secs[1:] {
		if s.Kind == kindRela && s.Target != 0 && len(s.Parts) > 0 {
			sec := l.Secs[s.Target]
			t.targets = append(t.targets, twinTarget{sec: sec, rela: s, resolved: l.resolvedOf(sec)})
		}
	}
	return t
}

// twinPatcher works on the twin of one section.
type twinPatcher struct {
	*twinRelocator
	twinTarget
	code bool
	// dropsLost: entries against what lost in the same input go.
	dropsLost bool

	in      *input
	part    *part
	rel     *cubin.Section
	base    uint64 // where the contribution begins in the twin
	size    uint64 // how long it is
	lost    []span64
	vars    []heldVariable // of user constants, and of an executable's table of unified variables
	patched []bool         // by section of the input; nil until asked for
	capsule *capsuleFields
	kept    []outRel
	settled []outRel
}

// span64 is a range of offsets.
type span64 struct{ start, end uint64 }

// section disposes of all entries that patch one section's twin. What stays is in the reverse of the order of reading.
func (t *twinRelocator) section(target *twinTarget) error {
	p := &twinPatcher{twinRelocator: t, twinTarget: *target, code: target.sec.Kind == kindText || target.sec.Kind == kindUFT}
	p.dropsLost = isFrameSection(p.sec.Name) || isLineSection(p.sec.Name)
	for i := range p.rela.Parts {
		if err := p.input(&p.rela.Parts[i]); err != nil {
			return err
		}
	}
	slices.Reverse(p.kept)
	p.rela.MercRels = p.kept
	slices.Reverse(p.settled)
	target.settled = p.settled
	return nil
}

// collectSettled gathers what was applied. Local functions of one name share a section.
func (t *twinRelocator) collectSettled() {
	for i := range slices.Backward(t.targets) {
		if p := &t.targets[i]; p.resolved != nil {
			p.resolved.MercRels = append(p.resolved.MercRels, p.settled...)
		}
	}
}

// input disposes of the entries of one input's relocation section.
func (p *twinPatcher) input(part *part) error {
	if part.Merc == 0 {
		return nil
	}
	p.part, p.in = part, p.l.Inputs[part.In]
	p.rel = &p.in.File.Sections[part.Merc]
	from := int32(p.rel.TextIndex())
	sec := &p.in.Secs[from]
	if sec.Out != p.sec.ID || sec.Dead || !p.counts(part.In, from) {
		return nil
	}
	p.base, p.size = sec.Off, p.in.File.Sections[from].Size
	p.capsule, p.lost, p.patched = nil, nil, nil
	switch p.sec.Kind {
	case kindUDT, kindConstUser:
		plain, _ := p.in.forms(from)
		p.vars = p.l.heldVariables(p.in, plain, p.sec.Kind, p.vars[:0])
	case kindText, kindUFT:
		p.base = 0
		if p.sec.ID == p.l.uft {
			p.base = sec.Off/unifiedSlot*mercurySlot - stubEntry
		}
		p.capsule = &capsuleFields{in: p.in, part: part, data: p.sec.MercData}
	case kindGlobalInit:
		p.lost = p.l.lostWeak(p.in, from)
	}
	for i := range p.rel.NumRels() {
		if err := p.entry(p.rel.RelAt(i)); err != nil {
			return err
		}
	}
	return nil
}

// counts reports whether the entries of a contribution are used. Those of a capsule that another input gives are not;
// jump tables stay in every copy that layout keeps: the one that counts and those that lost on arrival.
func (p *twinPatcher) counts(in fileID, twin int32) bool {
	switch p.sec.Kind {
	case kindText, kindUFT:
		if p.sec.ID == p.l.uft {
			return true
		}
		return len(p.sec.Parts) > 0 && p.sec.Parts[0].In == in && p.sec.Parts[0].Merc == twin
	case kindConstFunc:
		return p.sec.Owner == 0 || in >= p.l.Syms[p.l.Secs[p.sec.Owner].Fn].Def
	}
	return true
}

// lostWeak lists, in ascending order, the places of weak variables that met a known weak one: their entries go. Those of
// other definitions that lost stay and patch bytes that nothing names (observed).
func (l *link) lostWeak(in *input, twin int32) []span64 {
	var out []span64
	for i, lost := range in.Lost {
		y := &in.File.MercSymbols[i]
		if lost != lostOnArrival || int32(y.Shndx) != twin || y.Binding() != cubin.STBWeak {
			continue
		}
		if s := &l.Syms[in.Syms[i]]; s.Binding() == cubin.STBWeak || s.Def > in.ID {
			out = append(out, span64{y.Value, y.Value + max(y.Size, 1)})
		}
	}
	slices.SortFunc(out, func(a, b span64) int { return cmp.Compare(a.start, b.start) })
	return out
}

func covers(spans []span64, off uint64) bool {
	i, found := slices.BinarySearchFunc(spans, off, func(s span64, off uint64) int { return cmp.Compare(s.start, off) })
	return found || i > 0 && off < spans[i-1].end
}

// twinEntry is an entry on its way: its place in the twin and its symbol in the image.
type twinEntry struct {
	cubin.Rel
	off     uint64
	typ     reloc.Type
	entered symID // as the input names it
	sym     symID // an alias replaced by its function
	dynamic bool  // dynamic shared memory
}

// entry disposes of one entry.
func (p *twinPatcher) entry(r cubin.Rel) error {
	if int(r.Sym) >= len(p.in.File.MercSymbols) {
		return p.refuse(&r, "its symbol number is outside the symbol table")
	}
	if !p.code && r.Offset >= p.size {
		return p.refuse(&r, "it lies past the end of the section that it patches")
	}
	off, gone := p.place(r.Offset)
	if gone || p.sec.Kind == kindConstFunc && off >= p.sec.Size {
		return nil // the place of a losing copy's tables, which an earlier link left behind, is not in the image
	}
	y := &p.in.File.MercSymbols[r.Sym]
	e := twinEntry{Rel: r, off: off, typ: reloc.Type(r.Type)}
	if e.typ == reloc.MercuryNone {
		return p.refuseAs(diag.UnexpectedReloc, &r, "a relocation without a type")
	}
	if y.Type() == cubin.STTSection {
		return p.againstSection(&e, y)
	}
	class := p.bind(&e, y)
	return p.dispose(&e, class, y)
}

// place translates r_offset. Bytes of no variable are not in the table of unified variables.
func (p *twinPatcher) place(offset uint64) (off uint64, gone bool) {
	if p.sec.Kind != kindUDT || p.l.rel {
		return p.base + offset, false
	}
	v := findVariable(p.vars, offset)
	if v == nil || v.gone {
		return 0, true
	}
	return v.value + (offset - v.start), false
}

// bind finds an entry's symbol in the image, and its class.
func (p *twinPatcher) bind(e *twinEntry, y *cubin.Symbol) symbolClass {
	e.entered = p.in.Syms[e.Sym]
	e.sym = p.l.aliasOwner(e.entered)
	e.dynamic = y.DynamicShared()
	if p.l.rel && p.code && e.dynamic {
		id := p.l.externInstance[p.sec.ID]
		if id == 0 && e.sym == p.l.instance {
			id = p.l.instance
		}
		if id != 0 {
			e.sym = id
			return classLoaded
		}
	}
	return p.class[e.sym]
}

// dispose applies an entry, keeps or drops it. The cases stand in the order in which they exclude one another (observed).
func (p *twinPatcher) dispose(e *twinEntry, class symbolClass, y *cubin.Symbol) error {
	s := &p.l.Syms[e.sym]
	switch {
	case e.sym == 0, class == classMarker, class == classMissing:
		return nil
	case class == classReference && p.code && !p.l.rel && reloc.Bindless(e.typ):
		slot, base := p.l.descriptorPlace(e.sym)
		return p.apply(e, slot-base)
	case covers(p.lost, e.Offset), p.definitionLost(e, y):
		return nil
	case e.typ == reloc.MercuryFuncDesc64 && class != classFunction && class != classDead:
		return p.refuseAs(diag.UnsupportedInput, &e.Rel, "a function descriptor of something that is no function")
	case e.typ == reloc.MercuryUnusedClear64 && class != classLoaded:
		return p.clearUnused(e, s)
	case (class == classConstant || class == classShared) && !p.leavesToLoader(e.typ):
		return p.settle(e, class, s)
	case class == classShared && s.Index == 0 && !p.l.rel:
		return p.refuseAs(diag.DeletedSymbol, &e.Rel, "no field to write, and the symbol is not in the image")
	case s.Index == 0:
		return nil
	}
	p.keep(e)
	return nil
}

// leavesToLoader tells types whose entries stay whatever they name: those that only the loader applies and, in a relocatable
// link, unified ones (observed for all types against constants and shared variables).
func (p *twinPatcher) leavesToLoader(t reloc.Type) bool {
	return reloc.Loader(t) || p.l.rel && t.Of(reloc.ClassUnified)
}

// clearUnused clears the address range of a function that is not in the image. A relocatable link that leaves decisions
// to a later one keeps the entry as long as the function is there.
func (p *twinPatcher) clearUnused(e *twinEntry, s *symbol) error {
	if s.Index == 0 {
		return p.write(e, e.off, 0)
	}
	if p.l.rel && p.l.KeepSettledRelocs {
		p.keep(e)
	}
	return nil
}

// definitionLost reports whether an entry goes because it stands for a definition that is not the image's. In debug data
// that is a function that lost on arrival, or one that was replaced later and has entries of its own (observed); about constants see
// pointerLost.
func (p *twinPatcher) definitionLost(e *twinEntry, y *cubin.Symbol) bool {
	loss := p.in.Lost[e.Sym]
	switch {
	case p.sec.Kind == kindConstUser:
		return p.l.pointerLost(p.in, y, e.entered, loss, p.vars, e.Offset)
	case !p.dropsLost, loss == notLost, y.Type() != cubin.STTFunc:
		return false
	}
	return loss == lostOnArrival || p.sec.Kind == kindDebug && p.hasEntries(y.Shndx)
}

// hasEntries reports whether the input has entries that patch a section's twin.
func (p *twinPatcher) hasEntries(twin uint32) bool {
	if p.patched == nil {
		p.patched = make([]bool, len(p.in.File.Sections))
		for i := range p.in.File.Sections {
			if s := &p.in.File.Sections[i]; s.Type == cubin.SHTMercRela && s.Size > 0 {
				p.patched[s.TextIndex()] = true
			}
		}
	}
	return int(twin) < len(p.patched) && p.patched[twin]
}

// againstSection disposes of an entry against a section symbol, which in debug data means this input's contribution to
// that section. What only the loader can write stays, its addend counting from the joined section.
func (p *twinPatcher) againstSection(e *twinEntry, y *cubin.Symbol) error {
	if y.Shndx == cubin.SHNUndef || int(y.Shndx) >= len(p.in.Secs) {
		return nil
	}
	sec := &p.in.Secs[y.Shndx]
	if sec.Out == 0 || sec.Dead {
		return nil
	}
	e.sym = p.l.Secs[sec.Out].Sym
	e.Addend += int64(sec.Off)
	if reloc.Loader(e.typ) || p.l.rel && p.l.KeepSettledRelocs {
		if p.l.Syms[e.sym].Index != 0 {
			p.keep(e)
		}
		return nil
	}
	return p.apply(e, 0)
}

// settle applies an entry whose symbol has its final value.
func (p *twinPatcher) settle(e *twinEntry, class symbolClass, s *symbol) error {
	value := s.Value
	switch {
	case class == classShared:
		value = p.sharedValue(e, s)
	case s.Def == noFile:
		value = ^uint64(0) // only in a relocatable link
	}
	if p.resolved != nil && p.code && class == classShared && s.Index != 0 {
		p.settled = append(p.settled, outRel{Offset: e.off, Sym: e.sym, Type: uint32(e.typ), Addend: e.Addend})
	}
	return p.apply(e, value)
}

// sharedValue is the place of a shared variable as Mercury counts it: without the reserved bytes.
func (p *twinPatcher) sharedValue(e *twinEntry, s *symbol) uint64 {
	switch {
	case p.l.rel && e.dynamic && !p.l.debugShared():
		return 0
	case p.l.rel && s.Def == noFile && !e.dynamic:
		return ^uint64(0)
	case p.l.rel:
		return s.Value
	case s.Def != noFile && s.Sec == 0: // of a kernel that is not in the image
		return ^uint64(0)
	case e.dynamic && s.Def == noFile && p.code:
		return p.l.dynamicShared(p.sec, e.sym)
	}
	return p.l.sharedOffset(e.sym)
}

// keep leaves the entry to the loader or to a later link. An executable shows no unified types.
func (p *twinPatcher) keep(e *twinEntry) {
	t := e.typ
	if p.l.plainTypes() {
		t = reloc.Plain(t)
	}
	p.kept = append(p.kept, outRel{Offset: e.off, Sym: e.sym, Type: uint32(t), Addend: e.Addend})
}

// apply writes S + A: in a capsule only if it has the instruction in full, since otherwise the loader takes the operand
// from the SASS; in data that the two forms share not at all, since the plain entry wrote it.
func (p *twinPatcher) apply(e *twinEntry, s uint64) error {
	switch p.sec.Kind {
	case kindText, kindUFT:
		off, ok, err := p.capsule.find(e.entered, e.Offset, fieldWidth(e.typ))
		if err != nil {
			return p.refuse(&e.Rel, err.Error())
		}
		if !ok {
			return nil
		}
		return p.write(e, off, s)
	case kindConstUser, kindGlobalInit:
		return nil
	}
	return p.write(e, e.off, s)
}

// write puts S + A at an offset of the twin. Types that only the loader can write have no field there.
func (p *twinPatcher) write(e *twinEntry, off, s uint64) error {
	err := reloc.Apply(e.typ, p.sec.MercData, off, reloc.Values{S: s, A: uint64(e.Addend), P: off})
	if err != nil && !errors.Is(err, reloc.ErrLeftToLoader) {
		return p.refuse(&e.Rel, err.Error())
	}
	return nil
}

func (p *twinPatcher) refuse(r *cubin.Rel, problem string) error {
	return p.refuseAs(diag.MalformedInput, r, problem)
}

func (p *twinPatcher) refuseAs(id diag.ID, r *cubin.Rel, problem string) error {
	return &relocationError{id: id, file: p.in.Name, section: p.rel.Name, offset: r.Offset, problem: problem}
}

// headerIndices makes the entries of descriptors' twins: those of the parameter bank, counted from the first slot, be it filled in or not.
func (t *twinRelocator) headerIndices() {
	for _, s := range t.l.Secs[1:] {
		if s.Kind != kindRela || s.Target == 0 || len(s.Rels) == 0 || t.l.Secs[s.Target].Kind != kindConstIndices {
			continue
		}
		bank := t.l.Secs[s.Target]
		base := t.l.table.base
		s.MercRels = make([]outRel, len(s.Rels))
		for i, r := range s.Rels {
			s.MercRels[i] = outRel{Offset: r.Offset - base, Sym: r.Sym, Type: uint32(twinHeaderType(reloc.Type(r.Type))), Addend: r.Addend}
		}
		bank.MercSize = max(bank.Size, base) - base
		bank.MercData = make([]byte, bank.MercSize)
	}
}

// twinHeaderType is the Mercury type of a slot that has the type t in the plain section.
func twinHeaderType(t reloc.Type) reloc.Type {
	for i := range headerRelocs {
		if row := &headerRelocs[i]; t == row.rela || t == row.rel {
			return row.mercury
		}
	}
	return reloc.MercuryNone
}
