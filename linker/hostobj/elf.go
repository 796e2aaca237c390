package hostobj

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrUnsound is returned for data that is no ELF64 little-endian file with a section table that it holds completely.
var ErrUnsound = errors.New("not a sound ELF64 file")

// The numbers of the ELF specification that the package needs.
const (
	elfHeaderSize     = 64
	sectionHeaderSize = 64
	symbolSize        = 24
	relaSize          = 24

	offType      = 16
	offMachine   = 18
	offShoff     = 40
	offShentsize = 58
	offShnum     = 60
	offShstrndx  = 62

	shtNull     = 0
	shtProgbits = 1
	shtSymtab   = 2
	shtStrtab   = 3
	shtRela     = 4
	shtNobits   = 8

	shnXindex = 0xffff

	etRel = 1

	// MachineCUDA is e_machine of device ELFs.
	MachineCUDA = 190
)

// File is the section table of an ELF64 little-endian file; it keeps slices of the data that it was read from.
type File struct {
	// Type and Machine are e_type and e_machine.
	Type, Machine uint16

	data    []byte
	headers []byte // the section header table
	names   []byte // the section name table
}

// IsELF reports whether data starts with the ELF magic.
func IsELF(data []byte) bool { return len(data) >= 4 && string(data[:4]) == "\x7fELF" }

// ReadFile reads the section table of an ELF file of any type and machine. The error wraps ErrUnsound.
func ReadFile(data []byte) (*File, error) {
	if len(data) < elfHeaderSize || !IsELF(data) {
		return nil, fmt.Errorf("%w: no ELF header in %d bytes", ErrUnsound, len(data))
	}
	if data[4] != 2 || data[5] != 1 {
		return nil, fmt.Errorf("%w: class %d, data encoding %d", ErrUnsound, data[4], data[5])
	}
	le := binary.LittleEndian
	f := &File{Type: le.Uint16(data[offType:]), Machine: le.Uint16(data[offMachine:]), data: data}
	shoff, size := le.Uint64(data[offShoff:]), uint64(len(data))
	num, strndx := uint64(le.Uint16(data[offShnum:])), uint64(le.Uint16(data[offShstrndx:]))
	if shoff == 0 && num == 0 {
		return f, nil
	}
	if e := le.Uint16(data[offShentsize:]); e != sectionHeaderSize {
		return nil, fmt.Errorf("%w: e_shentsize %d", ErrUnsound, e)
	}
	if shoff > size || size-shoff < sectionHeaderSize {
		return nil, fmt.Errorf("%w: section table at %#x of %#x bytes", ErrUnsound, shoff, size)
	}
	first := data[shoff : shoff+sectionHeaderSize]
	if num == 0 { // ELF: more sections than e_shnum can say
		num = le.Uint64(first[32:])
	}
	if strndx == shnXindex {
		strndx = uint64(le.Uint32(first[40:]))
	}
	if num > (size-shoff)/sectionHeaderSize {
		return nil, fmt.Errorf("%w: %d sections from %#x of %#x bytes", ErrUnsound, num, shoff, size)
	}
	f.headers = data[shoff : shoff+num*sectionHeaderSize]
	if strndx >= num {
		if num == 0 {
			return f, nil
		}
		return nil, fmt.Errorf("%w: e_shstrndx %d of %d", ErrUnsound, strndx, num)
	}
	names, err := f.section(int(strndx)).bytes(data)
	if err != nil {
		return nil, err
	}
	f.names = names
	return f, nil
}

// section is a section header.
type section struct {
	index        int
	name, typ    uint32
	offset, size uint64
	link         uint32
}

// Len is the number of section headers.
func (f *File) Len() int { return len(f.headers) / sectionHeaderSize }

func (f *File) section(i int) section {
	h, le := f.headers[i*sectionHeaderSize:], binary.LittleEndian
	return section{i, le.Uint32(h), le.Uint32(h[4:]), le.Uint64(h[24:]), le.Uint64(h[32:]), le.Uint32(h[40:])}
}

// bytes are the section's bytes in the file; none for a section without bytes.
func (s section) bytes(data []byte) ([]byte, error) {
	if s.typ == shtNobits || s.typ == shtNull {
		return nil, nil
	}
	if s.offset > uint64(len(data)) || s.size > uint64(len(data))-s.offset {
		return nil, fmt.Errorf("%w: section %d has %#x bytes at %#x of %#x", ErrUnsound, s.index, s.size, s.offset, len(data))
	}
	return data[s.offset : s.offset+s.size : s.offset+s.size], nil
}

// hasName compares without looking for the end of a name that may be far away.
func (f *File) hasName(s section, name string) bool {
	at := uint64(s.name)
	if at >= uint64(len(f.names)) {
		return false
	}
	rest := f.names[at:]
	return len(rest) > len(name) && rest[len(name)] == 0 && string(rest[:len(name)]) == name
}

// Sound reports whether every section that has bytes lies in the file, as the reference wants of cubins (observed). noBits tells the
// types of sections without bytes beside SHT_NOBITS. The error wraps ErrUnsound.
func (f *File) Sound(noBits func(typ uint32) bool) error {
	for i := range f.Len() {
		s := f.section(i)
		if noBits(s.typ) {
			continue
		}
		if _, err := s.bytes(f.data); err != nil {
			return err
		}
	}
	return nil
}

// cStrings cuts NUL-ended texts that lie back to back, empty ones left out. A rest without a NUL counts as a text.
func cStrings(b []byte) []string {
	var out []string
	for len(b) > 0 {
		text, rest, _ := bytes.Cut(b, []byte{0})
		if len(text) > 0 {
			out = append(out, string(text))
		}
		b = rest
	}
	return out
}

// Section finds the bytes of the first section of a name; nil when there is none, it has no bytes, or they are not in the file.
func (f *File) Section(name string) []byte {
	for i := range f.Len() {
		if s := f.section(i); f.hasName(s, name) {
			b, err := s.bytes(f.data)
			if err != nil {
				return nil
			}
			return b
		}
	}
	return nil
}
