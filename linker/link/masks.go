package link

import "github.com/culink/culink/linker/nvinfo"

const noMask = 0x8000 // SPARSE_MMA_MASK of a function without one (observed)

// completeMasks gives every function of the image a mask if any has one, and returns how many had one: a function
// without one counts as noMask and gets a record, an alias a second one in the section of the code it names (observed).
func (f *infoForm) completeMasks() int {
	l := f.l
	masks := 0
	for fn := range f.own {
		if f.own[fn].hasMask {
			masks++
		}
	}
	if masks == 0 {
		return 0
	}
	masks = f.completeStubMasks(masks)
	for i := 1; i < len(f.own); i++ {
		fn := &l.Funcs[i]
		if f.own[i].hasMask || fn.Text == 0 || l.Secs[fn.Text].Kind == kindUFT || l.Syms[fn.Sym].Index == 0 {
			continue
		}
		f.own[i].mask = noMask
		if fn.Entry {
			continue
		}
		base := funcID(i)
		if fn.AliasOf != 0 {
			base = fn.AliasOf
			f.own[base].mask |= noMask // who reaches the function reaches its alias
		}
		d := f.edit(base)
		d.add = append(d.add, nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.SparseMmaMask, Field: noMask})
	}
	return masks
}

// spreadMasks ors masks into the entries: of what each reaches or, if there is one entry, of all functions, unless all
// function symbols of the inputs have a mask of their own (observed).
func (f *infoForm) spreadMasks(masks int) {
	l := f.l
	all := uint16(0)
	for fn := range f.own {
		all |= f.own[fn].mask
	}
	for _, e := range l.Entries {
		o, d := &f.own[e], f.edit(e)
		mask := f.sums.of(e).mask
		if l.onlyEntry() {
			mask = all
			if masks == l.functionSymbols() {
				mask = o.mask
			}
		}
		if o.hasMask {
			d.setMask, d.mask = true, mask
		} else {
			d.add = append(d.add, nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.SparseMmaMask, Field: mask})
		}
	}
}

// functionSymbols counts the function symbols of the link, 12.4's nameless ones included.
func (l *link) functionSymbols() int {
	n := len(l.Funcs) - 1
	for _, in := range l.Inputs {
		if in.Unnamed != 0 {
			n++
		}
	}
	return n
}
