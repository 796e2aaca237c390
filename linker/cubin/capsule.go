package cubin

import (
	"fmt"
	"math/bits"
	"sort"
)

// Capsule is the frame of a .nv.capmerc.text.F section, the Mercury form of a function:
//
//	u32 section index of .text.F | u32 0xc0000001 | u32 n | ceil(n/32) u32 of bit map | records
//
// or, from the compiler of 12.8 (see RenewCapsule),
//
//	u32 section index of .text.F | u32 0x40000000 + n | ceil(n/32) u32 of bit map | records
//
// The function has n Mercury instructions. Bit i is set when instruction i follows from its one SASS instruction; every
// other instruction has a record, in order (observed; the counts of SASS instructions add up in every capsule met).
type Capsule struct {
	// Text is the section index of the code that the capsule belongs to.
	Text uint32
	// Instructions is the number of Mercury instructions.
	Instructions int
	// SASS is the number of SASS instructions they stand for: the size of .text.F in 16-byte units.
	SASS int
	// Records are the explicit ones in order.
	Records []CapsuleRecord
	// First: the capsule has the head that only the compiler of 12.8 writes.
	First bool
}

// CapsuleRecord is one Mercury instruction that is written out, whole or in part.
type CapsuleRecord struct {
	// Instruction is its number among the Mercury instructions.
	Instruction int32
	// SASS is the number of the first SASS instruction (16 bytes each) that it stands for, Count how many there are.
	SASS, Count int32
	// Off is where the instruction's bytes begin in the section, behind the prefix; Size how many there are here: the
	// whole instruction (16 a unit), its 4 opcode bytes, or none.
	Off, Size int32
	// Units is the instruction's size in 16-byte units; 0 in a record without an instruction (the last one: the branch
	// to itself and the NOPs up to the end of the code).
	Units uint8
}

// Whole reports whether all bytes of the instruction are in the capsule.
func (r *CapsuleRecord) Whole() bool { return r.Size >= 16 }

// Bits of a record's first byte, or of the u16 that may precede it (observed).
const (
	capsuleMagic      = 0xc0000001
	capsuleUnitMask   = 0x0f
	capsulePrefix     = 0x10 // a u16: number of SASS instructions in bits 7 to 15
	capsuleNoSASS     = 0x30 // an instruction, without prefix, that stands for no SASS
	capsuleOpcodeOnly = 0x40
	capsuleHead       = 12

	capsuleFirstMagic = 0x40000000
	capsuleFirstHead  = 8
	capsuleMagicMask  = 0xc0000000
)

// capsuleError says what is wrong at which byte of a capsule.
func capsuleError(off int, format string, args ...any) error {
	return fmt.Errorf("capsule: %s at offset %#x", fmt.Sprintf(format, args...), off)
}

// ParseCapsule decodes a .nv.capmerc.text.F section. Memory is proportional to the number of records, which take at least
// two bytes each.
func ParseCapsule(data []byte) (*Capsule, error) {
	head, n, err := capsuleHeadOf(data)
	if err != nil {
		return nil, err
	}
	words := (n + 31) / 32
	if words > uint64(len(data)-head)/4 {
		return nil, capsuleError(head-4, "the bit map of %d instructions reaches beyond the end", n)
	}
	c := &Capsule{Text: le.Uint32(data), Instructions: int(n), First: head == capsuleFirstHead}
	body := head + 4*int(words)
	explicit := int(n)
	for w := range int(words) {
		explicit -= bits.OnesCount32(capsuleWord(data[head:], w, int(n)))
	}
	if explicit > (len(data)-body)/2 {
		return nil, capsuleError(body, "%d records do not fit into %d bytes", explicit, len(data)-body)
	}
	c.Records = make([]CapsuleRecord, 0, explicit)
	off, sass, at := body, 0, 0
	for w := range int(words) {
		for clear := ^capsuleWord(data[head:], w, int(n)); clear != 0; clear &= clear - 1 {
			i := 32*w + bits.TrailingZeros32(clear)
			if i >= int(n) {
				break
			}
			sass += i - at // instructions without a record
			r, next, err := capsuleRecord(data, off)
			if err != nil {
				return nil, err
			}
			r.Instruction, r.SASS = int32(i), int32(sass)
			c.Records = append(c.Records, r)
			off, sass, at = next, sass+int(r.Count), i+1
		}
	}
	if off != len(data) {
		return nil, capsuleError(off, "%d bytes follow the last record", len(data)-off)
	}
	c.SASS = sass + int(n) - at
	return c, nil
}

// capsuleHeadOf returns the length of a capsule's head and the number of instructions that it states.
func capsuleHeadOf(data []byte) (head int, n uint64, err error) {
	if len(data) < capsuleFirstHead {
		return 0, 0, capsuleError(len(data), "%d bytes are too few for its head", len(data))
	}
	m := le.Uint32(data[4:])
	switch {
	case m&capsuleMagicMask == capsuleFirstMagic:
		return capsuleFirstHead, uint64(m &^ capsuleMagicMask), nil
	case m != capsuleMagic:
		return 0, 0, capsuleError(4, "unknown magic number %#x", m)
	case len(data) < capsuleHead:
		return 0, 0, capsuleError(len(data), "%d bytes are too few for its head", len(data))
	}
	return capsuleHead, uint64(le.Uint32(data[8:])), nil
}

// capsuleWord is word w of a bit map, without bits of instructions that do not exist.
func capsuleWord(bitmap []byte, w, n int) uint32 {
	v := le.Uint32(bitmap[4*w:])
	if rest := n - 32*w; rest < 32 {
		v &= 1<<rest - 1
	}
	return v
}

// capsuleRecord decodes the record at off and returns where the next one begins.
func capsuleRecord(data []byte, off int) (CapsuleRecord, int, error) {
	r := CapsuleRecord{Count: 1}
	if off >= len(data) {
		return r, 0, capsuleError(off, "a record is missing")
	}
	switch {
	case data[off]&capsuleNoSASS == capsuleNoSASS:
		r.Count = 0
	case data[off]&capsulePrefix != 0:
		if off+2 > len(data) {
			return r, 0, capsuleError(off, "a record is cut off")
		}
		v := le.Uint16(data[off:])
		r.Count = int32(v >> 7)
		off += 2
		if v&capsuleUnitMask == 0 {
			r.Off = int32(off)
			return r, off, nil
		}
		if off >= len(data) {
			return r, 0, capsuleError(off, "a record is cut off")
		}
	}
	r.Units = data[off] & capsuleUnitMask
	r.Off = int32(off)
	if data[off]&capsuleOpcodeOnly != 0 {
		r.Size = 4
	} else {
		r.Size = 16 * int32(r.Units)
	}
	if r.Size == 0 {
		return r, 0, capsuleError(off, "a record without length (first byte %#x)", data[off])
	}
	if int(r.Size) > len(data)-off {
		return r, 0, capsuleError(off, "a record is cut off")
	}
	return r, off + int(r.Size), nil
}

// At returns the record that stands for SASS instruction i (offset in .text.F divided by 16), or nil if it has none.
func (c *Capsule) At(i int) *CapsuleRecord {
	k := sort.Search(len(c.Records), func(k int) bool { return int(c.Records[k].SASS)+int(c.Records[k].Count) > i })
	if k == len(c.Records) || int(c.Records[k].SASS) > i {
		return nil
	}
	return &c.Records[k]
}
