package cubintest

import (
	"bytes"
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
)

var le = binary.LittleEndian

// Section is a section of a file under construction; its sh_size is the length of Data, or Size for those without bytes.
type Section struct {
	Name           string
	Type           cubin.SectionType
	Flags          uint64
	Link, Info     uint32
	Align, Entsize uint64
	Size           uint64
	Data           []byte
}

// Symbol is a symbol of a file under construction.
type Symbol struct {
	Name        string
	Info, Other uint8
	Shndx       uint16
	Value, Size uint64
}

// File is a cubin under construction. Sections 0 to 3 are the null section, .shstrtab, .strtab and .symtab; New makes them.
type File struct {
	SM       int
	ABI      int // 7 or 8
	Sections []Section
	Symbols  []Symbol
	Strings  *StringTable
	// Locals is sh_info of .symtab, Cuinfo the index of .note.nv.cuinfo.
	Locals, Cuinfo int
}

// New returns a file with the four sections that every file has and the null symbol.
func New(sm, abi int) *File {
	f := &File{SM: sm, ABI: abi, Strings: NewStringTable(), Sections: make([]Section, 4), Symbols: make([]Symbol, 1)}
	f.Sections[1] = Section{Name: ".shstrtab", Type: cubin.SHTStrtab, Align: 1}
	f.Sections[2] = Section{Name: ".strtab", Type: cubin.SHTStrtab, Align: 1}
	f.Sections[3] = Section{Name: ".symtab", Type: cubin.SHTSymtab, Link: 2, Align: 8, Entsize: cubin.SymSize}
	return f
}

// AddSection appends a section and returns its index.
func (f *File) AddSection(s Section) int {
	f.Sections = append(f.Sections, s)
	return len(f.Sections) - 1
}

// AddSymbol appends a symbol and returns its number.
func (f *File) AddSymbol(y Symbol) uint32 {
	f.Symbols = append(f.Symbols, y)
	return uint32(len(f.Symbols) - 1)
}

// StringTable is a string table under construction.
type StringTable struct {
	buf bytes.Buffer
	at  map[string]uint32
}

// NewStringTable returns a table that holds the empty string.
func NewStringTable() *StringTable {
	t := &StringTable{at: map[string]uint32{"": 0}}
	t.buf.WriteByte(0)
	return t
}

// Add returns the offset of s, adding it if it is new.
func (t *StringTable) Add(s string) uint32 {
	if off, ok := t.at[s]; ok {
		return off
	}
	off := uint32(t.buf.Len())
	t.at[s] = off
	t.buf.WriteString(s)
	t.buf.WriteByte(0)
	return off
}

// Words encodes 32-bit words.
func Words(v ...uint32) []byte {
	var out []byte
	for _, x := range v {
		out = le.AppendUint32(out, x)
	}
	return out
}

// Encode returns the bytes of the file.
func (f *File) Encode() []byte {
	table := make([]byte, cubin.SymSize*len(f.Symbols))
	for i, y := range f.Symbols {
		b := table[cubin.SymSize*i:]
		le.PutUint32(b, f.Strings.Add(y.Name))
		b[4], b[5] = y.Info, y.Other
		le.PutUint16(b[6:], y.Shndx)
		le.PutUint64(b[8:], y.Value)
		le.PutUint64(b[16:], y.Size)
	}
	names := NewStringTable()
	for i := range f.Sections {
		names.Add(f.Sections[i].Name)
	}
	secs := f.Sections
	secs[1].Data, secs[2].Data, secs[3].Data = names.buf.Bytes(), f.Strings.buf.Bytes(), table
	secs[3].Info = uint32(f.Locals)
	out := make([]byte, cubin.EhdrSize)
	headers := make([]byte, cubin.ShdrSize*len(secs))
	for i := 1; i < len(secs); i++ {
		s := &secs[i]
		for s.Align > 1 && uint64(len(out))%s.Align != 0 {
			out = append(out, 0)
		}
		size := max(s.Size, uint64(len(s.Data)))
		h := headers[cubin.ShdrSize*i:]
		le.PutUint32(h, names.at[s.Name])
		le.PutUint32(h[4:], uint32(s.Type))
		le.PutUint64(h[8:], s.Flags)
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], size)
		le.PutUint32(h[40:], s.Link)
		le.PutUint32(h[44:], s.Info)
		le.PutUint64(h[48:], s.Align)
		le.PutUint64(h[56:], s.Entsize)
		out = append(out, s.Data...)
	}
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	f.header(out, len(secs))
	return append(out, headers...)
}

func (f *File) header(out []byte, shnum int) {
	copy(out, "\x7fELF\x02\x01\x01")
	out[7], out[8] = cubin.OSABI8, cubin.ABIVersion8
	version, flags := uint32(1), uint32(f.Cuinfo)<<24|uint32(f.SM)<<8|cubin.StateSASS
	if f.ABI == 7 {
		out[7], out[8] = cubin.OSABI7, cubin.ABIVersion7
		version, flags = 124, uint32(f.SM)<<16|0x500|uint32(f.SM)
	}
	le.PutUint16(out[16:], cubin.ETRel)
	le.PutUint16(out[18:], cubin.EMCUDA)
	le.PutUint32(out[20:], version)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint32(out[48:], flags)
	le.PutUint16(out[52:], cubin.EhdrSize)
	le.PutUint16(out[58:], cubin.ShdrSize)
	le.PutUint16(out[60:], uint16(shnum))
	le.PutUint16(out[62:], 1)
}
