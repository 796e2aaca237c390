package input

import (
	"errors"
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
