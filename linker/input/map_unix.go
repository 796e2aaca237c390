//go:build unix

package input

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/culink/culink/linker/slab"
)

// openFile reads or maps a regular file. It makes four system calls for a small one; a link of thousands of files
// spends much of its time here. What is read goes into memory of the pool if there is one.
func openFile(path string, bytes *slab.Pool[byte]) (*file, error) {
	// Without O_NONBLOCK the open of a pipe would wait for somebody to write.
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	out := &file{id: fileID{uint64(st.Dev), st.Ino}}
	if st.Size >= mapFrom && int64(int(st.Size)) == st.Size {
		if out.data, err = unix.Mmap(fd, 0, int(st.Size), unix.PROT_READ, unix.MAP_PRIVATE); err == nil {
			out.mapped = true
			return out, nil
		}
	}
	if out.data, err = readAll(fd, int(st.Size), bytes); err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return out, nil
}

// readAll reads size bytes, or to the end of a file that says it has none (files of /proc) or is cut short meanwhile.
func readAll(fd, size int, bytes *slab.Pool[byte]) ([]byte, error) {
	unknown := size == 0
	data := takeBytes(bytes, max(size, 512))
	n := 0
	for n < size || unknown {
		if n == len(data) {
			data = append(data, make([]byte, len(data))...)
		}
		k, err := retry(func() (int, error) { return unix.Read(fd, data[n:]) })
		if err != nil {
			return nil, err
		}
		if k == 0 {
			break
		}
		n += k
	}
	return data[:n], nil
}

func takeBytes(bytes *slab.Pool[byte], n int) []byte {
	if bytes == nil {
		return make([]byte, n)
	}
	return bytes.Take(n)
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func unmapFile(data []byte) error { return unix.Munmap(data) }
