package dwarf

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The standard opcodes that RewriteRows tells apart (DWARF 2).
const (
	opExtended    = 0
	opCopy        = 1
	opAdvancePC   = 2
	opAdvanceLine = 3
	opFixedPC     = 9
	endSequence   = 1    // the extended opcode
	opPrologue    = 0x92 // an extended opcode that marks where the prologue begins and ends
)

// lineArguments has the number of LEB128 numbers behind each standard opcode.
var lineArguments = [...]int{opCopy: 0, opAdvancePC: 1, opAdvanceLine: 1, 4: 1, 5: 1, 6: 0, 7: 0, 8: 0, opFixedPC: 0, 10: 0, 11: 0, 12: 1}

// Specials says what the special opcodes of a line unit stand for.
type Specials struct {
	base   int8  // line_base
	rng    uint8 // line_range
	opcode uint8 // opcode_base
}

// SpecialsOf reads the head of a unit that UnitEnd has found whole.
func SpecialsOf(unit []byte) Specials {
	return Specials{int8(unit[lineBase]), unit[lineRange], unit[lineOpcodeBase]}
}

// advances is what a special opcode adds to the line and to the address.
func (s Specials) advances(op byte) (line, pc int64) {
	n := int64(op - s.opcode)
	return int64(s.base) + n%int64(max(s.rng, 1)), n / int64(max(s.rng, 1))
}

// rowWriter writes the rows of a line sequence. The fields tell of the row that is being read.
type rowWriter struct {
	out      []byte
	row      int   // where it begins in out
	line, pc int64 // what it adds to the line and to the address, so far
	steps    int   // how many advances of the address it has
	other    bool  // it has something else than advances of line and address
	advanced int   // where in out an advance of the line begins that nothing follows, -1 if there is none

	// Of the row before, if it ended with an advance of the line and a copy: where that advance begins, otherwise -1, and what it
	// adds.
	previous int
	before   int64
}

// end ends a row with a copy or a special opcode.
func (w *rowWriter) end(op byte, special Specials) {
	last := w.advanced
	switch {
	case op == opCopy && !w.other && w.steps == 0 && w.previous >= 0:
		w.line += w.before
		last = w.previous
		w.out = appendSleb128(append(w.out[:last], opAdvanceLine), w.line)
	case op != opCopy && !w.other && w.steps > 0, op == opCopy && !w.other && w.steps > 1:
		if op != opCopy {
			line, pc := special.advances(op)
			w.line, w.pc, op = w.line+line, w.pc+pc, opCopy
		}
		w.out = appendSleb128(append(w.out[:w.row], opAdvanceLine), w.line)
		w.out = appendSleb128(append(w.out, opAdvancePC), w.pc)
		last = -1
	}
	w.previous, w.before = -1, 0
	if op == opCopy && last >= 0 {
		w.previous, w.before = last, w.line
	}
	w.out = append(w.out, op)
	w.row, w.line, w.pc, w.steps, w.other, w.advanced = len(w.out), 0, 0, 0, false, -1
}

// RewriteRows is a line sequence as the reference writes it when it has its rows in a table: of rows that a copy puts at one
// address the last stays, a row that advances the address more than once does so at once, and the sequence ends at the place of
// its last row; marks of the prologue are left out (observed). Anything that is no such sequence stays as it is.
func RewriteRows(seq []byte, special Specials) []byte {
	const start = SetAddress + 8
	if len(seq) < start {
		return seq
	}
	w := rowWriter{out: slices.Clone(seq[:start]), row: start, advanced: -1, previous: -1}
	for q := start; q < len(seq); {
		at, op := q, seq[q]
		q++
		switch {
		case op == opExtended:
			n, width := binary.Uvarint(seq[q:])
			if width <= 0 || n == 0 || n > uint64(len(seq)-q-width) {
				return seq
			}
			if seq[q+width] == endSequence {
				return append(w.out[:w.row], seq[at:]...)
			}
			code := seq[q+width]
			q += width + int(n)
			if code == opPrologue {
				continue
			}
			w.other, w.advanced = true, -1
		case op == opAdvanceLine, op == opAdvancePC:
			delta, width := sleb128(seq[q:])
			if width == 0 {
				return seq
			}
			q += width
			if op == opAdvanceLine {
				w.line, w.advanced = w.line+delta, len(w.out)
			} else {
				w.pc, w.steps, w.advanced = w.pc+delta, w.steps+1, -1
			}
		case op == opCopy, op >= special.opcode:
			w.end(op, special)
			continue
		default:
			for range lineArguments[min(int(op), len(lineArguments)-1)] {
				_, width := binary.Uvarint(seq[q:])
				if width <= 0 {
					return seq
				}
				q += width
			}
			if op == opFixedPC {
				q += 2
			}
			if q > len(seq) {
				return seq
			}
			w.other, w.advanced = true, -1
		}
		w.out = append(w.out, seq[at:q]...)
	}
	return seq
}

// WithLength is a line sequence whose last advance, in front of DW_LNE_end_sequence, adds to instead of from bytes to the address. A sequence that
// does not end so stays as it is.
func WithLength(seq []byte, from, to uint64) []byte {
	const end = 3 // bytes of DW_LNE_end_sequence
	last := append([]byte{opAdvancePC}, binary.AppendUvarint(nil, from)...)
	if at := len(seq) - end - len(last); at >= 0 && bytes.Equal(seq[at:at+len(last)], last) {
		out := append(slices.Clone(seq[:at]), opAdvancePC)
		return append(binary.AppendUvarint(out, to), seq[len(seq)-end:]...)
	}
	return seq
}

// sleb128 reads a signed LEB128 number; width is 0 if there is none.
func sleb128(b []byte) (v int64, width int) {
	for shift := uint(0); width < len(b) && shift < 64; shift += 7 {
		c := b[width]
		width++
		v |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			if c&0x40 != 0 && shift < 57 {
				v |= -1 << (shift + 7)
			}
			return v, width
		}
	}
	return 0, 0
}

func appendSleb128(b []byte, v int64) []byte {
	for v < -64 || v > 63 {
		b, v = append(b, byte(v)|0x80), v>>7
	}
	return append(b, byte(v)&0x7f)
}
