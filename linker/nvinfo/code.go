package nvinfo

import "fmt"

// Code is the second byte of a record of .nv.info*: an EIATTR number.
type Code uint8

// Codes that the linker treats on their own.
const (
	Error                  Code = 0x00
	CtaidzUsed             Code = 0x04
	ParamCbank             Code = 0x0a
	SyncStack              Code = 0x0d
	Externs                Code = 0x0f
	FrameSize              Code = 0x11
	MinStackSize           Code = 0x12
	BindlessTextureBank    Code = 0x15
	BindlessSurfaceBank    Code = 0x16
	KparamInfo             Code = 0x17
	CbankParamSize         Code = 0x19
	MaxregCount            Code = 0x1b
	ExitInstrOffsets       Code = 0x1c
	CrsStackSize           Code = 0x1e
	MaxStackSize           Code = 0x23
	HasPreV10Object        Code = 0x2c
	Regcount               Code = 0x2f
	IndirectBranchTargets  Code = 0x34
	SwWar                  Code = 0x36
	CudaAPIVersion         Code = 0x37
	NumMbarriers           Code = 0x38
	SamRegionStackSize     Code = 0x3b
	ReservedSmemUsed       Code = 0x41
	KparamInfoV2           Code = 0x45
	VrcCtaInitCount        Code = 0x4a
	NumBarriers            Code = 0x4c
	AtEntryFragments       Code = 0x4f
	SparseMmaMask          Code = 0x50
	Tcgen05OneCTA          Code = 0x51
	Tcgen05TwoCTA          Code = 0x52
	RegReconfig            Code = 0x54
	Annotations            Code = 0x55
	MercuryFinalizerOption Code = 0x5a
	MercuryISAVersion      Code = 0x5f
)

// String is the code's name, or its number for a code without one.
func (c Code) String() string {
	if s := Lookup(c).Name; s != "" {
		return s
	}
	return fmt.Sprintf("attribute %#x", uint8(c))
}

// Payload is what the value of a record is.
type Payload uint8

// Kinds of values.
const (
	Opaque             Payload = iota // not known
	None                              // the record's presence is all
	Value                             // a number: the field of BVAL and HVAL, the first word of SVAL
	Words                             // 32-bit words
	SymbolValue                       // symbol number, value
	SymbolList                        // symbol numbers
	SymbolBank                        // section symbol, then u16 offset and u16 size of the parameters
	Dimensions                        // words x, y, z
	Parameter                         // u32 index, u16 ordinal, u16 offset, u32 packed properties
	InstructionOffsets                // words: byte offsets of instructions in the code section
	BranchTargets                     // for each branch: offset, u32, number of targets, offsets of the targets
)

// Symbols says which words of an SVAL payload are symbol numbers.
type Symbols uint8

// Places of symbol numbers.
const (
	NoSymbols       Symbols = iota
	FirstWord               // the first word; without the symbol the record is dropped
	FirstWordOrZero         // the first word; 0 stands for a symbol that is not in the image
	AllWords                // every word
)

// Attribute is one row of the table of codes.
type Attribute struct {
	Name    string // "EIATTR_REGCOUNT"; "" for a code that no tool names
	Format  Format // of records with this code; 0 where none was seen and the code gives no hint
	Payload Payload
	Symbols Symbols
}

// Lookup returns the row of a code. Codes without a name give a row that says so: their records are copied.
func Lookup(c Code) *Attribute {
	if int(c) < len(attributes) {
		return &attributes[c]
	}
	return &unnamed
}

var unnamed = Attribute{}
