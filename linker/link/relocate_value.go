package link

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// bankOfNoSection is the bank number that the reference writes for a symbol without a section: it subtracts the type of
// the first constant bank from a section type of 0 (observed in relocatable links).
const bankOfNoSection = 0x9c

// value is S, and the bank of a constant.
func (p *patcher) value(e *pending) (s uint64, bank uint32, err error) {
	switch e.class {
	case classMissing:
		return ^uint64(0), 0, nil
	case classSection:
		if e.sym != 0 {
			bank = p.l.bankOf(p.l.Secs[p.l.Syms[e.sym].Of])
		}
		return 0, bank, nil
	case classConstant:
		y := &p.l.Syms[e.sym]
		if y.Def == NoFile {
			// Only in a relocatable link: -1, in the bank of no section (below sm_100) or in bank 3 (observed).
			if p.l.Mercury {
				return ^uint64(0), 3, nil
			}
			return ^uint64(0), bankOfNoSection, nil
		}
		return y.Value, p.l.constantBank(y), nil
	case classShared:
		return p.sharedValue(e), 0, nil
	}
	return p.l.Syms[e.sym].Value, 0, nil
}

// bankOf is the number of a constant section's bank, 0 for other sections.
func (l *Link) bankOf(s *Section) uint32 {
	if n := cubin.BankOf(plainName(s.Name)); n > 0 {
		return uint32(n)
	}
	return 0
}

// constantBank is the bank of a defined constant. Compiler constants of functions that are no kernels lie in sections of
// the kernels, so that their bank follows from the input.
func (l *Link) constantBank(y *Symbol) uint32 {
	if y.Sec != 0 {
		return l.bankOf(l.Secs[y.Sec])
	}
	in := l.Inputs[y.Def]
	if int(y.Shndx) < len(in.Secs) {
		if n := cubin.BankOf(plainName(in.Secs[y.Shndx].Name)); n > 0 {
			return uint32(n)
		}
	}
	return 0
}

// record notes an applied entry for --preserve-relocs. Not recorded: reserved shared memory, what never had a symbol in the
// image, and dynamic shared memory where the function that uses it has an instance of its own; from sm_100 on nothing but entries of
// code against shared variables (observed).
func (p *patcher) record(e *pending, addend int64) {
	if p.t.resolved == nil || !p.l.PreserveRelocs || e.sym == 0 || p.l.Syms[e.sym].Index == 0 {
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
	p.settled = append(p.settled, OutRel{Offset: e.off, Sym: e.sym, Type: uint32(e.typ), Addend: addend})
}

// hasInstance reports whether an entry's dynamic shared memory is one that the linker made for the function alone. With -g there is
// one instance for each symbol, and a function that no kernel reaches has none.
func (p *patcher) hasInstance(e *pending) bool {
	return e.dynamic && p.code && !p.l.rel && p.l.Syms[e.sym].Def == NoFile && !p.l.debugShared() &&
		p.l.dynamicShared(p.sec, e.sym) != neverReached
}

// heldVariable is a variable of an input section and where it went.
type heldVariable struct {
	start, end uint64
	value      uint64 // the address of the variable's bytes in the joined section
	gone       bool   // entries in these bytes go
}

// heldVariables lists the variables that an input section holds in ascending order: an entry moves with the variable that
// covers it. The bytes of a definition that lost stay where they are, with their entries, but for one: entries go from
// initialised data in global memory that lost against an earlier weak definition (observed).
func (l *Link) heldVariables(in *Input, index int32, kind Kind, buf []heldVariable) []heldVariable {
	for i := range in.File.Symbols {
		y := &in.File.Symbols[i]
		if int32(y.Shndx) != index || y.Type() != cubin.STTObject && y.Type() != cubin.STTCudaObject {
			continue
		}
		id := in.PlainSyms[i]
		if id == 0 {
			continue
		}
		s := &l.Syms[id]
		v := heldVariable{start: y.Value, end: y.Value + max(y.Size, 1), value: s.Value}
		if s.Def != in.ID {
			v.value = in.Secs[index].Off + y.Value
			v.gone = kind == KindGlobalInit && in.lossOf(i, l.view(in)) == lostOnArrival &&
				!(s.Binding() == cubin.STBGlobal && s.Def < in.ID)
		}
		buf = append(buf, v)
	}
	slices.SortStableFunc(buf, func(a, b heldVariable) int { return compareOffsets(a.start, b.start) })
	return buf
}

// lossOf tells how the definition with that number of .symtab lost. view is the table that losses are numbered by.
func (in *Input) lossOf(n int, view []cubin.Symbol) lossKind {
	if n < len(view) && view[n].Name == in.File.Symbols[n].Name {
		return in.Lost[n]
	}
	return lostOnArrival
}

// lostHere reports whether y is defined in this input, but another definition is in the image: entries of constants against
// such a variable go, and against a function if the other definition came first (observed; the pointer stays 0).
func (l *Link) lostHere(in *Input, y *cubin.Symbol, id SymID) bool {
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
