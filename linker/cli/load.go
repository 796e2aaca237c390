package cli

import (
	"path/filepath"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hostobj"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/link"
)

// machines are the values of e_machine that -cpu-arch names (observed). Of those that are no constants of hostobj libraries fit, but no
// object is written.
var machines = map[string]hostobj.Machine{
	"AARCH64": hostobj.AArch64,
	"ARMv7":   40,
	"PPC64LE": 21,
	"X86":     3,
	"X86_64":  hostobj.X86_64,
	"unknown": hostobj.X86_64,
}

// inputOptions say what package input shall load.
func (r *run) inputOptions(c *commandLine, target arch.Name) input.Options {
	return input.Options{
		Files:          c.Inputs,
		Libraries:      c.values[optLibrary].Pieces,
		LibraryDirs:    c.values[optLibraryPath].Pieces,
		LibraryPath:    filepath.SplitList(r.env("LIBRARY_PATH")),
		Machine:        machines[c.text(optCPUArch)],
		Class:          c.class(),
		Target:         target.Arch,
		Virtual:        target.Kind == arch.Virtual,
		Toolkit:        c.Toolkit,
		AcceptNewer:    r.acceptsNewer(c.Toolkit),
		AsReference:    r.reference,
		Warn:           r.env("CULINK_WARN") == "1",
		Relocatable:    c.given(optRelocatable),
		IgnoreHostInfo: c.given(optIgnoreHostInfo),
		NoArchWarning:  c.given(optSuppressArchWarning),
		DebugPTX:       c.given(optDebug) && !c.given(optSuppressDebugInfo),
		Ptxas:          c.text(optPtxas),
		CudaHome:       r.env("CUDA_HOME"),
		Path:           filepath.SplitList(r.env("PATH")),
		Jobs:           int(c.values[optJobs].Number),
		Cache:          &r.files,
	}
}

// class is the class of the device ELFs that are linked.
func (c *commandLine) class() cubin.Class {
	if c.values[optMachine].Number == 32 {
		return cubin.Class32
	}
	return cubin.Class64
}

// size is that of all modules in bytes.
func size(in []link.Source) (n int) {
	for i := range in {
		n += len(in[i].Data)
	}
	return n
}

// sources are the modules as the link takes them. Host references of all objects act on the kernels of all modules
// (observed), so the first module carries them all.
func sources(in *input.Result) []link.Source {
	out := make([]link.Source, len(in.Modules))
	carried := false
	for i := range in.Modules {
		m := &in.Modules[i]
		out[i] = link.Source{Name: m.Name, Data: m.Cubin, File: m.File, Cudadevrt: m.Cudadevrt, Archive: m.FromArchive, HasHostRefs: in.FilterKernels}
		if in.FilterKernels && !m.Cudadevrt && !carried {
			out[i].HostKernelsExternal, out[i].HostKernelsStatic, out[i].HostVariables = in.KernelsExternal, in.KernelsInternal, in.Variables
			carried = true
		}
	}
	return out
}
