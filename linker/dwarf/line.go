package dwarf

import (
	"bytes"
	"encoding/binary"
)

var le = binary.LittleEndian

// Sizes in a line unit (DWARF 2, 32-bit form): unit_length, version, header_length, then five fields, the last of which is
// opcode_base.
const (
	lineHead       = 4  // unit_length itself
	lineBase       = 12 // offset of line_base
	lineRange      = 13 // offset of line_range
	lineOpcodeBase = 14 // offset of opcode_base
)

// SetAddress is how many bytes of DW_LNE_set_address stand before its operand, an address of 8 bytes. Each sequence of a device
// compiler begins with one.
const SetAddress = 3

// FirstSequence is where the first sequence of the line unit at u can begin.
func FirstSequence(u uint64) uint64 { return u + lineOpcodeBase + 1 }

// SetUnitLength makes the unit_length of a line unit that of its bytes, which are at least 4.
func SetUnitLength(unit []byte) { le.PutUint32(unit, uint32(len(unit)-lineHead)) }

// UnitEnd finds the end of the line unit at u, or says what is wrong with it.
func UnitEnd(data []byte, u uint64) (end uint64, problem string) {
	if uint64(len(data))-u <= lineOpcodeBase {
		return 0, "a line unit is cut off"
	}
	n := uint64(le.Uint32(data[u:]))
	switch {
	case n >= 0xfffffff0:
		return 0, "a line unit is not in the 32-bit form of DWARF"
	case n > uint64(len(data))-u-lineHead:
		return 0, "a line unit reaches past the end of its section"
	case n+lineHead <= lineOpcodeBase:
		return 0, "a line unit is too short"
	}
	return u + lineHead + n, ""
}

// NamesField finds the 4 bytes between the file table of a unit and its program, 0 if there are none. The compiler puts the
// offset of the unit's names in .debug_str there when functions are inlined; header_length counts them (observed).
func NamesField(unit []byte) int {
	if len(unit) <= lineOpcodeBase {
		return 0
	}
	end := 10 + int(le.Uint32(unit[6:]))
	q := lineOpcodeBase + int(unit[lineOpcodeBase])
	text := func() bool { // skips one NUL-terminated string
		if q >= len(unit) {
			return false
		}
		n := bytes.IndexByte(unit[q:], 0)
		q += n + 1
		return n > 0
	}
	for text() { // directories
	}
	for text() { // files: name, directory, time, length
		for range 3 {
			for q < len(unit) && unit[q]&0x80 != 0 {
				q++
			}
			q++
		}
	}
	if q > len(unit) || end-q != 4 {
		return 0
	}
	return q
}
