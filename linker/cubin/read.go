package cubin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/culink/culink/linker/slab"
)

// File is a parsed device ELF. It is read-only and keeps references into the bytes it was parsed from.
type File struct {
	Header
	Form     *Form // of the file's class
	Data     []byte
	Sections []Section
	Symbols  []Symbol // .symtab, the null symbol first; nil if there is none
	// MercSymbols is .nv.merc.symtab, the null symbol first; nil below sm_100.
	MercSymbols []Symbol
	// Symtab and MercSymtab are the section indices of the two symbol tables, 0 if absent.
	Symtab, MercSymtab int
	strtab             string // the string table of the symbol tables
}

// ErrNotELF says that the bytes are not a little-endian ELF file.
var ErrNotELF = errors.New("not a little-endian ELF file")

// FormatError is a structural fault of a file: what is wrong, in which section (by index, -1 for the header) and at
// which byte offset of the file.
type FormatError struct {
	Section int
	Name    string
	Offset  uint64
	Problem string
}

func (e *FormatError) Error() string {
	if e.Section < 0 {
		return fmt.Sprintf("%s at offset %#x", e.Problem, e.Offset)
	}
	return fmt.Sprintf("section %d (%q): %s at offset %#x", e.Section, e.Name, e.Problem, e.Offset)
}

var le = binary.LittleEndian

// ReadHeader parses the file header alone: 64 bytes, 52 of ELF32.
func ReadHeader(data []byte) (Header, error) {
	var h Header
	if len(data) < forms[0].Ehdr || data[0] != 0x7f || data[1] != 'E' || data[2] != 'L' || data[3] != 'F' || data[5] != 1 {
		return h, ErrNotELF
	}
	c := Class(data[4])
	form := FormOf(c)
	if c != form.Class || len(data) < form.Ehdr {
		return h, ErrNotELF
	}
	var scratch [EhdrSize]byte
	b := form.widen(scratch[:], data, ehdrFields)
	h = Header{
		Class: c, OSABI: b[7], ABIVersion: b[8],
		Type: le.Uint16(b[16:]), Machine: le.Uint16(b[18:]), Version: le.Uint32(b[20:]),
		Entry: le.Uint64(b[24:]), Phoff: le.Uint64(b[32:]), Shoff: le.Uint64(b[40:]), Flags: le.Uint32(b[48:]),
		Ehsize: le.Uint16(b[52:]), Phentsize: le.Uint16(b[54:]), Phnum: le.Uint16(b[56:]),
		Shentsize: le.Uint16(b[58:]), Shnum: le.Uint16(b[60:]), Shstrndx: le.Uint16(b[62:]),
	}
	return h, nil
}

// Parse reads the headers, names and symbols of a device ELF. The bytes must not change as long as the File, or a name
// out of it, is in use. Every offset is checked against the file, so that the
// accessors of a File cannot fail for reasons of bounds; memory is proportional to the number of sections and symbols.
func Parse(data []byte) (*File, error) {
	return new(Parser).Parse(data)
}

// Parser reads many files and takes the memory for their tables from common slabs, which live as long as any of
// the files. The zero value is ready for use by one goroutine at a time.
type Parser struct {
	files    slab.Pool[File]
	sections slab.Pool[Section]
	symbols  slab.Pool[Symbol]
}

// Parse is the function Parse.
func (p *Parser) Parse(data []byte) (*File, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if h.Machine != EMCUDA {
		return nil, &FormatError{-1, "", 18, fmt.Sprintf("e_machine is %d, not %d (CUDA)", h.Machine, EMCUDA)}
	}
	f := &p.files.Take(1)[0]
	f.Header, f.Form, f.Data = h, FormOf(h.Class), data
	if err := f.readSections(p); err != nil {
		return nil, err
	}
	if err := f.readSymbols(p); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) readSections(p *Parser) error {
	h, form := &f.Header, f.Form
	count, err := f.sectionCount()
	if err != nil {
		return err
	}
	if int(h.Shentsize) != form.Shdr {
		return &FormatError{-1, "", form.place(58, ehdrFields), fmt.Sprintf("e_shentsize is %d, not %d", h.Shentsize, form.Shdr)}
	}
	size, stride := uint64(len(f.Data)), uint64(form.Shdr)
	if h.Shoff > size || count > (size-h.Shoff)/stride {
		return &FormatError{-1, "", h.Shoff, "section header table reaches beyond the end of the file"}
	}
	f.Sections = p.sections.Take(int(count))
	var scratch [ShdrSize]byte
	for i := range f.Sections {
		b := form.widen(scratch[:], f.Data[h.Shoff+uint64(i)*stride:], shdrFields)
		s := &f.Sections[i]
		*s = Section{
			class:   h.Class,
			NameOff: le.Uint32(b), Type: SectionType(le.Uint32(b[4:])), Flags: le.Uint64(b[8:]), Addr: le.Uint64(b[16:]),
			Offset: le.Uint64(b[24:]), Size: le.Uint64(b[32:]), Link: le.Uint32(b[40:]), Info: le.Uint32(b[44:]),
			Addralign: le.Uint64(b[48:]), Entsize: le.Uint64(b[56:]),
		}
		if s.Type == SHTNull || s.NoBits() {
			continue
		}
		if s.Offset > size || s.Size > size-s.Offset {
			return &FormatError{i, "", s.Offset, "contents reach beyond the end of the file"}
		}
		s.Data = f.Data[s.Offset : s.Offset+s.Size : s.Offset+s.Size]
	}
	if int(h.Shstrndx) >= len(f.Sections) {
		return &FormatError{-1, "", form.place(62, ehdrFields), "e_shstrndx names no section"}
	}
	names := stringOf(f.Sections[h.Shstrndx].Data)
	for i := range f.Sections {
		s := &f.Sections[i]
		n, ok := cstring(names, uint64(s.NameOff))
		if !ok && i > 0 {
			return &FormatError{i, "", h.Shoff + uint64(i)*stride, "sh_name lies outside the section name table"}
		}
		s.Name = n
	}
	return f.checkHeaders()
}

