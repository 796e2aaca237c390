package cli

import (
	"context"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/link"
)

// machines are the values of e_machine that -cpu-arch names; others fit no library.
var machines = map[string]uint16{"X86": 3, "X86_64": 62, "AARCH64": 183}

// inputOptions say what package input shall load.
func (r *run) inputOptions(c *commandLine) input.Options {
	o := input.Options{
		Files:          c.Inputs,
		Libraries:      c.values[optLibrary].Pieces,
		LibraryDirs:    c.values[optLibraryPath].Pieces,
		LibraryPath:    filepath.SplitList(r.env("LIBRARY_PATH")),
		Machine:        machines[c.text(optCPUArch)],
		Toolkit:        c.Toolkit,
		AsReference:    r.reference,
		Warn:           r.env("CULINK_WARN") == "1",
		Relocatable:    c.given(optRelocatable),
		IgnoreHostInfo: c.given(optIgnoreHostInfo),
		NoArchWarning:  c.given(optSuppressArchWarning),
		Ptxas:          c.text(optPtxas),
		CudaHome:       r.env("CUDA_HOME"),
		Path:           filepath.SplitList(r.env("PATH")),
		Jobs:           int(c.values[optJobs].Number),
	}
	if t, err := c.Toolkit.Parse(c.text(optArch)); err == nil {
		o.Target = t.Arch
	}
	return o
}

// load reads the inputs.
func (r *run) load(ctx context.Context) (*input.Result, error) {
	in, err := input.Load(ctx, r.inputOptions(r.line), r.diag)
	if err != nil {
		return nil, err
	}
	for _, c := range in.Compilations {
		r.times.add(c.Input, "ptxas", "nvlink", c.Elapsed)
	}
	return in, nil
}

// sources are the modules as the link takes them. Host references of all objects act on the kernels of all modules
// (observed), so the first module carries them all.
func sources(in *input.Result) []link.Source {
	out := make([]link.Source, len(in.Modules))
	carried := false
	for i := range in.Modules {
		m := &in.Modules[i]
		out[i] = link.Source{Name: m.Name, Data: m.Cubin, Cudadevrt: m.Cudadevrt, HasHostRefs: in.FilterKernels}
		if in.FilterKernels && !m.Cudadevrt && !carried {
			out[i].HostKernelsExternal, out[i].HostKernelsStatic, out[i].HostVariables = in.KernelsExternal, in.KernelsInternal, in.Variables
			carried = true
		}
	}
	return out
}

// writeRegister writes the file of --register-link-binaries, which lists the modules that were linked. It is written after
// links that ended in errors, too, but not after fatal ones (observed).
func (r *run) writeRegister(in *input.Result, res *link.Result) error {
	c := r.line
	if !c.given(optRegister) {
		return nil
	}
	var dropped []int
	if res != nil {
		dropped = res.DroppedSources
	}
	if writeFile(c.text(optRegister), []byte(in.RegisterText(dropped))) != nil {
		return r.diag.Fatal(diag.NoOutput, c.text(optRegister))
	}
	return nil
}

// virtual reports whether the target is compute_N: the reference reads the inputs, then ends without a link and without a
// word (observed).
func (r *run) virtual() bool {
	t, err := r.line.Toolkit.Parse(r.line.text(optArch))
	return err == nil && t.Kind == arch.Virtual
}
