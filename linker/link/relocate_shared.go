package link

import (
	"github.com/culink/culink/linker/reloc"
)

// sharedValue is S of a shared variable: its offset in the kernel's shared memory, not counting the reserved bytes that
// st_value of an image counts from sm_90 on (observed). Dynamic shared memory has a place for each function that uses it.
func (p *patcher) sharedValue(e *pending) uint64 {
	s := &p.l.Syms[e.sym]
	if p.l.rel {
		switch {
		case e.dynamic && !p.l.debugShared():
			return 0
		case s.Def == noFile && !e.dynamic:
			return ^uint64(0)
		}
		return s.Value
	}
	if s.Def != noFile && s.Sec == 0 { // of a kernel that is not in the image: debug data alone name it
		return ^uint64(0)
	}
	if e.dynamic && s.Def == noFile && p.code {
		return p.l.dynamicShared(p.sec, e.sym)
	}
	if e.dynamic && s.Def == noFile && p.l.mem.dynamicUncounted {
		return s.Value
	}
	return p.l.sharedOffset(e.sym)
}

// applyReference writes the place of a texture's, sampler's or surface's descriptor in bank 0. Entries of other types, or
// outside code, ask for no descriptor and stay. They never get into .nv.resolvedrela* (observed).
func (p *patcher) applyReference(e *pending) error {
	if !p.code || !triggersDescriptor(e.typ) {
		return p.keep(e)
	}
	if p.l.rel {
		return p.applyReferenceEarly(e)
	}
	slot, base := p.l.descriptorPlace(e.sym)
	if p.l.Mercury && e.typ == reloc.Abs16At32 {
		slot -= base
	}
	return p.write(e, slot, 0)
}

// applyReferenceEarly does what the reference does in a relocatable link: below sm_100 it writes 0 in the bank of no
// section and forgets the entry; from sm_100 on it writes where descriptors would begin and keeps the entry (observed).
func (p *patcher) applyReferenceEarly(e *pending) error {
	if !p.l.Mercury {
		return p.settle(e, 0, p.bank(e))
	}
	if p.headerBase != 0 {
		base := p.headerBase
		if e.typ == reloc.Abs16At32 {
			base = 0
		}
		if err := p.write(e, base, 0); err != nil {
			return err
		}
	}
	return p.keep(e)
}