// sectionCount is e_shnum, or, where that is 0, sh_size of the null section: ELF's numbering of 65,280 sections and more.
func (f *File) sectionCount() (uint64, error) {
	if f.Shnum != 0 {
		return uint64(f.Shnum), nil
	}
	size, at := uint64(len(f.Data)), f.Form.place(60, ehdrFields)
	if f.Shoff == 0 || f.Shoff > size || size-f.Shoff < uint64(f.Form.Shdr) {
		return 0, &FormatError{-1, "", at, "no section headers"}
	}
	var scratch [ShdrSize]byte
	n := le.Uint64(f.Form.widen(scratch[:], f.Data[f.Shoff:], shdrFields)[32:])
	if n < shnLoReserve {
		return 0, &FormatError{-1, "", at, "no section headers"}
	}
	return n, nil
}

// checkHeaders tests what later passes rely on: links between sections, table strides and the size of alignments, which need not be
// powers of two.
func (f *File) checkHeaders() error {
	for i := range f.Sections {
		s := &f.Sections[i]
		at := func(field uint64) uint64 { return f.Shoff + uint64(i*f.Form.Shdr) + f.Form.place(field, shdrFields) }
		if int(s.Link) >= len(f.Sections) {
			return &FormatError{i, s.Name, at(40), "sh_link names no section"}
		}
		// The reference's relocatable output has shared sections with alignments like 0x30 (observed).
		if s.Addralign > 1<<31 {
			return &FormatError{i, s.Name, at(48), fmt.Sprintf("sh_addralign %#x is larger than 2 GiB", s.Addralign)}
		}
		if s.Owned() && int(s.TextIndex()) >= len(f.Sections) {
			return &FormatError{i, s.Name, at(44), "sh_info names no section"}
		}
		if stride := s.stride(); stride != 0 {
			if s.Size%stride != 0 {
				return &FormatError{i, s.Name, at(32), fmt.Sprintf("sh_size %#x is no multiple of its records' %d bytes", s.Size, stride)}
			}
			if s.HoldsRelocations() && int(s.TextIndex()) >= len(f.Sections) {
				return &FormatError{i, s.Name, at(44), "sh_info names no section"}
			}
		}
	}
	return nil
}

// HoldsRelocations reports whether the section holds relocation entries, plain ones or those of a Mercury twin.
func (s *Section) HoldsRelocations() bool {
	return s.Type == SHTRel || s.Type == SHTRela || s.Type == SHTMercRela
}

// stride is the size of the section's fixed records, 0 where there are none.
func (s *Section) stride() uint64 { return uint64(FormOf(s.class).Entry(s.Type)) }

