package cli

import (
	"errors"
	"os"
	"syscall"
)

// keepSize leaves a file's size alone when room is taken for it (FALLOC_FL_KEEP_SIZE).
const keepSize = 1

// reserve takes room for size bytes of a file. A file system that cannot is none of our business; one that has no room is.
func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	err := syscall.Fallocate(int(f.Fd()), keepSize, 0, size)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return &os.PathError{Op: "write", Path: f.Name(), Err: err}
	}
	return nil
}
