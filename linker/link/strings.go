package link

import (
	"bytes"
	"hash/maphash"

	"github.com/culink/culink/linker/slab"
)

// stringTable builds a string table: NUL, then each string once in order of addition, without sharing of suffixes
// (observed). It finds a string again by a hash table with open addressing whose keys are the table's own bytes; nothing
// depends on the order of its slots.
type stringTable struct {
	data  []byte
	seed  maphash.Seed
	slots []stringSlot // a power of two, at most half full
	used  int
}

// stringSlot is where a string begins, plus one, and half of its hash.
type stringSlot struct{ next, hash uint32 }

// newStringTable makes a table for about n strings of size bytes in all.
func newStringTable(n, size int) *stringTable {
	t := &stringTable{data: append(slab.Cap[byte](0, size+n+2), 0), seed: maphash.MakeSeed()}
	t.grow(n)
	return t
}

func (t *stringTable) grow(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	old := t.slots
	t.slots = slab.Make[stringSlot](size)
	for _, s := range old {
		if s.next != 0 {
			t.slots[t.free(s.hash)] = s
		}
	}
}

// free is the first free slot for a hash.
func (t *stringTable) free(hash uint32) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i].next != 0 {
		i = (i + 1) & mask
	}
	return i
}

// find returns the offset of s, or the free slot that it would take.
func (t *stringTable) find(s string) (off, hash, slot uint32, ok bool) {
	mask := uint32(len(t.slots) - 1)
	hash = uint32(maphash.String(t.seed, s))
	for slot = hash & mask; ; slot = (slot + 1) & mask {
		at := &t.slots[slot]
		if at.next == 0 {
			return 0, hash, slot, false
		}
		if at.hash != hash {
			continue
		}
		off = at.next - 1
		if end := int(off) + len(s); end < len(t.data) && t.data[end] == 0 && string(t.data[off:end]) == s {
			return off, hash, slot, true
		}
	}
}

// at returns the offset of a string that was added, 0 for others.
func (t *stringTable) at(s string) uint32 {
	off, _, _, _ := t.find(s)
	return off
}

// add returns the offset of s, adding it if it is new. The empty string added explicitly gets a place of its own.
func (t *stringTable) add(s string) uint32 {
	off, hash, slot, ok := t.find(s)
	if ok {
		return off
	}
	if t.used++; 2*t.used > len(t.slots) {
		t.grow(2 * t.used)
		slot = t.free(hash)
	}
	off = t.append(s)
	t.slots[slot] = stringSlot{off + 1, hash}
	return off
}

// append adds s whether it is there or not; add and at do not find it.
func (t *stringTable) append(s string) uint32 {
	off := uint32(len(t.data))
	t.data = append(t.data, s...)
	t.data = append(t.data, 0)
	return off
}

// makeSymbolStrings builds .strtab: prototypes, names of the local side, names of the global side, those of sections and
// of symbols included that are not in the image; then the plain names of a Mercury image's constant sections, one for each section.
func (l *link) makeSymbolStrings() {
	n, size := len(l.Local)+len(l.Global), 0
	for _, list := range [][]symID{l.Local, l.Global} {
		for _, id := range list {
			size += len(l.Syms[id].Name)
		}
	}
	t := newStringTable(n, size)
	for _, p := range l.protoList {
		t.add(l.Protos[p])
	}
	for _, list := range [][]symID{l.Local, l.Global} {
		for _, id := range list {
			if s := &l.Syms[id]; !l.vanishes(s) {
				s.nameOff = t.add(s.Name)
			}
		}
	}
	l.earlyStrings = uint64(len(t.data))
	if l.Mercury {
		for _, s := range l.Secs {
			switch s.Kind {
			case kindConstUser, kindConstFunc, kindConstIndices:
				if l.present(s) && isRenamed(s) {
					s.symbolName = t.append(plainName(s.Name))
				}
			}
		}
		for _, id := range l.appended() {
			t.add(l.Secs[id].Name)
		}
	}
	l.strings = t
}

// makeSectionStrings builds .shstrtab: the names of all sections ever created, in order of creation.
func (l *link) makeSectionStrings() {
	size := 0
	for _, s := range l.Secs[1:] {
		size += len(s.Name)
	}
	if l.Mercury {
		size *= 3 // the twins have names, too
	}
	t := newStringTable(len(l.Secs), size)
	for _, s := range l.Secs[1:] {
		if s.Appended || s.Erased {
			continue
		}
		s.nameOff = t.add(s.Name)
	}
	l.sectionStrings = t
}

// finishSectionStrings completes .shstrtab when the image's sections are known. In a Mercury image a
// section that is renamed has its new name in the place of the old one, padded with NUL; the names of what was appended follow, each anew.
func (l *link) finishSectionStrings() {
	data := l.sectionStrings.data
	if l.Mercury {
		for _, s := range l.Secs[1:] {
			if s.Index != 0 && isRenamed(s) {
				rename(data[s.nameOff:int(s.nameOff)+len(s.Name)], s.Name)
			}
		}
	}
	appended := func(name string) uint32 {
		off := uint32(len(data))
		data = append(data, name...)
		data = append(data, 0)
		return off
	}
	for _, h := range l.numbering.order[1:] {
		switch s := l.Secs[h.sec]; {
		case h.merc:
			s.mercNameOff = appended(mercName(s))
		case s.Appended:
			s.nameOff = appended(s.Name)
		}
	}
	l.setTable(l.shstrtab, data)
}

// rename puts the plain name of a section into the field of its Mercury name. The reference does so once for each section, also where
// several share a field because local functions have one name: it takes what stands behind the length of the Mercury prefix for the function's
// name, and the second time a part of that is gone (observed).
func rename(field []byte, name string) {
	from, to := renamedPrefix(name)
	rest := field[len(from):]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	n := copy(field[len(to):], rest) // forward: the new prefix is the shorter one
	copy(field, to)
	clear(field[len(to)+n:])
}
