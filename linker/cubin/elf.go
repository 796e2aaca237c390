package cubin

import "strings"

// Sizes in bytes of the fixed records of ELF64 (ELF specification); Form has those of both classes.
const (
	EhdrSize = 64
	ShdrSize = 64
	PhdrSize = 56
	SymSize  = 24
	RelSize  = 16
	RelaSize = 24
)

// EMCUDA is e_machine of device code.
const EMCUDA = 190

// Values of EI_OSABI and EI_ABIVERSION of the two dialects (observed in 12.4 and 13.0 files).
const (
	OSABI7      = 0x33
	OSABI8      = 0x41
	ABIVersion7 = 7
	ABIVersion8 = 8
)

// Values of e_type.
const (
	ETRel  = 1
	ETExec = 2
	// ETExtensible is code compiled as an extensible whole program (-ewp).
	ETExtensible = 0xff00
)

// SectionType is sh_type. The names above LOPROC are NVIDIA's as printed by the vendor's dump tools.
type SectionType uint32

// Section types of ELF and of device code (observed; seed documents name the same numbers).
const (
	SHTNull            SectionType = 0
	SHTProgbits        SectionType = 1
	SHTSymtab          SectionType = 2
	SHTStrtab          SectionType = 3
	SHTRela            SectionType = 4
	SHTNote            SectionType = 7
	SHTNobits          SectionType = 8
	SHTRel             SectionType = 9
	SHTSymtabShndx     SectionType = 18
	SHTCudaInfo        SectionType = 0x70000000
	SHTCudaCallgraph   SectionType = 0x70000001
	SHTCudaPrototype   SectionType = 0x70000002
	SHTCudaResolved    SectionType = 0x70000003 // .nv.resolvedrela*
	SHTCudaMetadata    SectionType = 0x70000004
	SHTCudaConstantAny SectionType = 0x70000006 // a constant section without a bank number
	SHTCudaGlobal      SectionType = 0x70000007
	SHTCudaGlobalInit  SectionType = 0x70000008
	SHTCudaLocal       SectionType = 0x70000009
	SHTCudaShared      SectionType = 0x7000000a
	SHTCudaRelAction   SectionType = 0x7000000b
	SHTCudaUFT         SectionType = 0x7000000e
	SHTCudaUIDX        SectionType = 0x70000010
	SHTCudaUFTEntry    SectionType = 0x70000011
	SHTCudaUDT         SectionType = 0x70000012
	SHTCudaUDTEntry    SectionType = 0x70000014
	SHTCudaSharedRes   SectionType = 0x70000015 // .nv.shared.reserved.*
	SHTCudaCapsule     SectionType = 0x70000016 // .nv.capmerc.text.*
	SHTCudaConstant0   SectionType = 0x70000064 // bank N is SHTCudaConstant0 + N
	SHTCudaConstantMax SectionType = 0x7000007e
	SHTMercIndices     SectionType = 0x70000079 // .nv.merc.nv.constant.entry_image_header_indices.*
	SHTMercUser        SectionType = 0x7000007c // .nv.merc.nv.constant.user
	SHTMercRela        SectionType = 0x70000082
	SHTMercInfo        SectionType = 0x70000083
	SHTMercOptimizer   SectionType = 0x70000084 // .nv.merc.nv.constant.optimizer.*
	SHTMercSymtab      SectionType = 0x70000085
	SHTCudaCompat      SectionType = 0x70000086
	SHTMercResolved    SectionType = 0x70000088
)

// Section flags.
const (
	SHFWrite     uint64 = 1
	SHFAlloc     uint64 = 2
	SHFExec      uint64 = 4
	SHFInfoLink  uint64 = 0x40       // sh_info is a section index
	SHFMercury   uint64 = 0x10000000 // the section is a Mercury twin
	SHFTkinfo    uint64 = 0x2000000
	SHFCuinfo    uint64 = 0x1000000
	BarrierShift        = 20 // ABI 7: bits 20 to 26 of a code section's flags are its barrier count
	BarrierMask  uint64 = 0x7f << BarrierShift
)

// SymbolType is the low nibble of st_info.
type SymbolType uint8

// Symbol types of ELF and of device code.
const (
	STTNotype     SymbolType = 0
	STTObject     SymbolType = 1
	STTFunc       SymbolType = 2
	STTSection    SymbolType = 3
	STTTexture    SymbolType = 10
	STTSampler    SymbolType = 11
	STTSurface    SymbolType = 12
	STTCudaObject SymbolType = 13
)

// Binding is the high nibble of st_info.
type Binding uint8

// Bindings of ELF.
const (
	STBLocal  Binding = 0
	STBGlobal Binding = 1
	STBWeak   Binding = 2
)

// Special values of Symbol.Shndx. The file has 16 bits, of which those from 0xff00 on are special, and keeps larger
// section numbers in .symtab_shndx; Shndx has the number itself, and the special values above all numbers.
const (
	SHNUndef  uint32 = 0
	SHNLoRes  uint32 = 0xffffff00
	SHNAbs    uint32 = 0xfffffff1
	SHNCommon uint32 = 0xfffffff2

	shnLoReserve = 0xff00 // as the file has it
	shnXindex    = 0xffff
)

// Bits of st_other.
const (
	STOInternal     uint8 = 1    // with value 1 of the low two bits: never in an image
	STOManaged      uint8 = 0x04 // __managed__ variable
	STOUnified      uint8 = 0x04 // unified function
	STOUnifiedData  uint8 = 0x10 // unified variable
	STOEntry        uint8 = 0x10 // kernel (functions)
	STOSpace        uint8 = 0xe0 // mask of the memory space (variables)
	STOGlobal       uint8 = 0x20
	STOShared       uint8 = 0x40
	STOConstant     uint8 = 0x80
	STOReservedShrd uint8 = 0xa0
)

