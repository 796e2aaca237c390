package cli

import (
	"fmt"
	"runtime/debug"
)

// version prints what --version asks for: the reference's five lines, or culink's own with the releases that it is like.
func (r *run) version() error {
	t := r.line.Toolkit
	if r.reference {
		_, err := fmt.Fprintf(r.stdout, "%s: NVIDIA (R) Cuda linker\nCopyright (c) %s NVIDIA Corporation\n%s\n%s\n%s\n", r.line.toolName(), t.Years, t.Built, t.Release, t.Build)
		return err
	}
	v := "(built from source)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	_, err := fmt.Fprintf(r.stdout, "culink %s, an open CUDA device linker\nWrites what nvlink of CUDA %s would write.\n", v, releaseNames("or"))
	return err
}
