package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// value is S.
func (p *patcher) value(e *pending) uint64 {
	if e.typ.Of(reloc.ClassSlot) {
		if s, ok := p.slotValue(e); ok {
			return s
		}
	}
	switch e.class {
	case classMissing:
		if p.l.Syms[e.sym].Name == userBankSize {
			return p.userBank
		}
		return ^uint64(0)
	case classSection, classLabel:
		return 0
	case classShared:
		return p.sharedValue(e)
	}
	y := &p.l.Syms[e.sym]
	if e.class == classConstant && y.Def == noFile {
		return ^uint64(0) // only in a relocatable link
	}
	return y.Value
}

// userBankSize is the local undefined object by which the device runtime asks for the size in bytes of the bank of user
// constants, to tell pointers into it. Without such a bank it is -1, like any undefined local object (observed).
const userBankSize = ".nv.ptx.const0.size"

// sizeOfUserBank is the value of userBankSize in this link.
func (l *link) sizeOfUserBank() uint64 {
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstUser && l.bankOf(s) == 3 {
			return s.Size
		}
	}
	return ^uint64(0)
}

// slotValue is S of the types that write the number of a texture's, sampler's or surface's slot where the symbol is none of
// these: the reference takes what it knows before layout, 0 for a constant and the alignment of a shared variable (observed).
func (p *patcher) slotValue(e *pending) (s uint64, ok bool) {
	y := &p.l.Syms[e.sym]
	switch {
	case e.class == classConstant && y.Def != noFile:
		return 0, true
	case e.class == classShared && !p.l.rel && y.Def != noFile:
		return p.l.view(p.l.Inputs[y.Def])[y.DefSym].Value, true
	case e.class == classShared && !p.l.rel && e.dynamic:
		return dynamicAlign, true
	}
	return 0, false
}

// bank is the number that a constant type writes beside the value. The reference subtracts the type of the first constant bank
// from that of the symbol's section, whatever it is, and from 0 for a symbol without a section (observed).
func (p *patcher) bank(e *pending) uint32 {
	if e.sym == 0 {
		return bankOfType(0)
	}
	y := &p.l.Syms[e.sym]
	switch {
	case e.class == classConstant && y.Def == noFile && p.l.Mercury:
		return 3 // an undefined constant, in a relocatable link
	case e.class == classConstant && y.Def != noFile:
		return p.l.constantBank(y)
	case e.class == classShared && y.Def == noFile, y.Sec == 0:
		return bankOfType(0)
	}
	s := p.l.Secs[y.Sec]
	if n := p.l.bankOf(s); n != 0 {
		return n
	}
	if t := s.row().rel; t != 0 {
		return bankOfType(t)
	}
	return bankOfType(s.row().exec)
}

func bankOfType(t cubin.SectionType) uint32 { return uint32(t - cubin.SHTCudaConstant0) }

// bankOf is the number of a constant section's bank, 0 for other sections.
func (l *link) bankOf(s *section) uint32 {
	if n := cubin.BankOf(plainName(s.Name)); n > 0 {
		return uint32(n)
	}
	return 0
}

// constantBank is the bank of a defined constant. Compiler constants of functions that are no kernels lie in sections of
// the kernels, so that their bank follows from the input.
func (l *link) constantBank(y *symbol) uint32 {
	if y.Sec != 0 {
		return l.bankOf(l.Secs[y.Sec])
	}
	in := l.Inputs[y.Def]
	if int(y.Shndx) < len(in.Secs) {
		if n := cubin.BankOf(plainName(in.sectionName(int(y.Shndx)))); n > 0 {
			return uint32(n)
		}
	}
	return 0
}

