package cubin

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// RenewCapsule returns a capsule of the compiler of 12.8 in the form of all later ones, which nvlink of 13.0 writes; any
// other capsule is returned as it is. code is the function's .text section. Besides the head, it differs in which
// instruction is meant by a SASS instruction alone: 12.8 takes calls and returns for granted that have a record later, and has
// opcodes as records that need none later (observed in 2,000 functions that both compilers and nvlink encoded).
func RenewCapsule(data, code []byte) ([]byte, error) {
	c, err := ParseCapsule(data)
	if err != nil || !c.First {
		return data, err
	}
	words := (c.Instructions + 31) / 32
	out := make([]byte, capsuleHead+4*words, len(data)+capsuleHead)
	le.PutUint32(out, c.Text)
	le.PutUint32(out[4:], capsuleMagic)
	le.PutUint32(out[8:], uint32(c.Instructions))
	copy(out[capsuleHead:], data[capsuleFirstHead:][:4*words])
	r := renewal{out: out, code: code}
	at, number, off := 0, 0, capsuleFirstHead+4*words
	for i := range c.Records {
		rec := &c.Records[i]
		r.implied(at, int(rec.Instruction), number)
		end := int(rec.Off + rec.Size)
		r.record(int(rec.Instruction), int(rec.SASS), data[off:end])
		at, number, off = int(rec.Instruction)+1, int(rec.SASS+rec.Count), end
	}
	r.implied(at, c.Instructions, number)
	return r.out, nil
}

// renewal is a capsule that is being encoded, and the code that it belongs to.
type renewal struct{ out, code []byte }

// firstImplied has the SASS opcodes (their low 12 bits) that imply an instruction in capsules of 12.8 alone, with the record
// that they have later.
var firstImplied = []struct {
	sass   uint16
	record [4]byte
}{
	{0x943, [4]byte{0x42, 0x0a, 0x02, 0x0e}}, // CALL.ABS
	{0x950, [4]byte{0x42, 0x33, 0x00, 0x0e}}, // RET
}

// firstRecords are the opcodes that have a record in capsules of 12.8 alone.
var firstRecords = [][4]byte{
	{0x41, 0x08, 0x04, 0x0c}, // of SASS 0x945
	{0x41, 0x09, 0x00, 0x0a}, // of SASS 0x941
	{0x41, 0x09, 0x04, 0x0a}, // of SASS 0x941
	{0x41, 0x12, 0x40, 0x0a}, // of SASS 0x306
	{0x41, 0x12, 0x94, 0x0a}, // of SASS 0x310
	{0x41, 0x12, 0xb8, 0x0a}, // of SASS 0x312
	{0x41, 0x12, 0xbc, 0x0a}, // of SASS 0x312
	{0x41, 0x12, 0xc0, 0x0a}, // of SASS 0x312
	{0x41, 0x12, 0xc2, 0x0a}, // of SASS 0xd12
	{0x42, 0x08, 0x00, 0x06}, // of SASS 0x945
	{0x42, 0x10, 0x0c, 0x26}, // of SASS 0x22a
	{0x42, 0x10, 0x0e, 0x26}, // of SASS 0xe2a
	{0x42, 0x10, 0x10, 0x32}, // of SASS 0x80b
	{0x42, 0x10, 0x12, 0x26}, // of SASS 0x20b
	{0x42, 0x22, 0x3a, 0x06}, // of SASS 0x984
	{0x42, 0x42, 0x02, 0x06}, // of SASS 0x446
}

// implied gives records to those of the instructions from and up to but not to, which have none, that need one now; number is that of the
// first one's SASS instruction.
func (r *renewal) implied(from, to, number int) {
	for i := from; i < to && sass.Size*(number+i-from)+2 <= len(r.code); i++ {
		op := sass.Opcode(r.code[sass.Size*(number+i-from):])
		for k := range firstImplied {
			if firstImplied[k].sass == op {
				r.bit(i, false)
				r.out = append(r.out, firstImplied[k].record[:]...)
			}
		}
	}
}

// narrowConversion is a bit of the second word of a conversion from or to double precision: its integers have 8 or 16 bits. Such
// conversions keep their record.
const (
	narrowConversion = 1 << 10
	conversions      = 0x300 // the first of their opcodes
)

// record copies the record of instruction i, whose first SASS instruction has that number, unless it implies the record now.
func (r *renewal) record(i, number int, rec []byte) {
	if len(rec) == 4 && slices.Contains(firstRecords, [4]byte(rec)) && !r.narrow(number) {
		r.bit(i, true)
		return
	}
	r.out = append(r.out, rec...)
}

// narrow reports whether a SASS instruction is a narrow conversion.
func (r *renewal) narrow(number int) bool {
	at := sass.Size * number
	if at+sass.Size > len(r.code) {
		return true // not to be told: what is written out is right in any case
	}
	return sass.Opcode(r.code[at:])>>4 == conversions>>4 && le.Uint64(r.code[at+8:])&narrowConversion != 0
}

// bit says in the map whether the SASS instruction implies instruction i.
func (r *renewal) bit(i int, implied bool) {
	word := r.out[capsuleHead+i/32*4:]
	v := le.Uint32(word) &^ (1 << (i % 32))
	if implied {
		v |= 1 << (i % 32)
	}
	le.PutUint32(word, v)
}
