//go:build !unix

package input

import (
	"os"

	"github.com/culink/culink/linker/slab"
)

// openFile reads a regular file.
func openFile(path string, _ *slab.Pool[byte]) (*file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &file{data: data}, nil
}

func unmapFile([]byte) error { return nil }
