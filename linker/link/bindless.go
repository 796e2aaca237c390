package link

import (
	"context"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// bindlessTable is the table of descriptors: one slot of 4 bytes for each texture, sampler and surface reference of the
// link, used or not, behind the parameters of every kernel that uses any (observed; seed document bindless-relocations
// has the mechanism, but the bank and the relocations as they were before references were unified).
type bindlessTable struct {
	// refs are the references in the order of their slots, base is the offset of the first slot in bank 0, the same in
	// every kernel.
	refs []symID
	base uint64
	// slot is the number of a reference's slot plus one, by symID; nil if there are no references.
	slot []int32
	// kernels have the table, in order of their code sections; has tells so by funcID (nil if none has it).
	kernels []funcID
	has     []bool
	// without are the kinds of references, from texture on, whose slots stay empty, by funcID (nil if no kernel has the table).
	without [][3]bool
	// How many references of each kind there are.
	textures, samplers, surfaces int
}

const slotSize = 4

// bankLimit is the size of a constant bank in bytes.
const bankLimit = arch.ConstantMax

// bindless decides which kernels get the table of descriptors, and enlarges their parameter banks. The table comes
// before layout: from then on a bank with a table is like any other.
func (l *link) bindless(ctx context.Context) error {
	t := &l.table
	if l.rel || !t.collect(l) {
		return nil
	}
	users, err := l.descriptorUsers()
	if err != nil {
		return err
	}
	t.assign(l, users)
	t.base = l.descriptorBase()
	if len(t.kernels) == 0 {
		return nil
	}
	if err := t.check(l); err != nil {
		return err
	}
	for _, k := range t.kernels {
		l.addTable(k, t.without[k])
	}
	return nil
}

// collect lists the references in the order of their slots: textures, samplers, surfaces, each with the one mentioned
// last in front, then sorted as linked lists are, with all keys equal (observed).
func (t *bindlessTable) collect(l *link) bool {
	var kinds [3][]symID
	for id := len(l.Syms) - 1; id > 0; id-- {
		if s := &l.Syms[id]; isReference(s.Type()) {
			k := s.Type() - cubin.STTTexture
			kinds[k] = append(kinds[k], symID(id))
		}
	}
	t.textures, t.samplers, t.surfaces = len(kinds[0]), len(kinds[1]), len(kinds[2])
	for _, ids := range kinds {
		t.refs = append(t.refs, ids...)
	}
	if len(t.refs) == 0 {
		return false
	}
	listSort(t.refs, func(p, q *symID) bool { return true })
	t.slot = make([]int32, len(l.Syms))
	for i, id := range t.refs {
		t.slot[id] = int32(i) + 1
	}
	return true
}

// descriptorUsers lists, by kind, the functions of the image whose code asks for a descriptor. With exactly one kernel every such
// reference counts as the kernel's own, even one in a function that was removed, but not in a copy that lost; below sm_100 those of
// a kernel that a filter rejects, and that stays, are its own as well (observed).
func (l *link) descriptorUsers() ([3][]funcID, error) {
	var users [3][]funcID
	uses, err := l.codeUses(l.Mercury,
		func(y *cubin.Symbol) bool { return isReference(y.Type()) },
		func(y *cubin.Symbol, t uint32) bool {
			if !isReference(y.Type()) {
				return false
			}
			if l.Mercury {
				return reloc.Type(t) == reloc.MercuryAbs32 || reloc.Type(t) == reloc.MercuryAbs16
			}
			return triggersDescriptor(reloc.Type(t))
		})
	if err != nil {
		return users, err
	}
	one := len(l.Entries) == 1
	for _, list := range uses {
		for _, u := range list {
			if u.fn == 0 { // a copy that lost
				continue
			}
			of := &users[l.Syms[u.sym].Type()-cubin.STTTexture]
			if one && (len(*of) == 0 || (*of)[0] != l.Entries[0]) {
				*of = slices.Insert(*of, 0, l.Entries[0])
			}
			own := !one || !l.Mercury && l.isKernel(u.fn)
			if own && !u.dead && (len(*of) == 0 || (*of)[len(*of)-1] != u.fn) {
				*of = append(*of, u.fn)
			}
		}
	}
	return users, nil
}

// assign finds the kernels that have the table, and what of it the loader fills in for them. Unless textures and samplers
// are apart, that is everything; otherwise a kernel that reaches no sampler goes without samplers, and one without
// textures likewise. Surfaces, which can need either, bring all (observed).
func (t *bindlessTable) assign(l *link, users [3][]funcID) {
	const texture, sampler, surface = 0, 1, 2
	apart := t.textures > 0 && t.samplers > 0
	var reach [3][]bool
	any := make([]bool, len(l.Funcs))
	t.without = make([][3]bool, len(l.Funcs))
	for kind := range users {
		reach[kind] = make([]bool, len(l.Funcs))
		for _, k := range l.entriesReachingAny(users[kind]) {
			reach[kind][k], any[k] = true, true
		}
		for _, k := range users[kind] {
			if l.isKernel(k) { // whether or not it is an entry
				reach[kind][k], any[k] = true, true
			}
		}
	}
	for _, text := range l.Kernels {
		k := l.Syms[l.Secs[text].Fn].Func
		if !any[k] {
			continue
		}
		t.kernels = append(t.kernels, k)
		if apart && !reach[surface][k] {
			t.without[k] = [3]bool{texture: !reach[texture][k], sampler: !reach[sampler][k]}
		}
	}
	if len(t.kernels) > 0 {
		t.has = any
	}
}

// descriptorBase is the first offset behind the largest parameter bank of all kernels of the image, with or without the
// table, so that a function finds a descriptor at one offset whichever kernel calls it (observed).
func (l *link) descriptorBase() uint64 {
	size := uint64(0)
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstEntry {
			size = max(size, l.dataSize(s))
		}
	}
	if l.Mercury { // without kernels code still counts from where parameters would begin (observed)
		size = max(size, uint64(l.profile.ParamBase))
	}
	return alignUp(size, max(slotSize, uint64(l.profile.BindlessAlign)))
}

