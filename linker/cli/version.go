package cli

import "fmt"

// version prints what --version asks for.
func (r *run) version() error {
	t := r.line.Toolkit
	_, err := fmt.Fprintf(r.stdout, "nvlink: NVIDIA (R) Cuda linker\nCopyright (c) %s NVIDIA Corporation\n%s\n%s\n%s\n", t.Years, t.Built, t.Release, t.Build)
	return err
}

// help prints what --help asks for.
func (r *run) help() error { return nil }

// openTime opens the file of -time.
func (r *run) openTime() error { return nil }
