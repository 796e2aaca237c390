package hostobj

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrUnsound is returned for data that is no little-endian ELF file with a section table that it holds completely.
var ErrUnsound = errors.New("not a sound ELF file")

// The numbers of the ELF specification that the package needs.
const (
	elfHeaderSize     = 64
	sectionHeaderSize = 64
	symbolSize        = 24
	relaSize          = 24

	offType      = 16
	offMachine   = 18
	offShoff     = 40 // this and the following: of ELF64
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

// form is how one class of ELF files keeps its section table: sizes, and offsets in the file header and in a section header.
type form struct {
	header, sectionHeader, word int
	shoff, shentsize            int // e_shnum and e_shstrndx follow e_shentsize
	offset, size, link          int
}

// forms has the two classes. Whatever does not say that it is 64-bit is read as 32-bit (observed).
var forms = [...]form{
	{header: 52, sectionHeader: 40, word: 4, shoff: 32, shentsize: 46, offset: 16, size: 20, link: 24},
	{header: elfHeaderSize, sectionHeader: sectionHeaderSize, word: 8, shoff: offShoff, shentsize: offShentsize, offset: 24, size: 32, link: 40},
}

// class64 is EI_CLASS of ELF64.
const class64 = 2

// at reads a word of the class.
func (c *form) at(b []byte, off int) uint64 {
	if c.word == 4 {
		return uint64(binary.LittleEndian.Uint32(b[off:]))
	}
	return binary.LittleEndian.Uint64(b[off:])
}

// File is the section table of a little-endian ELF file; it keeps slices of the data that it was read from.
type File struct {
	// Type and Machine are e_type and e_machine.
	Type, Machine uint16

	form    *form
	data    []byte
	headers []byte // the section header table
	names   []byte // the section name table
}

// Is64 reports whether the file says that it is ELF64.
func (f *File) Is64() bool { return f.form.word == 8 }

// IsELF reports whether data starts with the ELF magic.
func IsELF(data []byte) bool { return len(data) >= 4 && string(data[:4]) == "\x7fELF" }

// ReadFile reads the section table of an ELF file of any type and machine. The error wraps ErrUnsound.
func ReadFile(data []byte) (*File, error) {
	if len(data) < forms[0].header || !IsELF(data) {
		return nil, fmt.Errorf("%w: no ELF header in %d bytes", ErrUnsound, len(data))
	}
	c := &forms[0]
	if data[4] == class64 {
		c = &forms[1]
	}
	if data[5] != 1 || len(data) < c.header {
		return nil, fmt.Errorf("%w: class %d, data encoding %d, %d bytes", ErrUnsound, data[4], data[5], len(data))
	}
	le := binary.LittleEndian
	f := &File{Type: le.Uint16(data[offType:]), Machine: le.Uint16(data[offMachine:]), form: c, data: data}
	shoff, size, stride := c.at(data, c.shoff), uint64(len(data)), uint64(c.sectionHeader)
	num, strndx := uint64(le.Uint16(data[c.shentsize+2:])), uint64(le.Uint16(data[c.shentsize+4:]))
	if shoff == 0 && num == 0 && f.Is64() { // not of 32 bits: 64-bit files without EI_CLASS are unsound (observed)
		return f, nil
	}
	if e := le.Uint16(data[c.shentsize:]); uint64(e) != stride {
		return nil, fmt.Errorf("%w: e_shentsize %d", ErrUnsound, e)
	}
	if shoff > size || size-shoff < stride {
		return nil, fmt.Errorf("%w: its section table at offset %#x lies past its end, %#x", ErrUnsound, shoff, size)
	}
	first := data[shoff : shoff+stride]
	if num == 0 { // ELF: more sections than e_shnum can say
		num = c.at(first, c.size)
	}
	if strndx == shnXindex {
		strndx = uint64(le.Uint32(first[c.link:]))
	}
	if num > (size-shoff)/stride {
		return nil, fmt.Errorf("%w: its table of %d sections at offset %#x runs past its end, %#x", ErrUnsound, num, shoff, size)
	}
	f.headers = data[shoff : shoff+num*stride]
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
}

// Len is the number of section headers.
func (f *File) Len() int { return len(f.headers) / f.form.sectionHeader }

func (f *File) section(i int) section {
	c, le := f.form, binary.LittleEndian
	h := f.headers[i*c.sectionHeader:]
	return section{i, le.Uint32(h), le.Uint32(h[4:]), c.at(h, c.offset), c.at(h, c.size)}
}

// bytes are the section's bytes in the file; none for a section without bytes.
func (s section) bytes(data []byte) ([]byte, error) {
	if s.typ == shtNobits || s.typ == shtNull {
		return nil, nil
	}
	if s.offset > uint64(len(data)) || s.size > uint64(len(data))-s.offset {
		return nil, fmt.Errorf("%w: section %d with %#x bytes at offset %#x runs past its end, %#x", ErrUnsound, s.index, s.size, s.offset, len(data))
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
