package link

import "github.com/culink/culink/linker/cubin"

// codeUse is a reference from code to a symbol that layout or bindless asks about.
type codeUse struct {
	sym symID
	// fn is the function whose code refers to it, 0 if that definition lost to another. dead: it was removed as dead.
	fn   funcID
	dead bool
}

// codeUses lists what the code of every input refers to, as far as match wants it: by fileID, in the order of the
// relocation entries, runs of equal uses given once. Symbols outside code do not count. With merc the entries of the
// Mercury twins are looked at in place of the plain ones. Inputs none of whose symbols any is true for are not read.
func (l *link) codeUses(merc bool, any func(*cubin.Symbol) bool, match func(y *cubin.Symbol, t uint32) bool) ([][]codeUse, error) {
	uses := make([][]codeUse, len(l.Inputs))
	err := l.parallel(len(l.Inputs), func(i int) error {
		uses[i] = l.inputUses(l.Inputs[i], merc, any, match)
		return nil
	})
	return uses, err
}

func (l *link) inputUses(in *input, merc bool, any func(*cubin.Symbol) bool, match func(*cubin.Symbol, uint32) bool) []codeUse {
	symbols, ids := in.File.Symbols, in.PlainSyms
	if merc {
		symbols, ids = in.File.MercSymbols, in.Syms
	}
	found := false
	for i := range symbols {
		if any(&symbols[i]) {
			found = true
			break
		}
	}
	if !found {
		return nil
	}
	var uses []codeUse
	var dead []funcID
	for i := range in.File.Sections {
		h := &in.File.Sections[i]
		if h.Mercury() != merc || h.Type != cubin.SHTRel && h.Type != cubin.SHTRela && h.Type != cubin.SHTMercRela {
			continue
		}
		index := int32(h.TextIndex())
		fn, code := l.codeOf(in, index)
		if !code {
			continue
		}
		isDead := in.Secs[index].Dead
		if isDead {
			if dead == nil {
				dead = l.deadFunctions(in)
			}
			fn = dead[index]
		}
		for j := range h.NumRels() {
			r := h.RelAt(j)
			if int(r.Sym) >= len(symbols) || int(r.Sym) >= len(ids) || !match(&symbols[r.Sym], r.Type) {
				continue
			}
			use := codeUse{ids[r.Sym], fn, isDead}
			if n := len(uses); n == 0 || uses[n-1] != use {
				uses = append(uses, use)
			}
		}
	}
	return uses
}

// codeOf returns the function whose code an input's section is in the image, 0 if it is not there; code tells whether the
// section is one of code at all.
func (l *link) codeOf(in *input, index int32) (fn funcID, code bool) {
	if kindOf(codeName(in, index), false) != kindText {
		return 0, false
	}
	sec := &in.Secs[index]
	if sec.Out == 0 || sec.Dead {
		return 0, true
	}
	text := l.Secs[sec.Out]
	plain, twin := in.forms(index)
	if text.Kind != kindText || len(text.Parts) == 0 || text.Parts[0].In != in.ID || text.Parts[0].Sec != plain || text.Parts[0].Merc != twin {
		return 0, true
	}
	return l.Syms[text.Fn].Func, true
}

// codeName is a section's name without the mark of a capsule.
func codeName(in *input, index int32) string {
	if in.File.Sections[index].Mercury() {
		return in.sectionName(int(index))
	}
	return in.File.Sections[index].Name
}

// deadFunctions lists the removed functions of an input by code section, in both its forms.
func (l *link) deadFunctions(in *input) []funcID {
	fns := make([]funcID, len(in.Secs))
	for i, id := range in.Syms {
		if id == 0 || !l.Syms[id].Dead || in.Lost[i] != notLost {
			continue
		}
		y := &l.view(in)[i]
		if y.Shndx == cubin.SHNUndef || y.Shndx >= cubin.SHNLoRes || fns[y.Shndx] != 0 {
			continue
		}
		fns[y.Shndx] = l.Syms[id].Func
		if t := in.Secs[y.Shndx].Twin; t != 0 {
			fns[t] = l.Syms[id].Func
		}
	}
	return fns
}
