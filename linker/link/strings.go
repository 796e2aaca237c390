package link

// stringTable builds a string table: NUL, then each string once in order of addition, without sharing of suffixes
// (observed).
type stringTable struct {
	data []byte
	at   map[string]uint32
}

func newStringTable(hint int) *stringTable {
	return &stringTable{data: append(make([]byte, 0, 32*hint+1), 0), at: make(map[string]uint32, hint)}
}

// add returns the offset of s, adding it if it is new. The empty string added explicitly gets a place of its own.
func (t *stringTable) add(s string) uint32 {
	if off, ok := t.at[s]; ok {
		return off
	}
	off := uint32(len(t.data))
	t.at[s] = off
	t.data = append(t.data, s...)
	t.data = append(t.data, 0)
	return off
}

// makeSymbolStrings builds .strtab: prototypes, names of the local side, names of the global side, those of sections and
// of symbols included that are not in the image; then the plain names of a Mercury image's constant sections.
func (l *Link) makeSymbolStrings() {
	t := newStringTable(len(l.Local) + len(l.Global))
	for _, p := range l.protoList {
		t.add(l.Protos[p])
	}
	for _, list := range [][]SymID{l.Local, l.Global} {
		for _, id := range list {
			if s := &l.Syms[id]; !l.vanishes(s) {
				t.add(s.Name)
			}
		}
	}
	if l.Mercury {
		for _, s := range l.Secs {
			switch s.Kind {
			case KindConstUser, KindConstFunc, KindConstIndices:
				if l.present(s) && isRenamed(s) {
					t.add(plainName(s.Name))
				}
			}
		}
		for _, id := range l.appended() {
			t.add(l.Secs[id].Name)
		}
	}
	l.strings = t
}

// makeSectionStrings builds .shstrtab: the names of all sections ever created, in order of creation. In a Mercury image a
// section that is renamed has its new name in the place of the old one, padded with NUL; the names of what was appended follow, each anew.
func (l *Link) makeSectionStrings() []byte {
	t := newStringTable(len(l.Secs))
	for _, s := range l.Secs[1:] {
		if s.Appended || s.Erased {
			continue
		}
		known := len(t.data)
		s.nameOff = t.add(s.Name)
		if l.Mercury && isRenamed(s) && s.Index != 0 && len(t.data) > known {
			plain := plainName(s.Name)
			field := t.data[s.nameOff : len(t.data)-1]
			clear(field[copy(field, plain):])
		}
	}
	appended := func(name string) uint32 {
		off := uint32(len(t.data))
		t.data = append(t.data, name...)
		t.data = append(t.data, 0)
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
	return t.data
}
