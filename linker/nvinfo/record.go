package nvinfo

import (
	"encoding/binary"
	"fmt"
)

var le = binary.LittleEndian

// FormatError says what is wrong at which byte offset of a section. The caller adds file, member and section.
type FormatError struct {
	Offset  int
	Problem string
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s at offset %#x", e.Problem, e.Offset) }

// Format says where a record keeps its value.
type Format uint8

// Formats as the dump tools name them. A record with another format has no payload (observed: such records are copied).
const (
	NVAL Format = 1 // no value
	BVAL Format = 2 // low byte of the field
	HVAL Format = 3 // the field
	SVAL Format = 4 // payload of as many bytes as the field says
)

// String is the format's name in a dump.
func (f Format) String() string {
	switch f {
	case NVAL:
		return "EIFMT_NVAL"
	case BVAL:
		return "EIFMT_BVAL"
	case HVAL:
		return "EIFMT_HVAL"
	case SVAL:
		return "EIFMT_SVAL"
	}
	return fmt.Sprintf("format %#x", uint8(f))
}

// headerSize is the number of bytes of a record before its payload.
const headerSize = 4

// Record is one attribute. Payload is a slice of the section for SVAL and nil otherwise.
type Record struct {
	Format  Format
	Code    Code
	Field   uint16 // value of BVAL and HVAL; number of payload bytes of SVAL
	Payload []byte
}

// Size is the number of bytes of the record in a section.
func (r Record) Size() int { return headerSize + len(r.Payload) }

// Append writes the record behind b. For SVAL the field is taken from the payload, which must be shorter than 64 KiB.
func (r Record) Append(b []byte) []byte {
	field := r.Field
	if r.Format == SVAL {
		field = uint16(len(r.Payload))
	}
	b = append(b, byte(r.Format), byte(r.Code), byte(field), byte(field>>8))
	return append(b, r.Payload...)
}

// Words is the number of whole 32-bit words in the payload.
func (r Record) Words() int { return len(r.Payload) / 4 }

// Word is the i-th 32-bit word of the payload, 0 where there is none.
func (r Record) Word(i int) uint32 {
	if i < 0 || i >= r.Words() {
		return 0
	}
	return le.Uint32(r.Payload[4*i:])
}

// SetWord overwrites the i-th word of the payload, in the section that it is a slice of. It does nothing where there is
// none.
func (r Record) SetWord(i int, x uint32) {
	if i >= 0 && i < r.Words() {
		le.PutUint32(r.Payload[4*i:], x)
	}
}

// Symbol is the symbol number in the record's first word. It is false for records whose code has none there, that are
// not SVAL or that are too short.
func (r Record) Symbol() (uint32, bool) {
	if r.Format != SVAL || len(r.Payload) < 4 {
		return 0, false
	}
	switch Lookup(r.Code).Symbols {
	case FirstWord, FirstWordOrZero:
		return le.Uint32(r.Payload), true
	}
	return 0, false
}

// Reader walks the records of a section. The zero value is at the end of an empty section.
type Reader struct {
	// Record is the one that Next has read.
	Record
	// Offset is where that record starts in the section.
	Offset int

	data []byte
	next int
	err  error
}

// Read starts a walk over the records of a section of attributes.
func Read(section []byte) Reader { return Reader{data: section} }

// Next reads the next record and reports whether there was one.
func (r *Reader) Next() bool {
	if r.err != nil || r.next >= len(r.data) {
		return false
	}
	b := r.data[r.next:]
	if len(b) < headerSize {
		r.err = &FormatError{r.next, fmt.Sprintf("%d bytes are left, too few for an attribute record", len(b))}
		return false
	}
	rec := Record{Format: Format(b[0]), Code: Code(b[1]), Field: le.Uint16(b[2:])}
	size := headerSize
	if rec.Format == SVAL {
		size += int(rec.Field)
		if size > len(b) {
			r.err = &FormatError{r.next, fmt.Sprintf("attribute %v has %d bytes of payload, but %d are left", rec.Code, rec.Field, len(b)-headerSize)}
			return false
		}
		rec.Payload = b[headerSize:size:size]
	}
	r.Record, r.Offset = rec, r.next
	r.next += size
	return true
}

// Err is nil after a walk over a well-formed section, else a *FormatError.
func (r *Reader) Err() error { return r.err }
