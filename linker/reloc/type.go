package reloc

// Type is the type half of r_info: 0 to 115 are R_CUDA types, 0x10000 to 0x1003f are R_MERCURY types.
type Type uint32

// MercuryBase is added to the index of an R_MERCURY type in r_info (seed document r-mercury-catalog, observed).
const MercuryBase Type = 0x10000

// Numbers of defined types: R_CUDA types are 0 to CudaTypes-1, R_MERCURY types MercuryBase to MercuryBase+MercuryTypes-1.
const (
	CudaTypes    = 116
	MercuryTypes = 64
)

// Types that the linker itself writes or treats on their own (names as printed by the vendor's dump tool).
const (
	None            Type = 0
	CUDA32          Type = 1
	CUDA64          Type = 2
	TexHeaderIndex  Type = 6
	SampHeaderIndex Type = 7
	SurfHeaderIndex Type = 52
	Abs16At32       Type = 59 // R_CUDA_ABS16_32: from sm_100 on holds a bindless slot relative to the table's base
	YieldOpcode     Type = 68
	YieldClearPred  Type = 69
	UnusedClear32   Type = 72
	UnusedClear64   Type = 73
	SampHeader0     Type = 101 // R_CUDA_SAMP_HEADER_INDEX_0: in place of 7 from sm_100 on
	ConstField22    Type = 115

	MercuryNone          = MercuryBase
	MercuryG64           = MercuryBase + 1
	MercuryAbs64         = MercuryBase + 2
	MercuryAbs32         = MercuryBase + 3
	MercuryAbs16         = MercuryBase + 4
	MercuryAbs32Low      = MercuryBase + 5
	MercuryAbs32High     = MercuryBase + 6
	MercuryProgRel32     = MercuryBase + 8
	MercuryTexHeader     = MercuryBase + 11
	MercurySampHeader    = MercuryBase + 12
	MercurySurfHeader    = MercuryBase + 13
	MercuryUnusedClear64 = MercuryBase + 14
	MercuryFuncDesc64    = MercuryBase + 15
)

// Class is what a type is for. It groups types whose entries are treated alike.
type Class uint8

// Classes of types. The grouping is ours; the families are those of the type names.
const (
	ClassNone               Class = iota // nothing to do
	ClassInvalid                         // refused by the reference linker (R_MERCURY_NONE)
	ClassAbsolute                        // bits of S + A in data or in an instruction
	ClassByte                            // one byte of S + A
	ClassConstant                        // offset into a constant bank, and the bank's number
	ClassBindless                        // word offset of a bindless descriptor
	ClassSlot                            // number of a texture, sampler or surface slot
	ClassHeaderIndex                     // index of a texture, sampler or surface header
	ClassSurfaceDescriptor               // whole surface descriptor
	ClassGlobal                          // address in global memory
	ClassCode                            // address of code in a branch or call
	ClassInstruction                     // whole instruction
	ClassFunctionDescriptor              // address of a function's descriptor
	ClassPCRelative                      // distance inside one code section
	ClassProgramRelative                 // Mercury: relative to the program
	ClassClear                           // clears its field when its symbol is gone
	ClassYield                           // turns YIELD into NOP (NeverYield)
	ClassUnified                         // entry of a unified function or descriptor table
)

// Op is the code of an action as the seed document relocation-engine numbers them. Several codes do the same; they
// differ in the family of types that uses them, and .nv.rel.action tells the families apart.
type Op uint8

// Action codes. Byte lane k of a family is its first code + k.
const (
	OpEnd             Op = 0
	OpFull            Op = 0x01 // the value
	OpLow             Op = 0x06 // bits 0 to 31
	OpHigh            Op = 0x07 // bits 32 to 63
	OpShift2          Op = 0x09 // the value in units of 4 bytes
	OpBankLow         Op = 0x0a // number of the constant bank
	OpBankHigh        Op = 0x0b // bit 4 of the number of the constant bank
	OpPCRel           Op = 0x10 // low 32 bits, sign-extended, minus P
	OpClear           Op = 0x13 // zero
	OpByte0           Op = 0x16
	OpGlobalByte0     Op = 0x1e
	OpDescriptorByte0 Op = 0x26
	OpUnified         Op = 0x2e
	OpUnifiedByte0    Op = 0x2f
	OpUnifiedLow      Op = 0x37
	OpUnifiedHigh     Op = 0x38
)

