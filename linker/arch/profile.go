package arch

// Profile is what a final image for one SM number looks like. Rows are shared: callers must not change them.
type Profile struct {
	SM int

	// toolkits[i] are the suffixes that the i-th toolkit has for this number, "." standing for none; "" means that the
	// toolkit does not have the number.
	toolkits [toolkitCount]string

	// ParamBase is the offset in bytes of the first kernel parameter in constant bank 0.
	ParamBase uint32
	// Textures, Samplers and Surfaces are the most references that a kernel with a descriptor table may have.
	Textures, Samplers, Surfaces int
	// sharedMax are the most bytes of static shared memory of a kernel: by 12.4, and by 13.0 when all of it may be used.
	sharedMax124, sharedMax130 uint32
	// ReservedShared is the number of bytes at the start of a kernel's shared memory that belong to the system. They are
	// part of section sizes and symbol values, not of the offsets that code holds.
	ReservedShared uint32

	// Mercury says that every code section has a capsule twin, and that the twins are linked beside the plain sections.
	Mercury bool
	// Compat says that a 13.0 image has a section .nv.compat.
	Compat bool
	// RelAction says that an executable image has a section .nv.rel.action.
	RelAction bool
	// RegistersInInfo says that the top byte of sh_info of a code section is its register count. Otherwise the count is
	// only in EIATTR_REGCOUNT.
	RegistersInInfo bool
	// BindlessAlign is the alignment in bytes of the start of the descriptor table in constant bank 0.
	BindlessAlign uint32
	// BindlessRela says that the entries of the descriptor table are RELA, and that samplers use
	// R_CUDA_SAMP_HEADER_INDEX_0.
	BindlessRela bool
	// FastPath is the value of EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE in .nv.compat, FastPathPair the value when the merged
	// EICOMPAT_ATTR_INST_TCGEN05_MMA is 2 in its low two bits. The attribute exists with Mercury only.
	FastPath, FastPathPair uint64
	// Segments are the program headers in order, without those that come out empty.
	Segments *[6]Segment
}

// ReservedSharedSize is ReservedShared where there is any (observed for sm_90 and later by both toolkits).
const ReservedSharedSize = 0x400

// ConstantMax is the most bytes in a constant bank that is shared by all kernels (observed: exactly this many link).
const ConstantMax = 0x10000

// DefaultSharedMax is what 13.0 allows for static shared memory unless told otherwise.
const DefaultSharedMax = 0xc000

// Part is what a program header covers.
type Part uint8

// Parts of an image. PartNone ends a plan.
const (
	PartNone      Part = iota
	PartTable          // the program headers themselves, as PT_PHDR
	PartTableLoad      // the program headers themselves, as PT_LOAD
	PartReadExec       // constants and code
	PartConstants      // constant banks but bank 0
	PartCode           // code
	PartData           // writable: .nv.global* and shared memory
	PartBank0          // constant bank 0
)

// Segment is one program header. All are 8-aligned with address 0.
type Segment struct {
	Part  Part
	Type  uint32 // p_type: 1 PT_LOAD, 6 PT_PHDR
	Flags uint32 // p_flags: 1 execute, 2 write, 4 read
}

// plainSegments is the plan up to sm_90, mercurySegments from sm_100 on.
var (
	plainSegments = [6]Segment{
		{PartTable, 6, 5}, {PartReadExec, 1, 5}, {PartData, 1, 6}, {PartTableLoad, 1, 5},
	}
	mercurySegments = [6]Segment{
		{PartTable, 6, 4}, {PartTableLoad, 1, 4}, {PartConstants, 1, 4}, {PartCode, 1, 5}, {PartData, 1, 6}, {PartBank0, 1, 4},
	}
)

// Lookup returns the row of an SM number, or false for a number that no toolkit in the table has.
func Lookup(sm int) (*Profile, bool) {
	for i := range profiles {
		if profiles[i].SM == sm {
			return &profiles[i], true
		}
	}
	return nil, false
}

// SharedMax is the most bytes of static shared memory of a kernel, not counting ReservedShared. From 13.0 on the whole
// is allowed for accelerated targets and where extended is set (--enable-extended-smem=true). It is 0 if the toolkit
// does not have the architecture.
func (t *Toolkit) SharedMax(a Arch, extended bool) uint32 {
	p, ok := Lookup(a.SM)
	switch {
	case !ok:
		return 0
	case t.index == toolkit124:
		return p.sharedMax124
	case extended || a.Suffix == Accelerated:
		return p.sharedMax130
	case p.sharedMax130 == 0:
		return 0
	}
	return DefaultSharedMax
}
