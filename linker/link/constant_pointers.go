package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// pointerLost reports whether an entry of constants at an offset goes because y is not what the image has under its name. loss
// says how the definition of y in this input lost.
//
// The reference drops entries for a copy that lost on arrival and, from this and the files before the one that replaces it, for
// global data that is replaced later; not for a weak constant that is (observed). The pointer is then null, also in a constant that counts: in the
// table of the second file that takes the address of an inline function or variable. Here with KeepPointers only those
// entries go that stand in bytes which do not count.
func (l *link) pointerLost(in *input, y *cubin.Symbol, id symID, loss lossKind, vars []heldVariable, off uint64) bool {
	switch s := &l.Syms[id]; {
	case y.Shndx == cubin.SHNUndef:
		return !l.KeepPointers && s.Replaced && in.ID < s.Def && y.Type() == cubin.STTCudaObject && y.Space() == cubin.STOGlobal
	case loss == replacedLater && y.Type() == cubin.STTCudaObject && y.Space() == cubin.STOConstant && y.Binding() == cubin.STBWeak,
		!l.lostHere(in, y, id):
		return false
	}
	return !l.KeepPointers || !holdsWinner(vars, off)
}

// holdsWinner reports whether the bytes at an offset are those of a variable that is the image's.
func holdsWinner(vars []heldVariable, off uint64) bool {
	v := findVariable(vars, off)
	return v != nil && !v.lost
}

// warnNullPointers tells of pointers that are null because KeepPointers is not set, though they stand in constants that count: once for
// each symbol that constants of an input point to.
func (l *link) warnNullPointers() {
	if l.KeepPointers || !l.WarnNullPointers {
		return
	}
	for _, in := range l.Inputs {
		told := map[uint32]bool{}
		for i := range in.File.Sections {
			h := &in.File.Sections[i]
			target := int32(h.TextIndex())
			if h.Type != cubin.SHTRel && h.Type != cubin.SHTRela || int(target) >= len(in.Secs) || l.Secs[in.Secs[target].Out].Kind != kindConstUser {
				continue
			}
			vars := l.heldVariables(in, target, kindConstUser, nil)
			for j := range h.NumRels() {
				r := h.RelAt(j)
				if int(r.Sym) >= len(in.File.Symbols) || told[r.Sym] || !holdsWinner(vars, r.Offset) {
					continue
				}
				y := &in.File.Symbols[r.Sym]
				if l.pointerLost(in, y, in.PlainSyms[r.Sym], in.lossOf(int(r.Sym), l.view(in)), vars, r.Offset) {
					told[r.Sym] = true
					l.Diag.Report(diag.NullPointers, y.Name, in.Name)
				}
			}
		}
	}
}
