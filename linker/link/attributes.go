package link

import (
	"context"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// attributeState is what the passes over functions' attributes hand to each other.
type attributeState struct {
	// plain are the records of .nv.info*, merc those of their twins (nil without Mercury).
	plain, merc *infoForm
	// stack is, by funcID, the stack size of the deepest call path, or recursive.
	stack []uint32
	// barriersMoved marks functions whose barrier count went from section flags into a record.
	barriersMoved []bool
	// ctaConflicts are entries that use single CTAs and pairs of them.
	ctaConflicts []ctaConflict
	compat       compatMerge
}

// view is the form that the link goes by.
func (a *attributeState) view() *infoForm {
	if a.merc != nil {
		return a.merc
	}
	return a.plain
}

// propagate reads the functions' attributes and hands them from functions to the entries that reach them. Symbol numbers
// are final.
func (l *link) propagate(ctx context.Context) error {
	if err := l.checkCompat(); err != nil {
		return err
	}
	a := &l.attr
	a.barriersMoved = make([]bool, len(l.Funcs))
	var err error
	if a.plain, err = l.readInfo(false); err != nil {
		return err
	}
	if l.Mercury {
		if a.merc, err = l.readInfo(true); err != nil {
			return err
		}
	}
	if l.rel {
		return nil
	}
	v := a.view()
	a.stack = l.deepest(func(f funcID) uint32 { return v.own[f].frame })
	a.plain.propagateForm()
	if a.merc != nil {
		a.merc.propagateForm()
	}
	return nil
}

// reportFunctions prints the call graph if asked to, and reports entries that call functions with more registers than
// they allow.
func (l *link) reportFunctions() {
	l.dotGraph()
	if l.rel {
		return
	}
	v := l.attr.view()
	names := l.dumpCallgraph(v)
	for _, c := range l.attr.ctaConflicts {
		l.Diag.Report(diag.CtaGroupConflict, l.Syms[l.Funcs[c.entry].Sym].Name)
	}
	v.reportRaises(names)
}

// attributes makes the sections that describe functions and the file: .nv.info*, .nv.callgraph, .nv.prototype,
// .nv.compat and the notes; and it sets what the headers of code sections say about registers and barriers.
func (l *link) attributes(ctx context.Context) error {
	if err := l.encodeForms(l.attr.plain, l.attr.merc, []func(){l.makeSymbolStrings, l.makeSectionStrings}, l.encodeCallgraph); err != nil {
		return l.refuse(err)
	}
	l.encodeNotes()
	l.codeHeaders()
	l.encodeCompat()
	return nil
}

// codeHeaders copies what an input's header of a code section says beyond the ordinary: the register count, which is
// the function's own, and barriers, which entries of ABI 7 take over from what they reach (observed).
func (l *link) codeHeaders() {
	for _, s := range l.Secs[1:] {
		if s.Kind != kindText || len(s.Parts) == 0 || s.Parts[0].Sec == 0 {
			continue
		}
		p := &s.Parts[0]
		h := &l.Inputs[p.In].File.Sections[p.Sec]
		s.ExtraInfo = h.Info & 0xff000000
		s.ExtraFlags = h.Flags
		fn := l.Syms[s.Fn].Func
		if l.attr.barriersMoved[fn] {
			s.ExtraFlags &^= cubin.BarrierMask
		} else if !l.rel && l.Funcs[fn].Entry && !(l.release.newAttributes && l.attr.plain.hasBarriers(fn)) {
			count := uint64(l.attr.plain.sums.of(fn).barriers)
			s.ExtraFlags = s.ExtraFlags&^cubin.BarrierMask | count<<cubin.BarrierShift
		}
	}
	l.stubHeader()
}
