package inspect

import (
	"fmt"
	"sync"

	"github.com/culink/culink/linker/cubin"
)

// sectionTypes names sh_type where it does not depend on the section's flags. ELF's names have no prefix; NVIDIA's
// are those that dumps use.
var sectionTypes = sync.OnceValue(func() map[cubin.SectionType]string {
	return map[cubin.SectionType]string{
		0: "NULL", 1: "PROGBITS", 2: "SYMTAB", 3: "STRTAB", 4: "RELA", 7: "NOTE", 8: "NOBITS", 9: "REL",
		cubin.SHTCudaInfo: "CUDA_INFO", cubin.SHTCudaCallgraph: "CUDA_CALLGRAPH", cubin.SHTCudaPrototype: "CUDA_PROTOTYPE", cubin.SHTCudaResolved: "CUDA_RESOLVED_RELA",
		cubin.SHTCudaMetadata: "CUDA_METADATA", cubin.SHTCudaConstantAny: "CUDA_CONSTANT", cubin.SHTCudaGlobalInit: "CUDA_GLOBAL_INIT",
		cubin.SHTCudaRelAction: "CUDA_REL_ACTION", cubin.SHTCudaUFT: "CUDA_UFT", cubin.SHTCudaUFTEntry: "CUDA_UFT_ENTRY",
		cubin.SHTCudaUIDX: "CUDA_UIDX", cubin.SHTCudaUDT: "CUDA_UDT", cubin.SHTCudaUDTEntry: "CUDA_UDT_ENTRY",
		cubin.SHTCudaGlobal: "CUDA_GLOBAL", cubin.SHTCudaLocal: "CUDA_LOCAL", cubin.SHTCudaShared: "CUDA_SHARED",
		cubin.SHTCudaSharedRes: "CUDA_SHARED_RESERVED", cubin.SHTCudaCapsule: "CUDA_CAPSULE", cubin.SHTMercIndices: "MERC_HEADER_INDICES",
		cubin.SHTMercUser: "MERC_USER", cubin.SHTMercRela: "MERC_RELA", cubin.SHTMercInfo: "MERC_INFO", cubin.SHTMercOptimizer: "MERC_OPTIMIZER",
		cubin.SHTMercSymtab: "MERC_SYMTAB", cubin.SHTCudaCompat: "CUDA_COMPAT", cubin.SHTMercResolved: "MERC_RESOLVED_RELA",
	}
})

func sectionType(s *cubin.Section) string {
	if n := sectionTypes()[s.Type]; n != "" {
		return n
	}
	if s.Type >= cubin.SHTCudaConstant0 && s.Type <= cubin.SHTCudaConstantMax {
		return fmt.Sprintf("CUDA_CONSTANT%d", s.Type-cubin.SHTCudaConstant0)
	}
	return fmt.Sprintf("%#x", uint32(s.Type))
}

var symbolTypes = [16]string{0: "NOTYPE", 1: "OBJECT", 2: "FUNC", 3: "SECTION", 10: "TEXTURE", 11: "SAMPLER", 12: "SURFACE", 13: "CUDA_OBJECT"}

func symbolType(t cubin.SymbolType) string {
	if n := symbolTypes[t&15]; n != "" {
		return n
	}
	return fmt.Sprintf("%d", t)
}

var bindings = [...]string{"LOCAL", "GLOBAL", "WEAK"}

func binding(b cubin.Binding) string {
	if int(b) < len(bindings) {
		return bindings[b]
	}
	return fmt.Sprintf("%d", b)
}

var spaces = map[uint8]string{cubin.STOGlobal: "global", cubin.STOShared: "shared", cubin.STOConstant: "constant", cubin.STOReservedShrd: "reserved shared"}

// space is what st_other says about a symbol, in words.
func space(s *cubin.Symbol) string {
	out := spaces[s.Space()]
	if s.Entry() {
		out = "kernel"
	}
	if s.Other&cubin.STOManaged != 0 {
		out += " managed"
	}
	return out
}

// segmentTypes names p_type.
var segmentTypes = map[uint32]string{1: "LOAD", 6: "PHDR"}

func segmentType(t uint32) string {
	if n := segmentTypes[t]; n != "" {
		return n
	}
	return fmt.Sprintf("%#x", t)
}

// permissions shows p_flags.
func permissions(f uint32) string {
	b := []byte("---")
	for i, c := range []struct {
		bit uint32
		r   byte
	}{{4, 'r'}, {2, 'w'}, {1, 'x'}} {
		if f&c.bit != 0 {
			b[i] = c.r
		}
	}
	return string(b)
}
