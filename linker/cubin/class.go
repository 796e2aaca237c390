package cubin

import "fmt"

// Class is EI_CLASS.
type Class uint8

// Classes of ELF. ELF32 device files come from toolkits up to CUDA 11 (-m32), for architectures before sm_90.
const (
	Class32 Class = 1
	Class64 Class = 2
)

// Form is how the files of one class keep their records: sizes in bytes, and the alignment of tables.
type Form struct {
	Class            Class
	Ehdr, Shdr, Phdr int
	Sym, Rel, Rela   int
	// Align is sh_addralign of tables, the alignment of the section header table, and p_align.
	Align uint64
	// MaxSymbols and MaxType bound what r_info can say, MaxOffset offsets and sizes.
	MaxSymbols uint64
	MaxType    uint32
	MaxOffset  uint64
}

// forms has a row for each class (ELF specification; seen in the files of CUDA 11.8, program headers also in the seed
// document program-headers).
var forms = [...]Form{
	{Class: Class32, Ehdr: 52, Shdr: 40, Phdr: 32, Sym: 16, Rel: 8, Rela: 12, Align: 4, MaxSymbols: 1 << 24, MaxType: 0xff, MaxOffset: 1<<32 - 1},
	{Class: Class64, Ehdr: EhdrSize, Shdr: ShdrSize, Phdr: PhdrSize, Sym: SymSize, Rel: RelSize, Rela: RelaSize, Align: 8,
		MaxSymbols: 1 << 32, MaxType: 1<<32 - 1, MaxOffset: 1<<63 - 1},
}

// FormOf is the form of a class; any class but Class32 gives that of ELF64.
func FormOf(c Class) *Form {
	if c == Class32 {
		return &forms[0]
	}
	return &forms[1]
}

// Entry is the size of the entries of a section of that type, 0 for sections without entries of a fixed size.
func (f *Form) Entry(t SectionType) int {
	switch t {
	case SHTSymtab, SHTMercSymtab:
		return f.Sym
	case SHTRel:
		return f.Rel
	case SHTRela, SHTMercRela, SHTCudaResolved, SHTMercResolved:
		return f.Rela
	case SHTCudaCallgraph, SHTCudaPrototype:
		return 8
	}
	return 0
}

// field is a run of bytes of a record: its place and size in ELF64, and in ELF32.
type field struct{ at, size, at32, size32 uint8 }

// The records by fields. The code of the linker reads and makes records of ELF64; those of ELF32 are made into them and from them.
var (
	ehdrFields = []field{
		{0, 24, 0, 24},                                 // e_ident, e_type, e_machine, e_version
		{24, 8, 24, 4}, {32, 8, 28, 4}, {40, 8, 32, 4}, // e_entry, e_phoff, e_shoff
		{48, 16, 36, 16},
	}
	shdrFields = []field{
		{0, 8, 0, 8}, // sh_name, sh_type
		{8, 8, 8, 4}, {16, 8, 12, 4}, {24, 8, 16, 4}, {32, 8, 20, 4},
		{40, 8, 24, 8}, // sh_link, sh_info
		{48, 8, 32, 4}, {56, 8, 36, 4},
	}
	phdrFields = []field{
		{0, 4, 0, 4}, {4, 4, 24, 4}, // p_type, p_flags
		{8, 8, 4, 4}, {16, 8, 8, 4}, {24, 8, 12, 4}, {32, 8, 16, 4}, {40, 8, 20, 4}, {48, 8, 28, 4},
	}
	symFields = []field{
		{0, 4, 0, 4}, {4, 4, 12, 4}, // st_name; st_info, st_other and st_shndx
		{8, 8, 4, 4}, {16, 8, 8, 4},
	}
)

// widen makes an ELF64 record of one of either class: b itself, or scratch.
func (f *Form) widen(scratch, b []byte, fields []field) []byte {
	if f.Class == Class64 {
		return b
	}
	clear(scratch)
	for _, d := range fields {
		copy(scratch[d.at:d.at+d.size], b[d.at32:d.at32+d.size32])
	}
	return scratch
}

// put writes an ELF64 record in the form of the class.
func (f *Form) put(b, record []byte, fields []field) {
	if f.Class == Class64 {
		copy(b, record)
		return
	}
	for _, d := range fields {
		copy(b[d.at32:d.at32+d.size32], record[d.at:])
	}
}

// place is the offset in a record of the class of the field at an offset of the ELF64 record.
func (f *Form) place(at uint64, fields []field) uint64 {
	if f.Class == Class64 {
		return at
	}
	for _, d := range fields {
		if at >= uint64(d.at) && at < uint64(d.at)+uint64(d.size) {
			return uint64(d.at32) + at - uint64(d.at)
		}
	}
	return at
}

// PutEhdr writes a file header, given as one of ELF64 but for EI_CLASS and the sizes, which it sets.
func (f *Form) PutEhdr(b, record []byte) {
	f.put(b, record, ehdrFields)
	b[4] = byte(f.Class)
	le.PutUint16(b[f.place(52, ehdrFields):], uint16(f.Ehdr))
	le.PutUint16(b[f.place(58, ehdrFields):], uint16(f.Shdr))
}

// PutShdr writes a section header, given as one of ELF64.
func (f *Form) PutShdr(b, record []byte) { f.put(b, record, shdrFields) }

// PutPhdr writes a program header, given as one of ELF64.
func (f *Form) PutPhdr(b, record []byte) { f.put(b, record, phdrFields) }

// PutSym writes a symbol, given as one of ELF64.
func (f *Form) PutSym(b, record []byte) { f.put(b, record, symFields) }

// PutRel writes a relocation entry, with r_addend if it has one. Sym and Type must be in the bounds of the form.
func (f *Form) PutRel(b []byte, r *Rel) {
	if f.Class == Class64 {
		le.PutUint64(b, r.Offset)
		le.PutUint32(b[8:], r.Type)
		le.PutUint32(b[12:], r.Sym)
		if r.HasAddend {
			le.PutUint64(b[16:], uint64(r.Addend))
		}
		return
	}
	le.PutUint32(b, uint32(r.Offset))
	le.PutUint32(b[4:], r.Sym<<8|r.Type&0xff)
	if r.HasAddend {
		le.PutUint32(b[8:], uint32(r.Addend))
	}
}

// rel32 decodes an entry of ELF32.
func rel32(b []byte, addend bool) Rel {
	info := le.Uint32(b[4:])
	r := Rel{Offset: uint64(le.Uint32(b)), Type: info & 0xff, Sym: info >> 8, HasAddend: addend}
	if addend {
		r.Addend = int64(int32(le.Uint32(b[8:])))
	}
	return r
}

func (c Class) String() string {
	switch c {
	case Class32:
		return "ELF32"
	case Class64:
		return "ELF64"
	}
	return fmt.Sprintf("ELF class %d", uint8(c))
}
