package link

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// reservedOwn is how many bytes of reserved shared memory an image counts beyond the variables: they have no place in
// the twin.
const reservedOwn = 0x40

// reservedLimit is far more than any device's shared memory; more is damage and is refused before it is allocated.
const reservedLimit = 1 << 20

// mercuryUnit is the unit of Mercury code, and its alignment.
const mercuryUnit = 16

// fastpathSize is the room that CAN_FASTPATH_FINALIZE takes in .nv.compat. It is added last.
const fastpathSize = 12

// fillReserved makes the bytes of .nv.merc.nv.shared.reserved.0. Its plain form has none; the twin shows what the
// reference's intermediate file, which holds the Mercury half alone under plain names, has at the section's offset: the
// gap up to the section header table, then the table's first headers (observed).
func (l *link) fillReserved(s *section) error {
	s.MercSize = s.Size
	if !l.rel {
		s.MercSize = max(s.Size, reservedOwn) - reservedOwn
	}
	if s.MercSize > reservedLimit {
		return l.Diag.Fatal(diag.UnsupportedInput, l.fileName(0), fmt.Sprintf("%#x bytes of reserved shared memory", s.MercSize))
	}
	names := l.earlyNames()
	s.MercData = make([]byte, s.MercSize)
	// More than two and a half headers are never seen: no reserved variables take more room.
	var headers [3 * cubin.ShdrSize]byte
	putShdr(headers[cubin.ShdrSize:], 1, cubin.SHTStrtab, 0, cubin.EhdrSize, names, 0, 0, 1, 0)
	putShdr(headers[2*cubin.ShdrSize:], uint32(len(".shstrtab")+2), cubin.SHTStrtab, 0, cubin.EhdrSize+names, l.earlyStrings, 0, 0, 1, 0)
	if gap := l.intermediateGap(s, names); gap < s.MercSize {
		copy(s.MercData[gap:], headers[:])
	}
	return nil
}

// earlyNames is the size of .shstrtab before the names of what a Mercury image appends are added to it.
func (l *link) earlyNames() uint64 {
	first := l.Secs[l.shstrtab].Size
	for _, h := range l.numbering.order[1:] {
		switch s := l.Secs[h.sec]; {
		case h.merc:
			first = min(first, uint64(s.mercNameOff))
		case s.Appended:
			first = min(first, uint64(s.nameOff))
		}
	}
	return first
}

// intermediateGap is the number of bytes between the offset of the reserved section and the section header table in the
// intermediate file. That file has the plain sections up to the shared ones with the sizes of their twins, and Mercury code
// as the compiler has it before it is packed into capsules, without gaps (observed).
func (l *link) intermediateGap(reserved *section, names uint64) uint64 {
	pos, start := uint64(cubin.EhdrSize), uint64(0)
	for _, h := range l.numbering.order[1:] {
		s := l.Secs[h.sec]
		if h.merc || s.Appended {
			continue
		}
		align, size := l.align(s), s.Size
		switch {
		case s.Kind == kindShstrtab:
			size = names
		case s.Kind == kindStrtab:
			size = l.earlyStrings
		case s.Kind == kindCompat:
			size = max(size, fastpathSize) - fastpathSize
		case s.Kind == kindText:
			_, _, _, size = l.mercSymbol(s.Fn)
			align = mercuryUnit
		case s.MercIndex != 0, s.Kind == kindRela, s.Kind == kindResolved:
			size = s.MercSize
		}
		pos = alignUp(pos, align)
		if s == reserved {
			start = pos
		}
		if !s.NoBits() {
			pos += size
		}
	}
	return alignUp(pos, 8) - start
}