// record notes an applied entry for --preserve-relocs. Not recorded: reserved shared memory, what never had a symbol in the
// image, and dynamic shared memory where the function that uses it has an instance of its own; from sm_100 on nothing but entries of
// code against shared variables (observed).
func (p *patcher) record(e *pending, addend int64) {
	if p.t.resolved == nil || e.sym == 0 && e.Sym != 0 && e.class != classLabel || e.sym != 0 && p.l.Syms[e.sym].Index == 0 {
		return
	}
	switch e.class {
	case classMissing, classReserved:
		return
	case classShared:
		if p.hasInstance(e) {
			return
		}
	}
	if p.l.Mercury && (e.class != classShared || !p.code) {
		return
	}
	p.settled = append(p.settled, outRel{Offset: e.off, Sym: e.sym, Type: uint32(e.typ), Addend: addend})
}

// hasInstance reports whether an entry's dynamic shared memory is one that the linker made for the function alone. With -g there is
// one instance for each symbol, and a function that no kernel reaches has none.
func (p *patcher) hasInstance(e *pending) bool {
	if e.sym == p.l.instance && p.l.debugShared() { // made by an earlier relocatable link
		return !p.l.rel && p.l.Secs[p.l.sharedFuncs].Size <= p.l.sharedReserve()
	}
	return e.dynamic && p.code && !p.l.rel && p.l.Syms[e.sym].Def == noFile && !p.l.debugShared() &&
		p.l.dynamicShared(p.sec, e.sym) != neverReached
}

// heldVariable is a variable of an input section and where it went.
type heldVariable struct {
	start, end uint64
	value      uint64 // the address of the variable's bytes in the joined section
	gone       bool   // entries in these bytes go
	lost       bool   // the image has another definition
}

// heldVariables lists the variables that an input section holds in ascending order: an entry moves with the variable that
// covers it. The bytes of a definition that lost stay where they are, with their entries, but for one: entries go from
// initialised data in global memory that lost against an earlier weak definition (observed).
func (l *link) heldVariables(in *input, index int32, kind kind, buf []heldVariable) []heldVariable {
	for _, n := range l.variables(in).in(index) {
		id := in.PlainSyms[n]
		if id == 0 {
			continue
		}
		y, s := &in.File.Symbols[n], &l.Syms[id]
		v := heldVariable{start: y.Value, end: y.Value + max(y.Size, 1), value: s.Value}
		if v.lost = s.Def != in.ID; v.lost {
			v.value = in.Secs[index].Off + y.Value
			v.gone = kind == kindGlobalInit && in.lossOf(int(n), l.view(in)) == lostOnArrival &&
				!(s.Binding() == cubin.STBGlobal && s.Def < in.ID)
		}
		v.gone = v.gone || s.Dead || kind == kindUDT && !l.rel && s.Def != in.ID // a constant that a full bank has no room for
		if end := l.Secs[in.Secs[index].Out].Size; kind == kindConstUser && end > 0 && v.value >= end {
			v.gone = true // of a unit that was merged at the end of the bank; the reference ends with an internal error
		}
		buf = append(buf, v)
	}
	return buf
}

// lossOf tells how the definition with that number of .symtab lost. view is the table that losses are numbered by.
func (in *input) lossOf(n int, view []cubin.Symbol) lossKind {
	if n < len(view) && view[n].Name == in.File.Symbols[n].Name {
		return in.Lost[n]
	}
	return lostOnArrival
}

// lostHere reports whether y is defined in this input, but another definition is in the image: entries of constants against
// such a variable go, and against a function if the other definition came first (observed; the pointer stays 0).
func (l *link) lostHere(in *input, y *cubin.Symbol, id symID) bool {
	if y.Shndx == cubin.SHNUndef || int(y.Shndx) >= len(in.Secs) || y.Binding() == cubin.STBLocal {
		return false
	}
	if y.Type() == cubin.STTFunc {
		return in.Secs[y.Shndx].Lost == lostOnArrival
	}
	return id != 0 && l.Syms[id].Def != in.ID
}

// findVariable returns the variable that covers an offset, nil if none does.
func findVariable(vars []heldVariable, off uint64) *heldVariable {
	lo, hi := 0, len(vars)
	for lo < hi {
		if mid := (lo + hi) / 2; vars[mid].start <= off {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || off >= vars[lo-1].end {
		return nil
	}
	return &vars[lo-1]
}
