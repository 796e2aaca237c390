package link

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// Markers that begin a group of .nv.callgraph records, as the second word behind a first word of 0 (observed).
const (
	markCalls    int32 = -1 // caller, callee
	markTaken    int32 = -2 // function whose address is taken, string offset of its prototype
	markIndirect int32 = -3 // caller, string offset of the prototype of its indirect calls
	markTakes    int32 = -4 // function, function whose address it takes
)

// callgraph adds the input's records to the graph. Records that begin with a function whose definition here lost on
// arrival are ignored; those of a definition that is replaced later stay (observed).
func (r *resolver) callgraph(in *Input) error {
	for i := range in.Secs {
		if in.Secs[i].Type != cubin.SHTCudaCallgraph {
			continue
		}
		d := in.File.Sections[i].Data
		mark := int32(0)
		for o := 0; o+8 <= len(d); o += 8 {
			a, b := le.Uint32(d[o:]), le.Uint32(d[o+4:])
			if a == 0 && int32(b) < 0 {
				mark = int32(b)
				continue
			}
			if err := r.record(in, mark, a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *resolver) record(in *Input, mark int32, a, b uint32) error {
	l := r.l
	id := r.symbolAt(in, a)
	if id == 0 || l.Syms[id].Func == 0 || in.Lost[a] == lostOnArrival {
		return nil
	}
	from := l.Syms[id].Func
	switch mark {
	case markCalls, markTakes:
		other := r.symbolAt(in, b)
		if other == 0 || l.Syms[other].Func == 0 {
			return nil
		}
		to := l.Syms[other].Func
		if mark == markCalls {
			l.Funcs[from].Calls = append(l.Funcs[from].Calls, to)
		} else {
			l.Funcs[from].Takes = append(l.Funcs[from].Takes, to)
			l.Funcs[to].Taken = true
		}
	case markTaken, markIndirect:
		s, ok := in.File.String(b)
		if !ok {
			return l.Diag.Fatal(diag.MalformedInput, in.Name, "a prototype lies outside the string table")
		}
		p := l.proto(s)
		if mark == markTaken {
			l.Funcs[from].Taken = true
			r.setPrototype(in, id, p)
		} else {
			l.Funcs[from].Indirect = append(l.Funcs[from].Indirect, p)
		}
	}
	return nil
}

// isSyscall tells the functions that an executable may leave undefined: the device runtime's entry points (observed by trial).
func isSyscall(name string) bool {
	if strings.HasPrefix(name, "__cuda_syscall") {
		return true
	}
	switch name {
	case "vprintf", "vfprintf", "malloc", "free", "__assertfail",
		"cnpGetParameterBuffer", "cnpGetParameterBufferV2", "cnpLaunchDevice", "cnpLaunchDeviceV2", "cnpGetLastError", "cnpSetLastError",
		"cnpEventCreate", "cnpEventRecord", "cnpEventDestroy", "cnpStreamCreate", "cnpStreamDestroy", "cnpStreamWaitEvent",
		"cnpDeviceGetAttribute", "cnpGetDevice", "cnpGetDeviceCount", "cnpFuncGetAttribute", "cnpCtxSynchronize",
		"cnpGetCacheConfig", "cnpGetSharedMemConfig", "cnpGetLimit":
		return true
	}
	return false
}
