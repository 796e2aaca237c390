package link

import (
	"bytes"
	"context"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// relocateMercury makes the twins: the same passes once more over the Mercury form of every section. It runs when the
// plain sections are relocated, since descriptors' places and entries are taken from there.
func (l *link) relocateMercury(ctx context.Context) error {
	if !l.Mercury {
		return nil
	}
	l.copyCapsules()
	t := newTwinRelocator(l)
	if err := l.parallel(len(t.targets), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return t.section(&t.targets[i])
	}); err != nil {
		return (&relocator{l: l}).report(err)
	}
	t.collectSettled()
	if err := t.movedTables(); err != nil {
		return (&relocator{l: l}).report(err)
	}
	l.fillLosingTables()
	t.headerIndices()
	if err := l.placeDescriptorBases(); err != nil {
		return err
	}
	l.result.AnewCandidates = l.anewCandidates()
	return nil
}

// copyCapsules gives every code section the capsule of the input that gives its code.
func (l *link) copyCapsules() {
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindText, kindUFT:
			if len(s.Parts) > 0 && s.Parts[0].Merc != 0 && s.ID != l.uft {
				p := &s.Parts[0]
				f := l.Inputs[p.In].File
				s.MercData = renewedCapsule(f.Sections[p.Merc].Data, f.Sections[p.Sec].Data)
				s.MercSize = uint64(len(s.MercData))
			}
		case kindConstFunc:
			// Jump tables: the loader fills both forms.
			if uint64(len(s.MercData)) != s.Size {
				s.MercData = make([]byte, s.Size)
			}
			s.MercSize = s.Size
		}
	}
}

// renewedCapsule copies a capsule and brings it into the form that images have. One that cannot be read stays as it is: what has to be
// written into it is refused later.
func renewedCapsule(capsule, code []byte) []byte {
	if c, err := cubin.RenewCapsule(capsule, code); err == nil && len(c) > 0 && &c[0] != &capsule[0] {
		return c
	}
	return bytes.Clone(capsule)
}

// finishMercury fills in what depends on the numbers and sizes of sections: the first word of capsules, which twins share
// the file offset of their plain section, and the bytes of reserved shared memory.
func (l *link) finishMercury(ctx context.Context) error {
	if !l.Mercury {
		return nil
	}
	var reserved *section
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindText, kindUFT:
			if len(s.MercData) >= 4 {
				le.PutUint32(s.MercData, s.Index)
			}
		case kindConstUser, kindGlobalInit:
			s.ShareOff, s.MercSize = true, s.Size
		case kindDebug:
			// .debug_info has bytes of its own even when they are equal (observed).
			s.ShareOff = s.Name != ".debug_info" && bytes.Equal(s.Data, s.MercData)
		case kindSharedReserved:
			reserved = s
		}
	}
	if reserved != nil && reserved.MercIndex != 0 {
		return l.fillReserved(reserved)
	}
	return nil
}

// mercSymbol returns st_info, st_other, st_value and st_size of a symbol's entry in .nv.merc.symtab. They are those of
// .symtab in a relocatable image, whatever the image is: variables keep their type and their space; shared memory counts
// from behind the reserved bytes, reserved memory from behind its own; functions have the size of their Mercury code (observed).
func (l *link) mercSymbol(id symID) (info, other uint8, value, size uint64) {
	s := &l.Syms[id]
	info, other, value, size = l.symbolFields(id, false)
	if s.Of != 0 {
		return info, other, value, size
	}
	if s.Type() == cubin.STTFunc {
		if s.Def != noFile {
			size = l.Inputs[s.Def].File.MercSymbols[s.DefSym].Size
		}
		return info, other, value, size
	}
	if !l.rel && cubin.SymbolType(info&15) == cubin.STTObject {
		space := l.mercSpace(s)
		info, other = info&0xf0|uint8(cubin.STTCudaObject), other|space
		switch space {
		case cubin.STOShared:
			value -= l.shownReserve()
		case cubin.STOReservedShrd:
			value -= min(value, reservedOwn)
		}
	}
	if strings.HasPrefix(s.Name, ".nv.reservedSmem.") {
		value = 0
	}
	return info, other, value, size
}

// mercSpace is the memory space that .nv.merc.symtab shows for a variable of an executable.
func (l *link) mercSpace(s *symbol) uint8 {
	switch l.Secs[s.Sec].Kind {
	case kindSharedEntry, kindSharedFuncs:
		return cubin.STOShared
	case kindSharedReserved:
		return cubin.STOReservedShrd
	case kindConstUser, kindConstFunc, kindConstEntry, kindConstIndices:
		return cubin.STOConstant
	}
	return cubin.STOGlobal
}