func (f *File) readSymbols(p *Parser) error {
	for i := range f.Sections {
		s := &f.Sections[i]
		var err error
		switch {
		case s.Type == SHTSymtab && f.Symtab == 0:
			f.Symtab = i
			f.Symbols, err = f.symbolTable(p, i)
		case s.Type == SHTMercSymtab && f.MercSymtab == 0:
			f.MercSymtab = i
			f.MercSymbols, err = f.symbolTable(p, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) symbolTable(p *Parser, index int) ([]Symbol, error) {
	s := &f.Sections[index]
	str := &f.Sections[s.Link]
	if str.Type != SHTStrtab {
		return nil, &FormatError{index, s.Name, s.Offset, "sh_link names no string table"}
	}
	strtab := stringOf(str.Data)
	if f.strtab == "" {
		f.strtab = strtab
	}
	form := f.Form
	size := uint64(form.Sym)
	syms := p.symbols.Take(int(s.Size / size))
	var scratch [SymSize]byte
	wide := f.wideNumbers(index)
	for i := range syms {
		b := form.widen(scratch[:], s.Data[i*form.Sym:], symFields)
		y := &syms[i]
		*y = Symbol{NameOff: le.Uint32(b), Info: b[4], Other: b[5], Shndx: sectionNumber(le.Uint16(b[6:]), wide, i), Value: le.Uint64(b[8:]), Size: le.Uint64(b[16:])}
		n, ok := cstring(strtab, uint64(y.NameOff))
		if !ok && i > 0 {
			return nil, &FormatError{index, s.Name, s.Offset + uint64(i)*size, "st_name lies outside the string table"}
		}
		y.Name = n
		if y.Shndx < SHNLoRes && int(y.Shndx) >= len(f.Sections) {
			return nil, &FormatError{index, s.Name, s.Offset + uint64(i)*size + form.place(6, symFields), "st_shndx names no section"}
		}
	}
	return syms, nil
}

// wideNumbers returns the contents of the .symtab_shndx that belongs to a symbol table, nil if there is none.
func (f *File) wideNumbers(symtab int) []byte {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == SHTSymtabShndx && int(s.Link) == symtab {
			return s.Data
		}
	}
	return nil
}

// sectionNumber is the number of a symbol's section. What .symtab_shndx holds counts only where st_shndx says so: the
// reference fills it with other numbers besides (observed).
func sectionNumber(shndx uint16, wide []byte, symbol int) uint32 {
	switch {
	case shndx < shnLoReserve:
		return uint32(shndx)
	case shndx == shnXindex && 4*symbol+4 <= len(wide):
		return le.Uint32(wide[4*symbol:])
	}
	return 0xffff0000 | uint32(shndx)
}

// stringOf is the bytes as a string without a copy: a File's bytes never change.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// cstring returns the NUL-terminated string at off, sharing table's memory.
func cstring(table string, off uint64) (string, bool) {
	if off >= uint64(len(table)) {
		return "", false
	}
	n := strings.IndexByte(table[off:], 0)
	if n < 0 {
		return "", false
	}
	return table[off : off+uint64(n)], true
}

// Phdr is a program header.
type Phdr struct {
	Type, Flags                                uint32
	Offset, Vaddr, Paddr, Filesz, Memsz, Align uint64
}

// Phdr decodes program header i; ok is false if it is not in the file.
func (f *File) Phdr(i int) (p Phdr, ok bool) {
	size, step := uint64(len(f.Data)), uint64(f.Form.Phdr)
	if i < 0 || f.Phoff > size || uint64(i) >= (size-f.Phoff)/step {
		return p, false
	}
	var scratch [PhdrSize]byte
	b := f.Form.widen(scratch[:], f.Data[f.Phoff+uint64(i)*step:], phdrFields)
	return Phdr{
		Type: le.Uint32(b), Flags: le.Uint32(b[4:]), Offset: le.Uint64(b[8:]), Vaddr: le.Uint64(b[16:]), Paddr: le.Uint64(b[24:]),
		Filesz: le.Uint64(b[32:]), Memsz: le.Uint64(b[40:]), Align: le.Uint64(b[48:]),
	}, true
}

// String returns the string at an offset of the symbols' string table; ok is false outside it.
func (f *File) String(off uint32) (s string, ok bool) { return cstring(f.strtab, uint64(off)) }

// Find returns the index of the first section of that name, or 0.
func (f *File) Find(name string) int {
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			return i
		}
	}
	return 0
}

// NumRels is the number of entries of a relocation section.
func (s *Section) NumRels() int {
	if st := s.stride(); st != 0 && (s.HoldsRelocations() || s.Type == SHTCudaResolved || s.Type == SHTMercResolved) {
		return int(s.Size / st)
	}
	return 0
}

// RelAt decodes entry i of a relocation section, 0 <= i < NumRels.
func (s *Section) RelAt(i int) Rel {
	if s.class == Class32 {
		stride := int(s.stride())
		return rel32(s.Data[i*stride:], s.Type != SHTRel)
	}
	if s.Type == SHTRel {
		b := s.Data[i*RelSize:]
		return Rel{Offset: le.Uint64(b), Type: le.Uint32(b[8:]), Sym: le.Uint32(b[12:])}
	}
	b := s.Data[i*RelaSize:]
	return Rel{Offset: le.Uint64(b), Type: le.Uint32(b[8:]), Sym: le.Uint32(b[12:]), Addend: int64(le.Uint64(b[16:])), HasAddend: true}
}

// IsDeviceELF reports whether data starts like an ELF file for device code.
func IsDeviceELF(data []byte) bool {
	h, err := ReadHeader(data)
	return err == nil && h.Machine == EMCUDA
}

// HasELFMagic reports whether data starts with the four bytes of an ELF file.
func HasELFMagic(data []byte) bool { return bytes.HasPrefix(data, []byte("\x7fELF")) }
