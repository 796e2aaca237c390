package inspect

import (
	"fmt"
	"strings"
	"sync"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Image is what is in a device ELF, in the file's order.
type Image struct {
	Header      Header          `json:"header"`
	Segments    []Segment       `json:"segments,omitempty"`
	Sections    []Section       `json:"sections"`
	Symbols     []Symbol        `json:"symbols"`
	MercSymbols []Symbol        `json:"merc_symbols,omitempty"`
	Attributes  []AttributeList `json:"attributes,omitempty"`
	CallGraph   []Edge          `json:"call_graph,omitempty"`
	Prototypes  []Prototype     `json:"prototypes,omitempty"`
	Notes       []Note          `json:"notes,omitempty"`
	Relocations []RelocList     `json:"relocations,omitempty"`
	Capsules    []Capsule       `json:"capsules,omitempty"`
	// Problems are parts that could not be decoded.
	Problems []string `json:"problems,omitempty"`
}

// Header is the ELF file header.
type Header struct {
	Class      string `json:"class"`
	ABI        int    `json:"abi"` // 7 or 8; 0 for an unknown dialect
	OSABI      uint8  `json:"osabi"`
	ABIVersion uint8  `json:"abi_version"`
	Type       string `json:"type"`
	Version    uint32 `json:"version"`
	SM         int    `json:"sm"`
	Mercury    bool   `json:"mercury"`
	Flags      uint32 `json:"flags"`
	Entry      uint64 `json:"entry"`
	Phoff      uint64 `json:"phoff"`
	Shoff      uint64 `json:"shoff"`
	Size       int    `json:"size"` // of the file, in bytes
}

// Segment is one program header.
type Segment struct {
	Type   uint32 `json:"type"`
	Flags  uint32 `json:"flags"`
	Offset uint64 `json:"offset"`
	Vaddr  uint64 `json:"vaddr"`
	Paddr  uint64 `json:"paddr"`
	Filesz uint64 `json:"filesz"`
	Memsz  uint64 `json:"memsz"`
	Align  uint64 `json:"align"`
}

// Section is one section header. Link and Info name what they refer to where they refer to something.
type Section struct {
	Index     int    `json:"index"`
	Name      string `json:"name"`
	Key       string `json:"-"` // the name, with #2 and so on for further sections of the same name
	Type      string `json:"type"`
	Flags     uint64 `json:"flags"`
	Addr      uint64 `json:"addr"`
	Offset    uint64 `json:"offset"`
	Size      uint64 `json:"size"`
	Link      string `json:"link,omitempty"`
	Info      string `json:"info,omitempty"`
	Addralign uint64 `json:"addralign"`
	Entsize   uint64 `json:"entsize"`
}

// Symbol is one symbol table entry.
type Symbol struct {
	Index   int    `json:"index"`
	Name    string `json:"name"`
	Key     string `json:"-"`
	Type    string `json:"type"`
	Binding string `json:"binding"`
	Space   string `json:"space,omitempty"`
	Other   uint8  `json:"other"`
	Section string `json:"section"`
	Value   uint64 `json:"value"`
	Size    uint64 `json:"size"`
}

// RelocList is one relocation section.
type RelocList struct {
	Section string       `json:"section"`
	Target  string       `json:"target"` // the section that it patches
	Entries []Relocation `json:"entries"`
}

// Relocation is one entry.
type Relocation struct {
	Offset uint64 `json:"offset"`
	Type   string `json:"type"`
	Symbol string `json:"symbol"`
	Addend *int64 `json:"addend,omitempty"` // absent where the field holds it
}

// describer holds what turning numbers into names needs.
type describer struct {
	f        *cubin.File
	sections []string // keys by section index
	symbols  []string // keys by index in .symtab
	merc     []string // keys by index in .nv.merc.symtab
	image    *Image
}

// Describe decodes a parsed file. What cannot be decoded is listed in Problems; the rest is described all the same.
func Describe(f *cubin.File) *Image {
	d := &describer{f: f, image: &Image{}}
	d.sections = sectionKeys(f)
	d.symbols = symbolKeys(f.Symbols, d.sections)
	d.merc = symbolKeys(f.MercSymbols, d.sections)
	d.header()
	d.segments()
	for i := range f.Sections {
		d.section(i)
	}
	d.image.Symbols = d.symbolList(f.Symbols, d.symbols)
	d.image.MercSymbols = d.symbolList(f.MercSymbols, d.merc)
	for i := range f.Sections {
		d.contents(i)
	}
	return d.image
}

// numbered makes names unique: the second one of a name gets #2.
type numbered map[string]int

func (n numbered) key(name string) string {
	n[name]++
	if k := n[name]; k > 1 {
		return fmt.Sprintf("%s#%d", name, k)
	}
	return name
}

func sectionKeys(f *cubin.File) []string {
	seen := numbered{}
	out := make([]string, len(f.Sections))
	for i := range f.Sections {
		name := f.Sections[i].Name
		if i == 0 {
			name = "null"
		}
		out[i] = seen.key(name)
	}
	return out
}

// symbolKeys names symbols; a section symbol without a name is named after its section.
func symbolKeys(symbols []cubin.Symbol, sections []string) []string {
	seen := numbered{}
	out := make([]string, len(symbols))
	for i := range symbols {
		s := &symbols[i]
		name := s.Name
		switch {
		case i == 0:
			name = "null"
		case name == "" && int(s.Shndx) < len(sections):
			name = "section " + sections[s.Shndx]
		case s.Type() == cubin.STTSection:
			name = "section " + name
		}
		out[i] = seen.key(name)
	}
	return out
}

var fileTypes = sync.OnceValue(func() map[uint16]string {
	return map[uint16]string{0: "NONE", 1: "REL", 2: "EXEC", 3: "DYN", 0xff00: "EWP"}
})

func (d *describer) header() {
	h := &d.f.Header
	typ := fileTypes()[h.Type]
	if typ == "" {
		typ = fmt.Sprintf("%#x", h.Type)
	}
	d.image.Header = Header{
		Class: h.Class.String(), ABI: h.ABI(), OSABI: h.OSABI, ABIVersion: h.ABIVersion, Type: typ, Version: h.Version, SM: h.SM(), Mercury: h.Mercury(),
		Flags: h.Flags, Entry: h.Entry, Phoff: h.Phoff, Shoff: h.Shoff, Size: len(d.f.Data),
	}
}

func (d *describer) segments() {
	for i := range int(d.f.Phnum) {
		p, ok := d.f.Phdr(i)
		if !ok {
			d.problem("program header %d is beyond the end of the file", i)
			return
		}
		d.image.Segments = append(d.image.Segments, Segment(p))
	}
}

func (d *describer) problem(format string, args ...any) {
	d.image.Problems = append(d.image.Problems, fmt.Sprintf(format, args...))
}

func (d *describer) section(i int) {
	s := &d.f.Sections[i]
	d.image.Sections = append(d.image.Sections, Section{
		Index: i, Name: s.Name, Key: d.sections[i], Type: sectionType(s), Flags: s.Flags, Addr: s.Addr, Offset: s.Offset, Size: s.Size,
		Link: d.link(s), Info: d.info(s), Addralign: s.Addralign, Entsize: s.Entsize,
	})
}

// link names the section of sh_link.
func (d *describer) link(s *cubin.Section) string {
	if s.Link == 0 {
		return ""
	}
	return d.sectionName(s.Link)
}

// info is sh_info in words: a section, the symbol of a code section with its register count, or the number of local
// symbols of a symbol table.
func (d *describer) info(s *cubin.Section) string {
	top := ""
	if t := s.Info >> 24; t != 0 {
		top = fmt.Sprintf(" (top byte %d)", t)
	}
	switch {
	case s.Info == 0:
		return ""
	case s.Type == cubin.SHTSymtab || s.Type == cubin.SHTMercSymtab:
		return fmt.Sprintf("%d local symbols", s.Info)
	case strings.HasPrefix(s.Name, ".text."):
		return d.symbolName(s.TextIndex(), false) + top
	case s.Flags&cubin.SHFInfoLink != 0:
		return d.sectionName(s.TextIndex()) + top
	}
	return fmt.Sprintf("%#x", s.Info)
}

func (d *describer) sectionName(i uint32) string {
	if int64(i) < int64(len(d.sections)) {
		return d.sections[i]
	}
	return fmt.Sprintf("section %d", i)
}

// symbolName names a symbol by its number; merc says in which table.
func (d *describer) symbolName(i uint32, merc bool) string {
	names := d.symbols
	if merc {
		names = d.merc
	}
	if int64(i) < int64(len(names)) {
		return names[i]
	}
	return fmt.Sprintf("symbol %d", i)
}

func (d *describer) symbolList(symbols []cubin.Symbol, keys []string) []Symbol {
	var out []Symbol
	for i := range symbols {
		s := &symbols[i]
		out = append(out, Symbol{
			Index: i, Name: s.Name, Key: keys[i], Type: symbolType(s.Type()), Binding: binding(s.Binding()), Space: space(s), Other: s.Other,
			Section: d.place(s.Shndx), Value: s.Value, Size: s.Size,
		})
	}
	return out
}

// place is st_shndx in words.
func (d *describer) place(i uint32) string {
	switch i {
	case cubin.SHNUndef:
		return "UND"
	case cubin.SHNAbs:
		return "ABS"
	case cubin.SHNCommon:
		return "COMMON"
	}
	return d.sectionName(i)
}

// relocType names a relocation type, known or not.
func relocType(t uint32) string {
	if n := reloc.Type(t).Name(); n != "" {
		return n
	}
	return fmt.Sprintf("relocation type %#x", t)
}

// relocations decodes a relocation section.
func (d *describer) relocations(i int) {
	s := &d.f.Sections[i]
	n := s.NumRels()
	list := RelocList{Section: d.sections[i], Target: d.sectionName(s.TextIndex()), Entries: make([]Relocation, 0, n)}
	merc := s.Link != 0 && int(s.Link) == d.f.MercSymtab
	for k := range n {
		r := s.RelAt(k)
		e := Relocation{Offset: r.Offset, Type: relocType(r.Type), Symbol: d.symbolName(r.Sym, merc)}
		if r.HasAddend {
			e.Addend = &r.Addend
		}
		list.Entries = append(list.Entries, e)
	}
	d.image.Relocations = append(d.image.Relocations, list)
}
