// Package dwarftest makes debugging data for tests.
package dwarftest

import "encoding/binary"

// LineUnit is a unit with one directory, two files, and extra bytes before its program.
func LineUnit(extra []byte, program []byte) []byte {
	tables := []byte("dir\x00\x00a.cu\x00\x01\x80\x01\x05b.cu\x00\x01\x02\x03\x00")
	head := append([]byte{1, 0, 1, 10, 3, 0, 1}, tables...) // min_inst .. opcode_base 3, two opcode lengths
	head = append(head, extra...)
	unit := []byte{0, 0, 0, 0, 2, 0}
	unit = binary.LittleEndian.AppendUint32(unit, uint32(len(head)))
	unit = append(unit, head...)
	unit = append(unit, program...)
	binary.LittleEndian.PutUint32(unit, uint32(len(unit)-4))
	return unit
}
