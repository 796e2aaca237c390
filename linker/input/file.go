package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// file is an open input. Its bytes are not to be changed.
type file struct {
	data   []byte
	mapped bool
	// shared is set while a cache owns the file.
	shared bool
	id     fileID
}

// fileID tells files apart however they are named: device and inode.
type fileID struct{ dev, ino uint64 }

// mapFrom is the size in bytes from which files are mapped. Smaller ones are read: that is faster, and their bytes
// stay when another process cuts the file short.
const mapFrom = 1 << 20

var errNotRegular = errors.New("not a regular file")

// openFile reads or maps a regular file.
func openFile(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	out := &file{id: identity(info)}
	size := info.Size()
	if size >= mapFrom && int64(int(size)) == size {
		if out.data, err = mapFile(f, int(size)); err == nil {
			out.mapped = true
			return out, nil
		}
	}
	// The size may be wrong (files of /proc): it is room, not a promise.
	out.data = make([]byte, 0, size+1)
	for {
		n, err := f.Read(out.data[len(out.data):cap(out.data)])
		out.data = out.data[:len(out.data)+n]
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if len(out.data) == cap(out.data) {
			out.data = append(out.data, 0)[:len(out.data)]
		}
	}
}

func (f *file) close() error {
	if f == nil || !f.mapped || f.shared {
		return nil
	}
	data := f.data
	f.data, f.mapped = nil, false
	return unmapFile(data)
}

// in is a name as seen from the directory that relative names refer to.
func (o *Options) in(name string) string {
	if o.Dir == "" || filepath.IsAbs(name) || name == "" {
		return name
	}
	return filepath.Join(o.Dir, name)
}
