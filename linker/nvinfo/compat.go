package nvinfo

import "fmt"

// CompatCode is the second byte of a record of .nv.compat: an EICOMPAT_ATTR number. Its records are read with Read; the
// code is CompatCode(r.Code).
type CompatCode uint8

// Codes that a linker merges (observed).
const (
	CompatISAClass          CompatCode = 0x02
	CompatTensormapV1       CompatCode = 0x03
	CompatTcgen05MMA        CompatCode = 0x05
	CompatOpportunistic     CompatCode = 0x06
	CompatISAVersion        CompatCode = 0x07
	Compat08                CompatCode = 0x08 // merged by the reference, named by no tool
	CompatAcceleratorTarget CompatCode = 0x09 // 1 in code for a target with the suffix a
	CompatFastpathFinalize  CompatCode = 0x0b // 8 bytes of payload
)

// compatNames is indexed by code; "" where no tool names the code. Names as dumped, but 7, which the dump tool does not
// name: the value is that of EIATTR_MERCURY_ISA_VERSION and the name is from seed document r-mercury-catalog.
var compatNames = [...]string{
	0x00: "EICOMPAT_ATTR_ERROR",
	0x01: "EICOMPAT_ATTR_PAD",
	0x02: "EICOMPAT_ATTR_ISA_CLASS",
	0x03: "EICOMPAT_ATTR_INST_TENSORMAP_V1",
	0x04: "EICOMPAT_ATTR_INST_TCGEN05_MMA_DEPRECATED",
	0x05: "EICOMPAT_ATTR_INST_TCGEN05_MMA",
	0x06: "EICOMPAT_ATTR_ENABLE_OPPORTUNISTIC_FINALIZATION",
	0x07: "EICOMPAT_ATTR_MERCURY_ISA_MAJOR_MINOR_VERSION",
	0x09: "EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET",
	0x0a: "EICOMPAT_ATTR_CUDA_DRIVER_VERSION",
	0x0b: "EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE",
	0x0c: "EICOMPAT_ATTR_CUDA_INTERNAL_TARGET",
	0x0e: "EICOMPAT_ATTR_FINALIZER_VERSION",
	0x0f: "EICOMPAT_ATTR_MIN_FINALIZER_VERSION_FOR_MVC",
	0x10: "EICOMPAT_ATTR_ERROR_LAST",
}

// String is the code's name, or its number for a code without one.
func (c CompatCode) String() string {
	if int(c) < len(compatNames) && compatNames[c] != "" {
		return compatNames[c]
	}
	return fmt.Sprintf("compatibility attribute %#x", uint8(c))
}
