package link

import (
	"context"
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// place is the layout pass: addresses and sizes, then what can be said once they are known, and the numbers of symbols.
// Messages stand in the reference's order: warnings, limits of spaces, undefined references, register limits, reserved memory, -v.
func (l *link) place(ctx context.Context) error {
	if err := l.layout(ctx); err != nil {
		return err
	}
	l.numberSymbols()
	before := l.Diag.Errors()
	if err := l.propagate(ctx); err != nil {
		return err
	}
	l.warnStacks()
	l.reportAddressTaken()
	if r := l.mem.refused; r != nil {
		return l.Diag.Fatal(r.id, r.args...)
	}
	l.reportLayoutErrors()
	l.reportUndefined()
	l.reportFunctions()
	l.reportReserved()
	if l.Verbose {
		l.verbose()
	}
	if l.Diag.Errors() > before {
		return ErrFailed
	}
	return nil
}

// reportAddressTaken is -extrawarn: functions whose address is taken though nothing calls them.
func (l *link) reportAddressTaken() {
	if !l.ExtraWarnings || l.rel || !l.dce {
		return
	}
	for i := 1; i < len(l.Funcs); i++ {
		if f := &l.Funcs[i]; f.Taken && !f.Live && !l.Syms[f.Sym].undefinedKernel() {
			l.Diag.Report(diag.AddressTakenUncalled, l.Syms[f.Sym].Name)
		}
	}
}

// reportUndefined names each undefined symbol that an executable may not leave open, in the order of the image's table.
func (l *link) reportUndefined() {
	if l.rel {
		return
	}
	for _, list := range [][]symID{l.Local, l.Global} {
		for _, id := range list {
			s := &l.Syms[id]
			if s.Of == 0 && s.Undefined() && !s.Dead && l.mustBeDefined(s) {
				l.Diag.Report(diag.UndefinedReference, s.Name, l.fileName(s.First))
			}
		}
	}
}

func (l *link) mustBeDefined(s *symbol) bool {
	switch {
	case s.Name == "" || s.Binding() == cubin.STBLocal || isReservedSmem(s.Name) || isUnifiedMarker(s.Name):
		return false
	case s.Type() == cubin.STTFunc:
		return !isSyscall(s.Name) && s.Binding() != cubin.STBWeak
	case isReference(s.Type()), s.Binding() == cubin.STBWeak, l.AllowUndefGlobals && s.Space() == cubin.STOGlobal: // not constants, not shared (observed)
		return false
	case s.Shared() && s.Size == 0:
		return false
	}
	return s.isObject()
}

// finalize makes the tables that speak of numbers and decides the file's layout.
func (l *link) finalize(ctx context.Context) error {
	l.finishEntries()
	if err := l.attributes(ctx); err != nil {
		return err
	}
	l.numberSections()
	if l.created >= wideSections {
		l.setTable(l.symtabShndx, l.sectionNumbers())
	}
	l.finishSectionStrings()
	l.setTable(l.strtab, l.strings.data)
	l.Secs[l.symtab].Size = uint64(len(l.numbering.symbols)+1) * uint64(l.form.Sym)
	l.Secs[l.symtab].MercSize = uint64(l.numbering.merc+1) * uint64(l.form.Sym)
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindRel:
			s.Size = uint64(len(s.Rels)) * uint64(l.form.Rel)
			s.MercSize = uint64(len(s.MercRels)) * uint64(l.form.Rel)
		case kindRela, kindResolved:
			s.Size = uint64(len(s.Rels)) * uint64(l.form.Rela)
			s.MercSize = uint64(len(s.MercRels)) * uint64(l.form.Rela)
		}
	}
	if err := l.finishMercury(ctx); err != nil {
		return err
	}
	if err := l.placeSections(); err != nil {
		return err
	}
	return nil
}

func (l *link) setTable(id secID, data []byte) {
	l.Secs[id].Data, l.Secs[id].Size = data, uint64(len(data))
}

// placeSections assigns file offsets in header order. A Mercury file has room after its string tables for names that
// shrank or were not needed: the reference sizes these tables before it renames sections (observed).
func (l *link) placeSections() error {
	cur, gaps := uint64(l.form.Ehdr), uint64(0)
	align := func(a uint64) uint64 {
		at := alignUp(cur, a)
		gaps += at - cur
		return at
	}
	for _, h := range l.numbering.order[1:] {
		s := l.Secs[h.sec]
		if h.merc {
			if s.ShareOff {
				s.MercOffset = s.Offset
				continue
			}
			s.MercOffset = align(l.mercAlign(s))
			cur = s.MercOffset + s.MercSize
			continue
		}
		s.Offset = align(l.align(s))
		cur = s.Offset
		if !s.NoBits() {
			cur += s.Size
		}
		if l.Mercury {
			switch s.Kind {
			case kindShstrtab:
				cur += 36
			case kindStrtab:
				cur += l.renamingRoom()
			}
		}
	}
	l.shoff = alignUp(cur, l.form.Align)
	if err := l.fits(); err != nil {
		return err
	}
	if gaps > l.gapLimit() {
		return l.Diag.Fatal(diag.UnsupportedInput, l.fileName(0), fmt.Sprintf("the alignments of sections ask for %#x bytes of padding", gaps))
	}
	return nil
}

// fits tests what ELF32 has fewer bits for.
func (l *link) fits() error {
	largest := l.shoff
	for _, h := range l.numbering.order[1:] {
		largest = max(largest, l.Secs[h.sec].Size)
	}
	if largest > l.form.MaxOffset-imageRest || uint64(len(l.numbering.symbols)) >= l.form.MaxSymbols {
		return l.Diag.Fatal(diag.UnsupportedInput, l.fileName(0), fmt.Sprintf("the image is too large for %v: %#x bytes, %d symbols", l.form.Class, largest, len(l.numbering.symbols)))
	}
	return nil
}

// imageRest is more than what follows the section data in a file.
const imageRest = 1 << 24

// renamingRoom is the number of bytes left free behind .strtab of a Mercury image.
func (l *link) renamingRoom() uint64 {
	room := 0
	for _, s := range l.Secs[1:] {
		if s.Index == 0 || !isRenamed(s) {
			continue
		}
		room += len(s.Name)
		if s.Kind != kindRel && s.Kind != kindRela && s.Kind != kindResolved {
			room -= len(plainName(s.Name)) + 1
		}
	}
	return uint64(room)
}

func (l *link) align(s *section) uint64 {
	switch row := s.row(); {
	case row.table:
		return l.form.Align
	case row.align != 0:
		return row.align
	}
	return max(s.Align, 1)
}

// mercAlign is sh_addralign of a section's Mercury form.
func (l *link) mercAlign(s *section) uint64 {
	switch s.Kind {
	case kindText, kindUFT:
		return 16
	case kindDebug:
		return 1
	}
	return l.align(s)
}
