package reloc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Reasons for which a field is not written. An *Error wraps one of them.
var (
	ErrUnknownType      = errors.New("unknown relocation type")
	ErrPastEnd          = errors.New("relocation field lies past the end of its section")
	ErrInvalidType      = errors.New("relocation type is not valid in a link")
	ErrLeftToLoader     = errors.New("relocation type can only be applied by the loader")
	ErrFunctionDescript = errors.New("function descriptor relocation against something that is no function")
)

// Error says where a relocation could not be applied or read. The caller adds file, member and section.
type Error struct {
	Type   Type
	Offset uint64 // r_offset
	Size   uint64 // bytes in the section
	Err    error
}

func (e *Error) Error() string {
	name := e.Type.Name()
	if name == "" {
		name = fmt.Sprintf("type %#x", uint32(e.Type))
	}
	return fmt.Sprintf("%s at offset %#x of %#x bytes: %v", name, e.Offset, e.Size, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Values are the operands of one entry, in the letters of the ELF specification.
type Values struct {
	S    uint64 // value of the symbol
	A    uint64 // r_addend of a RELA entry, two's complement; unused for REL
	P    uint64 // offset of the place in its section, for PC-relative types
	Bank uint32 // number of the constant bank that holds the symbol, 0 to 31
	REL  bool   // the addend is the old content of each field
}

// Apply writes the fields of one entry at data[off:]. Values are cut to their fields. Nothing is written when an error
// is returned. A field is rewritten together with neighbouring bytes that keep their content, so data must not be
// written by others meanwhile.
func Apply(t Type, data []byte, off uint64, v Values) error {
	d, ok := Lookup(t)
	if !ok {
		return &Error{t, off, uint64(len(data)), ErrUnknownType}
	}
	if err := d.Apply(data, off, v); err != nil {
		return &Error{t, off, uint64(len(data)), err}
	}
	return nil
}

// Apply is like the function Apply for a row that is at hand. It returns one of the reasons, not wrapped.
func (d *Descriptor) Apply(data []byte, off uint64, v Values) error {
	if d.Loader {
		return ErrLeftToLoader
	}
	switch d.Class {
	case ClassInvalid:
		return ErrInvalidType
	case ClassFunctionDescriptor:
		return ErrFunctionDescript
	}
	if !d.fits(len(data), off) {
		return ErrPastEnd
	}
	for i := range d.Actions {
		a := d.Actions[i]
		if a.Op == OpEnd {
			break
		}
		field := data[off+uint64(a.Pos)/8:]
		put(field, a.Pos%8, a.Width, a.value(field, v))
	}
	return nil
}

// value is what the action writes, not yet cut to its width.
func (a Action) value(field []byte, v Values) uint64 {
	switch a.Op {
	case OpClear:
		return 0
	case OpBankLow, OpBankHigh:
		bank := uint64(v.Bank) >> a.Shift
		if v.REL {
			bank += get(field, a.Pos%8, a.Width) // the old content counts here, too (observed)
		}
		return bank
	}
	var x uint64
	switch {
	case v.REL && a.Op.byteLane():
		x = (v.S + get(field, a.Pos%8, a.Width)) >> a.Shift
	case v.REL:
		x = v.S>>a.Shift + get(field, a.Pos%8, a.Width)
	default:
		x = (v.S + v.A) >> a.Shift
	}
	if a.Op == OpPCRel {
		x = uint64(int64(int32(x))) - v.P
	}
	return x
}

// fits reports whether every field lies inside a section of n bytes.
func (d *Descriptor) fits(n int, off uint64) bool {
	if off > uint64(n) {
		return false
	}
	room := uint64(n) - off
	for i := range d.Actions {
		if a := d.Actions[i]; a.Op != OpEnd && a.end() > room {
			return false
		}
	}
	return true
}

// Extract reads the raw content of the value's field at data[off:]. This is what REL entries add and what
// .nv.resolvedrela* records as their addend: it is not shifted back to bytes, and the bank is not part of it. A value
// that lies in two fields is joined in the order of its bits. Types without a value field give 0.
func (d *Descriptor) Extract(data []byte, off uint64) (uint64, error) {
	return d.read(data, off, false)
}

// Bank reads the bank number of a constant type at data[off:], 0 for other types.
func (d *Descriptor) Bank(data []byte, off uint64) (uint32, error) {
	x, err := d.read(data, off, true)
	return uint32(x), err
}

func (d *Descriptor) read(data []byte, off uint64, bank bool) (uint64, error) {
	if !d.fits(len(data), off) {
		return 0, ErrPastEnd
	}
	var x uint64
	var at uint8
	for i := range d.Actions {
		a := d.Actions[i]
		if a.Op == OpEnd || a.bank() != bank {
			continue
		}
		x |= get(data[off+uint64(a.Pos)/8:], a.Pos%8, a.Width) << at
		at += a.Width
	}
	return x, nil
}

// get reads width bits (at most 64) that start at bit pos (at most 7) of b. The field must lie inside b.
func get(b []byte, pos, width uint8) uint64 {
	m := mask(width)
	if len(b) >= 8 && pos+width <= 64 {
		return binary.LittleEndian.Uint64(b) >> pos & m
	}
	n := (int(pos) + int(width) + 7) / 8
	var x uint64
	for i, c := range b[:min(n, 8)] {
		x |= uint64(c) << (8 * i)
	}
	x >>= pos
	if n == 9 {
		x |= uint64(b[8]) << (64 - pos)
	}
	return x & m
}

// put is the inverse of get; bits of x above width are ignored.
func put(b []byte, pos, width uint8, x uint64) {
	m := mask(width)
	x &= m
	if len(b) >= 8 && pos+width <= 64 {
		old := binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(b, old&^(m<<pos)|x<<pos)
		return
	}
	n := (int(pos) + int(width) + 7) / 8
	for i := range min(n, 8) {
		b[i] = b[i]&^byte(m<<pos>>(8*i)) | byte(x<<pos>>(8*i))
	}
	if n == 9 {
		b[8] = b[8]&^byte(m>>(64-pos)) | byte(x>>(64-pos))
	}
}

func mask(width uint8) uint64 { return ^uint64(0) >> (64 - width) }

// Types that turn a YIELD into a NOP, and the bits of the instruction that they write: the addend is the new opcode, the predicate becomes 0
// (observed).
const (
	yieldOpcode Type = 68
	yieldClear  Type = 69

	yieldOpcodeBits                      = 9
	yieldPredicateAt, yieldPredicateBits = 87, 4
	instructionBytes                     = 16
)

// NeverYield does what a type of ClassYield asks for at data[off:] when the program has no use for YIELD. It reports whether there is
// an instruction to change.
func NeverYield(t Type, data []byte, off, addend uint64) bool {
	if off > uint64(len(data)) || uint64(len(data))-off < instructionBytes {
		return false
	}
	switch field := data[off : off+instructionBytes]; t {
	case yieldOpcode:
		put(field, 0, yieldOpcodeBits, addend)
	case yieldClear:
		put(field[yieldPredicateAt/8:], yieldPredicateAt%8, yieldPredicateBits, 0)
	}
	return true
}