// Header is the ELF file header with the identification bytes that device files vary.
type Header struct {
	Class      Class
	OSABI      uint8
	ABIVersion uint8
	Type       uint16
	Machine    uint16
	Version    uint32 // ABI 7: the toolkit, 124 for 12.4; ABI 8: 1
	Entry      uint64
	Phoff      uint64
	Shoff      uint64
	Flags      uint32
	Ehsize     uint16
	Phentsize  uint16
	Phnum      uint16
	Shentsize  uint16
	Shnum      uint16
	Shstrndx   uint16
}

// ABI is 7 or 8, or 0 for an unknown dialect. Every EI_OSABI but that of ABI 8 stands for ABI 7 (observed).
func (h *Header) ABI() int {
	switch {
	case h.OSABI != OSABI8 && h.ABIVersion == ABIVersion7:
		return 7
	case h.OSABI == OSABI8 && h.ABIVersion == ABIVersion8:
		return 8
	}
	return 0
}

// SM is the architecture number that e_flags holds (90 for sm_90 and sm_90a): bits 8 to 23 for OSABI 0x41, bits 0 to 7 otherwise.
func (h *Header) SM() int {
	if h.OSABI == OSABI8 {
		return int(h.Flags >> 8 & 0xffff)
	}
	return int(h.Flags & 0xff)
}

// States of an ABI 8 file (low byte of e_flags).
const (
	StateMercury = 2
	StateSASS    = 4
)

// Mercury reports whether the file says that it holds Mercury capsules.
func (h *Header) Mercury() bool { return h.OSABI == OSABI8 && h.Flags&StateMercury != 0 }

// Section is one section header with its name and, unless it occupies no file space, its bytes.
type Section struct {
	Name      string
	NameOff   uint32 // sh_name
	Type      SectionType
	Flags     uint64
	Addr      uint64
	Offset    uint64
	Size      uint64
	Link      uint32
	Info      uint32
	Addralign uint64
	Entsize   uint64
	Data      []byte // a slice of the file; nil when NoBits
	class     Class  // of the file that it was read from; 0 is ELF64
}

// NoBits reports whether the section takes no bytes in the file. An image writes SHT_NOBITS; relocatable files write
// NVIDIA's types of uninitialised spaces (observed).
func (s *Section) NoBits() bool {
	switch s.Type {
	case SHTNobits, SHTCudaGlobal, SHTCudaLocal, SHTCudaShared:
		return true
	case SHTCudaSharedRes:
		return s.Flags&SHFMercury == 0
	}
	return false
}

// Mercury reports whether the section is a Mercury twin.
func (s *Section) Mercury() bool { return s.Flags&SHFMercury != 0 }

// Owned reports whether sh_info is the number of the section that s belongs to. Objects up to CUDA 11 do not set
// SHF_INFO_LINK, and the reference does not look at it (observed).
func (s *Section) Owned() bool {
	if s.Flags&SHFInfoLink != 0 {
		return s.Type != SHTNote && s.Flags&SHFExec == 0 // sh_info of code is a symbol
	}
	return s.Info != 0 && s.Type.ownable()
}

// ownable tells the types of sections whose sh_info, unless it is 0, is a section number.
func (t SectionType) ownable() bool {
	switch t {
	case SHTCudaInfo, SHTNobits, SHTCudaLocal, SHTCudaShared:
		return true
	}
	return t >= SHTCudaConstant0 && t <= SHTCudaConstantMax
}

// TextIndex is the section that a per-function section belongs to, or a relocation section patches: sh_info without
// its top byte.
func (s *Section) TextIndex() uint32 { return s.Info & 0xffffff }

// Symbol is one symbol table entry.
type Symbol struct {
	Name    string
	NameOff uint32 // st_name
	Info    uint8
	Other   uint8
	Shndx   uint32
	Value   uint64
	Size    uint64
}

// Type is the low nibble of st_info.
func (s *Symbol) Type() SymbolType { return SymbolType(s.Info & 15) }

// Binding is the high nibble of st_info.
func (s *Symbol) Binding() Binding { return Binding(s.Info >> 4) }

// Entry reports whether the symbol is a kernel.
func (s *Symbol) Entry() bool { return s.Type() == STTFunc && s.Other&STOEntry != 0 }

// Space is the memory space of a variable: st_other & 0xe0.
func (s *Symbol) Space() uint8 { return s.Other & STOSpace }

// Internal reports whether the low two bits of st_other mark a symbol that never reaches an image.
func (s *Symbol) Internal() bool { return s.Other&3 == STOInternal }

// DynamicShared reports whether the symbol is an extern shared array without a size.
func (s *Symbol) DynamicShared() bool {
	return s.Shndx == SHNUndef && s.Type() == STTCudaObject && s.Space() == STOShared && s.Size == 0
}

// Rel is a relocation entry of either form; REL entries have HasAddend false and keep their addend in the field.
type Rel struct {
	Offset    uint64 // r_offset, bytes from the start of the patched section
	Sym       uint32
	Type      uint32
	Addend    int64 // r_addend
	HasAddend bool
}

// BankOf returns the constant bank that a section name or type states, or -1.
// Names are .nv.constant<N> and .nv.constant<N>.<function>.
func BankOf(name string) int {
	rest, ok := strings.CutPrefix(name, ".nv.constant")
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return -1
	}
	n := 0
	for i := 0; i < len(rest) && rest[i] != '.'; i++ {
		if rest[i] < '0' || rest[i] > '9' || n > 31 {
			return -1
		}
		n = 10*n + int(rest[i]-'0')
	}
	return n
}