// byteLane reports whether the action takes one byte of the value. The old field of a REL entry is added to the whole value
// then, before the byte is taken (observed).
func (o Op) byteLane() bool {
	return o >= OpByte0 && o < OpUnified || o >= OpUnifiedByte0 && o < OpUnifiedLow
}

// Action puts some bits of a value into one field.
type Action struct {
	Op    Op
	Pos   uint8 // first bit of the field, counted from bit 0 of the word at r_offset, 0 to 127
	Width uint8 // bits in the field, 1 to 64
	Shift uint8 // first bit of the value that is taken
}

// bank reports whether the action writes the bank number instead of bits of the value.
func (a Action) bank() bool { return a.Op == OpBankLow || a.Op == OpBankHigh }

// end is the number of bytes from r_offset to the end of the field.
func (a Action) end() uint64 { return (uint64(a.Pos) + uint64(a.Width) + 7) / 8 }

// Descriptor is one row of the table. Rows are shared: callers must not change them.
type Descriptor struct {
	Name   string
	Class  Class
	Loader bool // only the loader applies it; see the function Loader
	// Actions are the fields in order; the first with OpEnd ends the list.
	Actions [3]Action
}

// Lookup returns the row of a type, or false for a number that no toolkit up to 13.0 defines.
func Lookup(t Type) (*Descriptor, bool) {
	if t < CudaTypes {
		return &cudaTable[t], true
	}
	if i := t - MercuryBase; t >= MercuryBase && i < MercuryTypes {
		return &mercuryTable[i], true
	}
	return nil, false
}

// Name is the type's name as the vendor's tools print it, or "" for an unknown type.
func (t Type) Name() string {
	if d, ok := Lookup(t); ok {
		return d.Name
	}
	return ""
}

// Mercury reports whether t is numbered in the R_MERCURY range, defined or not.
func (t Type) Mercury() bool { return t >= MercuryBase }

// Loader reports whether a linked image keeps entries of type t whatever their symbol (observed for every type against
// constants and section symbols).
func Loader(t Type) bool {
	d, ok := Lookup(t)
	return ok && d.Loader
}

// Plain is the type that takes the place of a unified type in an executable image, or t itself. Relocatable output
// keeps unified types. Observed for R_CUDA and for the four R_MERCURY types without a byte lane; the lanes of
// R_MERCURY are as in seed document relocation-phase.
func Plain(t Type) Type {
	switch {
	case t < 102:
		return t
	case t == 102:
		return CUDA64
	case t == 103:
		return CUDA32
	case t <= 111:
		return 76 + t - 104
	case t == 112:
		return 56
	case t == 113:
		return 57
	case t < MercuryBase:
		return t
	}
	switch i := t - MercuryBase; {
	case i == 50:
		return MercuryAbs64
	case i == 51:
		return MercuryAbs32
	case 52 <= i && i <= 59:
		return MercuryBase + 16 + i - 52
	case i == 62:
		return MercuryAbs32Low
	case i == 63:
		return MercuryAbs32High
	}
	return t
}

// Of reports whether t is a defined type of class c.
func (t Type) Of(c Class) bool {
	d, ok := Lookup(t)
	return ok && d.Class == c
}

// Bindless reports whether an entry of type t in code against a texture, sampler or surface reference makes the
// kernels that reach it carry a descriptor table. All types were tried with both versions of the reference linker.
// Up to sm_90 the R_CUDA entries decide, from sm_100 on the R_MERCURY ones.
func Bindless(t Type) bool {
	switch t {
	case 5, 12, 17, 18, 22, 23, 24, 25, 29, 30, 38, 39, 42, 46, 50, 51, 54, 55, 59, 64, 65, 66, 115, MercuryAbs32, MercuryAbs16:
		return true
	}
	return false
}
