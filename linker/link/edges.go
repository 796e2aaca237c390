package link

import (
	"iter"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// graphRecords walks the records of .nv.callgraph. Records that no known marker stands before are passed on with what does;
// nobody takes them. (nvinfo.ReadGraph, which dump uses, ends at the first of these.)
func graphRecords(section []byte) iter.Seq2[nvinfo.Edge, [2]uint32] {
	return func(yield func(nvinfo.Edge, [2]uint32) bool) {
		edge := nvinfo.Edge(0)
		for o := 0; o+8 <= len(section); o += 8 {
			a, b := le.Uint32(section[o:]), le.Uint32(section[o+4:])
			if a == 0 && int32(b) < 0 {
				edge = nvinfo.Edge(int32(b))
			} else if !yield(edge, [2]uint32{a, b}) {
				return
			}
		}
	}
}

// callgraph adds the input's records to the graph. Records that begin with a function whose definition here lost on
// arrival are ignored; those of a definition that is replaced later stay (observed).
func (r *resolver) callgraph(in *Input) error {
	for i := range in.Secs {
		if in.Secs[i].Type != cubin.SHTCudaCallgraph {
			continue
		}
		for edge, words := range graphRecords(in.File.Sections[i].Data) {
			if err := r.record(in, edge, words[0], words[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *resolver) record(in *Input, edge nvinfo.Edge, a, b uint32) error {
	l := r.l
	id := r.symbolAt(in, a)
	if id == 0 || l.Syms[id].Func == 0 || in.Lost[a] == lostOnArrival {
		return nil
	}
	from := l.Syms[id].Func
	switch edge {
	case nvinfo.Calls, nvinfo.TakesAddress:
		other := r.symbolAt(in, b)
		if other == 0 || l.Syms[other].Func == 0 {
			return nil
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
