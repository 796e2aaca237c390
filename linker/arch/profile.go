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
	// BindlessAlign is the alignment in bytes of the start of the descriptor table in constant bank 0.
	BindlessAlign uint32
	// FastPath is the value of EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE in .nv.compat, FastPathPair the value when the merged
	// EICOMPAT_ATTR_INST_TCGEN05_MMA is 2 in its low two bits. The attribute exists with Mercury only.
	FastPath, FastPathPair uint64
}

// reservedShared is ReservedShared where there is any (observed for sm_90 and later by both toolkits).
const reservedShared = 0x400

// ConstantMax is the most bytes in a constant bank that is shared by all kernels (observed: exactly this many link).
const ConstantMax = 0x10000

// defaultSharedMax is what 13.0 allows for static shared memory unless told otherwise.
const defaultSharedMax = 0xc000

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
	return defaultSharedMax
}
