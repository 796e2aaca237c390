package cli

import (
	"os"
	"syscall"
)

// umask is the process's file mode mask. Reading it sets it, so it is set back at once; the program runs one link.
func umask() os.FileMode {
	m := syscall.Umask(0)
	syscall.Umask(m)
	return os.FileMode(m)
}
