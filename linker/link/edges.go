package link

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// callgraph adds the input's records to the graph. Records that begin with a function whose definition here lost on
// arrival are ignored; those of a definition that is replaced later stay (observed).
func (r *resolver) callgraph(in *input) error {
	for _, i := range in.tables {
		if in.Secs[i].Type != cubin.SHTCudaCallgraph {
			continue
		}
		g := nvinfo.ReadGraph(in.File.Sections[i].Data)
		for g.Next() {
			if err := r.record(in, g.Edge, g.A, g.B); err != nil {
				return err
			}
		}
		if err := g.Err(); err != nil {
			return r.l.Diag.Fatal(diag.MalformedInput, in.Name, fmt.Sprintf("section %q: %v", in.File.Sections[i].Name, err))
		}
	}
	return nil
}

func (r *resolver) record(in *input, edge nvinfo.Edge, a, b uint32) error {
	l := r.l
	id, err := r.graphFunction(in, a)
	if err != nil || id == 0 || in.Lost[a] == lostOnArrival {
		return err
	}
	from := l.Syms[id].Func
	switch edge {
	case nvinfo.Calls, nvinfo.TakesAddress:
		other, err := r.graphFunction(in, b)
		if err != nil || other == 0 {
			return err
		}
		to := l.Syms[other].Func
		if edge == nvinfo.Calls {
			l.Funcs[from].Calls = append(l.Funcs[from].Calls, to)
		} else {
			l.Funcs[from].Takes = append(l.Funcs[from].Takes, to)
			l.Funcs[to].Taken = true
		}
	case nvinfo.AddressTaken, nvinfo.CallsIndirect:
		s, ok := in.File.String(b)
		if !ok {
			return l.Diag.Fatal(diag.MalformedInput, in.Name, "a prototype lies outside the string table")
		}
		p := l.proto(s)
		if edge == nvinfo.AddressTaken {
			// Where an address is taken the prototype is not compared, but counts from here on (observed).
			l.Funcs[from].Taken, l.Funcs[from].Proto = true, p
		} else {
			l.Funcs[from].Indirect = append(l.Funcs[from].Indirect, p)
		}
	}
	return nil
}

// graphFunction is the function that a record of the call graph names, 0 if it was not entered. The reference crashes over
// numbers of anything else.
func (r *resolver) graphFunction(in *input, n uint32) (symID, error) {
	l := r.l
	if view := l.view(in); int(n) >= len(view) || view[n].Type() != cubin.STTFunc {
		return 0, l.Diag.Fatal(diag.MalformedInput, in.Name, fmt.Sprintf("the call graph names symbol %d, which is no function", n))
	}
	if id := in.Syms[n]; l.Syms[id].Func != 0 {
		return id, nil
	}
	return 0, nil
}

// descriptorUses lists the symbols whose function descriptors relocations ask for. No compiler writes such types today.
func descriptorUses(f *cubin.File, mercury bool) []uint32 {
	var uses []uint32
	for i := range f.Sections {
		h := &f.Sections[i]
		if mercury != (h.Type == cubin.SHTMercRela) || !mercury && h.Type != cubin.SHTRel && h.Type != cubin.SHTRela {
			continue
		}
		for j := range h.NumRels() {
			if r := h.RelAt(j); takesDescriptor(reloc.Type(r.Type)) {
				uses = append(uses, r.Sym)
			}
		}
	}
	return uses
}

// takesDescriptor tells the types that make a function count as one whose address is taken: those of whole descriptors, not those
// of single bytes (observed).
func takesDescriptor(t reloc.Type) bool {
	switch {
	case t >= 31 && t <= 35, t >= 47 && t <= 49, t >= 61 && t <= 63:
		return true
	}
	return t == reloc.MercuryFuncDesc64
}

// takeDescriptors marks the functions whose descriptors the input's relocations ask for, be the relocation in the image or not
// (observed).
func (r *resolver) takeDescriptors(in *input) {
	for _, n := range in.descriptors {
		if id := r.symbolAt(in, n); id != 0 && r.l.Syms[id].Func != 0 {
			r.l.Funcs[r.l.Syms[id].Func].Taken = true
		}
	}
}

// isSyscall tells the functions that an executable may leave undefined: the device runtime's entry points, and what device code
// may ask of graphs (observed by trial with the names of NVIDIA's public headers, the same with both toolkits).
func isSyscall(name string) bool {
	if strings.HasPrefix(name, "__cuda_syscall") {
		return true
	}
	switch name {
	case "vprintf", "vfprintf", "malloc", "free", "__assertfail", "__profile",
		"cudaGraphLaunch", "cudaGraphSetConditional", "cudaGraphKernelNodeSetEnabled", "cudaGraphKernelNodeSetGridDim",
		"cudaGraphKernelNodeSetParam", "cudaGraphKernelNodeUpdatesApply",
		"cnpGetParameterBuffer", "cnpGetParameterBufferV2", "cnpLaunchDevice", "cnpLaunchDeviceV2", "cnpGetLastError", "cnpSetLastError",
		"cnpEventCreate", "cnpEventRecord", "cnpEventDestroy", "cnpStreamCreate", "cnpStreamDestroy", "cnpStreamWaitEvent",
		"cnpDeviceGetAttribute", "cnpGetDevice", "cnpGetDeviceCount", "cnpFuncGetAttribute", "cnpCtxSynchronize",
		"cnpGetCacheConfig", "cnpGetSharedMemConfig", "cnpGetLimit":
		return true
	}
	return false
}
