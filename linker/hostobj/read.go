package hostobj

import (
	"errors"
	"fmt"
)

// ErrNotRelocatable is returned by Read for an ELF file that is not ET_REL.
var ErrNotRelocatable = errors.New("not a relocatable object")

// Names of the sections that speak to the device linker.
const (
	secSegment   = ".nvFatBinSegment"
	secRelocFat  = "__nv_relfatbin"
	secLinkedFat = ".nv_fatbin"
	secModuleID  = "__nv_module_id"
	// SectionOffload is clang's, which NVIDIA's tools do not know.
	SectionOffload = ".llvm.offloading"
)

// refNames are the sections of host references in the order of Refs.
var refNames = [...]string{".nvHRKE", ".nvHRKI", ".nvHRDE", ".nvHRDI", ".nvHRCE", ".nvHRCI"}

// Refs are the host references of an object: patterns of the names of device symbols that host code uses. In a pattern
// `*` stands for any run of characters.
type Refs struct {
	KernelsExternal, KernelsInternal   []string
	DeviceExternal, DeviceInternal     []string
	ConstantExternal, ConstantInternal []string
	// Complete is set when all six sections are there. One missing section makes the reference keep every kernel of the whole link (observed).
	Complete bool
	// EmptyKernelPattern is set when a kernel section has an empty pattern beside others or twice, as `ld -r` makes them.
	// The reference takes it for a pattern, and then keeps no kernel that nothing else matches (observed).
	EmptyKernelPattern bool
}

// Object is what the device linker wants to know of a host object. Its slices are the data's that Read was given.
type Object struct {
	Machine uint16
	// Segment reports whether there is a .nvFatBinSegment: without it the object has no device code.
	Segment bool
	// Linked reports whether there is a .nv_fatbin: device code that is no input of a device link. LinkedFatbin are its bytes,
	// nil if they cannot be read.
	Linked       bool
	LinkedFatbin []byte
	// Relocatable reports whether there is a __nv_relfatbin, and Fatbin are its bytes: containers of relocatable code,
	// one per module, of which the reference reads the first (observed).
	Relocatable bool
	Fatbin      []byte
	// ModuleIDs are the identifiers of __nv_module_id, empty ones left out; HasModuleIDs reports whether the section is there.
	ModuleIDs    []string
	HasModuleIDs bool
	Refs         Refs
	// Offload are the bytes of .llvm.offloading, which package offload reads; nil if there is none.
	Offload []byte
}

// Read reads a host object. The error wraps ErrUnsound or is ErrNotRelocatable.
func Read(data []byte) (*Object, error) {
	f, err := ReadFile(data)
	if err != nil {
		return nil, err
	}
	if f.Type != etRel {
		return nil, ErrNotRelocatable
	}
	return f.Object()
}

// Object looks for the device code of a relocatable host object. Of sections of one name the first counts.
func (f *File) Object() (*Object, error) {
	o := &Object{Machine: f.Machine}
	refs := [len(refNames)]*[]string{
		&o.Refs.KernelsExternal, &o.Refs.KernelsInternal, &o.Refs.DeviceExternal,
		&o.Refs.DeviceInternal, &o.Refs.ConstantExternal, &o.Refs.ConstantInternal,
	}
	var seen [len(refNames)]bool
	found := 0
	for i := range f.Len() {
		s := f.section(i)
		switch {
		case !o.Segment && f.hasName(s, secSegment):
			o.Segment = true
		case !o.Linked && f.hasName(s, secLinkedFat):
			o.Linked = true
			o.LinkedFatbin, _ = s.bytes(f.data) // nothing is linked from them
		case !o.Relocatable && f.hasName(s, secRelocFat):
			b, err := s.bytes(f.data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", secRelocFat, err)
			}
			o.Relocatable, o.Fatbin = true, b
		case o.Offload == nil && f.hasName(s, SectionOffload):
			b, err := s.bytes(f.data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", SectionOffload, err)
			}
			o.Offload = b
		case !o.HasModuleIDs && f.hasName(s, secModuleID):
			b, err := s.bytes(f.data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", secModuleID, err)
			}
			o.HasModuleIDs, o.ModuleIDs = true, cStrings(b)
		default:
			for k, name := range refNames {
				if seen[k] || !f.hasName(s, name) {
					continue
				}
				b, err := s.bytes(f.data)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				seen[k] = true
				found++
				*refs[k] = cStrings(b)
				if k < 2 && hasEmptyPattern(b) {
					o.Refs.EmptyKernelPattern = true
				}
				break
			}
		}
	}
	o.Refs.Complete = found == len(refNames)
	return o, nil
}

// hasEmptyPattern tells a list with an empty pattern from the empty list, which is one NUL.
func hasEmptyPattern(b []byte) bool {
	if len(b) < 2 {
		return false
	}
	for i, c := range b {
		if c == 0 && (i == 0 || b[i-1] == 0) {
			return true
		}
	}
	return false
}
