package link

import "github.com/culink/culink/linker/cubin"

// Code that was compiled as an extensible whole program (-ewp) has the functions that a kernel calls in the kernel's own
// section, as local symbols with offsets. They come and go with the kernel (observed with both toolkits).

// inner enters a function that is part of another one's code, and reports whether it is one. That one is the owner of the
// section, and is entered by then.
func (r *resolver) inner(in *input, n int32, y *cubin.Symbol) bool {
	l := r.l
	view := l.view(in)
	if y.Binding() != cubin.STBLocal || y.Shndx == cubin.SHNUndef || int(y.Shndx) >= len(in.File.Sections) {
		return false
	}
	owner := int32(in.File.Sections[y.Shndx].TextIndex())
	if owner == n || owner <= 0 || int(owner) >= len(view) || in.Syms[owner] == 0 {
		return false
	}
	if o := &view[owner]; o.Type() != cubin.STTFunc || o.Shndx != y.Shndx {
		return false
	}
	if in.Lost[owner] == lostOnArrival {
		return true // nothing is known of it
	}
	id := r.newFunction(in, n, y)
	in.Syms[n] = id
	l.Funcs[l.Syms[id].Func].Inside = l.Syms[in.Syms[owner]].Func
	l.hasInner = true
	return true
}

// innerFollow gives functions that are part of another one's code that one's fate.
func (l *link) innerFollow() {
	if !l.hasInner {
		return
	}
	for i := 1; i < len(l.Funcs); i++ {
		f := &l.Funcs[i]
		if f.Inside == 0 {
			continue
		}
		owner := &l.Funcs[f.Inside]
		f.Live, f.Kept = owner.Live, owner.Kept
		if l.Syms[owner.Sym].Def != l.Syms[f.Sym].Def { // another copy of the owner counts
			f.Live, f.Kept = false, false
			l.Syms[f.Sym].Dead = true
		}
	}
}

// innerByOwner lists the functions that are part of another one's code by that one, nil if there are none.
func (l *link) innerByOwner() map[funcID][]funcID {
	if !l.hasInner {
		return nil
	}
	inside := map[funcID][]funcID{}
	for i := 1; i < len(l.Funcs); i++ {
		if f := &l.Funcs[i]; f.Inside != 0 && l.Syms[l.Funcs[f.Inside].Sym].Def == l.Syms[f.Sym].Def {
			inside[f.Inside] = append(inside[f.Inside], funcID(i))
		}
	}
	return inside
}

// wholeShared are the sizes and alignments of shared sections, by code section, that the compiler laid out: those of
// kernels in code that was compiled as an extensible whole program. Their variables have no symbols.
func (l *link) wholeShared() map[secID]extent {
	var whole map[secID]extent
	for _, in := range l.Inputs {
		if in.File.Type != cubin.ETExtensible {
			continue
		}
		for i := range in.Secs {
			h := &in.File.Sections[i]
			if in.Secs[i].kind != kindSharedEntry || h.Mercury() {
				continue
			}
			text := int32(h.TextIndex())
			if fn, _ := l.codeOf(in, text); fn == 0 {
				continue
			}
			if whole == nil {
				whole = map[secID]extent{}
			}
			whole[in.Secs[text].Out] = extent{h.Size, h.Addralign}
		}
	}
	return whole
}