// dataSize is the size in bytes of the plain forms of a section's parts, one after the other.
func (l *link) dataSize(s *section) uint64 {
	size := uint64(0)
	for i := range s.Parts {
		size += uint64(len(l.Inputs[s.Parts[i].In].File.Sections[s.Parts[i].Sec].Data))
	}
	return size
}

// check refuses more references than a kernel can have. All kernels have the same table, and the reference looks at the
// last one first (observed).
func (t *bindlessTable) check(l *link) error {
	name := l.Syms[l.Funcs[t.kernels[len(t.kernels)-1]].Sym].Name
	switch p := &l.profile; {
	case t.textures > p.Textures:
		return l.Diag.Fatal(diag.TooManyTextures, p.Textures, name)
	case t.samplers > p.Samplers:
		return l.Diag.Fatal(diag.TooManySamplers, p.Samplers, name)
	case t.surfaces > p.Surfaces:
		return l.Diag.Fatal(diag.TooManySurfaces, p.Surfaces, name)
	}
	if end := t.base + slotSize*uint64(len(t.refs)); end > bankLimit {
		return l.Diag.Fatal(diag.UnsupportedInput, name, fmt.Sprintf("parameters and descriptors need %#x bytes of constant bank 0, %#x max", end, bankLimit))
	}
	return nil
}

// addTable makes the section of a kernel's descriptors, if the image has it apart from the parameters, and the
// relocations that let the loader fill the table in: the highest slot first.
func (l *link) addTable(k funcID, without [3]bool) {
	bank := l.parameterBank(k)
	if bank == nil {
		return
	}
	t := &l.table
	prefix := l.relPrefix()
	if l.Mercury {
		bank, prefix = l.replaceBank(bank), ".rela"
	}
	out := l.Secs[l.sec(prefix+bank.Name, 0, bank.ID)]
	for i := len(t.refs) - 1; i >= 0; i-- {
		kind := l.Syms[t.refs[i]].Type() - cubin.STTTexture
		if without[kind] {
			continue
		}
		typ := headerRelocs[kind].rel
		if l.Mercury {
			typ = headerRelocs[kind].rela
		}
		out.Rels = append(out.Rels, outRel{Offset: t.base + slotSize*uint64(i), Sym: t.refs[i], Type: uint32(typ)})
	}
}

// headerRelocs are the relocation types of a slot, by symbol type from texture on: below sm_100, from sm_100 on, and in
// the Mercury twin (observed).
var headerRelocs = [3]struct{ rel, rela, mercury reloc.Type }{
	{reloc.TexHeaderIndex, reloc.TexHeaderIndex, reloc.MercuryTexHeader},
	{reloc.SampHeaderIndex, reloc.SampHeader0, reloc.MercurySampHeader},
	{reloc.SurfHeaderIndex, reloc.SurfHeaderIndex, reloc.MercurySurfHeader},
}

// parameterBank returns a kernel's section of bank 0, nil if it has none.
func (l *link) parameterBank(k funcID) *section {
	text := l.Funcs[k].Text
	if l.mem.banks == nil {
		l.mem.banks = make([]secID, len(l.Secs))
		for _, s := range l.Secs[1:] {
			if s.Kind == kindConstEntry {
				l.mem.banks[s.Owner] = s.ID
			}
		}
	}
	if id := l.mem.banks[text]; id != 0 {
		return l.Secs[id]
	}
	return nil
}

// replaceBank creates, in a Mercury link, the section whose twin holds the descriptors alone and whose plain form is the
// whole bank. It takes the place of the ordinary bank, which stands elsewhere.
func (l *link) replaceBank(old *section) *section {
	name := mercIndices + old.Name[len(".nv.constant0."):]
	bank := l.Secs[l.sec(name, old.Owner, 0)]
	bank.Parts, bank.Align = old.Parts, old.Align
	for _, p := range bank.Parts {
		l.Inputs[p.In].Secs[p.Sec].Out = bank.ID
	}
	old.Parts, old.Drop = nil, true
	return bank
}

// hasDescriptors reports whether a kernel's parameter bank holds the table of descriptors.
func (l *link) hasDescriptors(k funcID) bool { return l.table.has != nil && l.table.has[k] }

// descriptorPlace is the offset of a reference's descriptor in bank 0, and that of the first descriptor.
func (l *link) descriptorPlace(id symID) (slot, base uint64) {
	t := &l.table
	if int(id) >= len(t.slot) || t.slot[id] == 0 {
		return t.base, t.base
	}
	return t.base + slotSize*uint64(t.slot[id]-1), t.base
}
