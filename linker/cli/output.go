package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// outputFile is a file that is written piece by piece so that a reader sees the old content or the whole new one: a temporary file in the same
// folder takes the pieces, and commit renames it. What is no regular file (a pipe, /dev/null), or stands in a folder where no file can be made, is
// written directly; a symbolic link stays, and its target is replaced. Nothing is opened before the first piece.
type outputFile struct {
	name string
	f    *os.File
	// target is what commit renames the file to, empty if f is that file itself.
	target string
	mode   fs.FileMode
	err    error // the first error
}

// Write appends a piece.
func (o *outputFile) Write(b []byte) (int, error) {
	if o.f == nil && o.err == nil {
		o.err = o.open()
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.f.Write(b)
	o.err = err
	return n, err
}

// Reserve takes room for a file of that size where the file system can: it writes faster what has its place already, a rename need
// not wait for the place to be found, and a full disk is known before anything is written.
func (o *outputFile) Reserve(size int64) error {
	if o.f == nil && o.err == nil {
		o.err = o.open()
	}
	if o.err == nil && o.target != "" {
		o.err = reserve(o.f, size)
	}
	return o.err
}

func (o *outputFile) open() error {
	name := o.name
	if name == "" {
		return os.ErrNotExist
	}
	direct := func() (err error) {
		o.f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		return err
	}
	o.mode = 0o666 &^ umask()
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return direct()
		}
		o.mode = info.Mode().Perm()
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // a file that is not to be changed is not to be replaced
		if err != nil {
			return err
		}
		f.Close()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if errors.Is(err, fs.ErrPermission) {
		return direct()
	}
	o.f, o.target = tmp, name
	return err
}

// commit makes what was written the file's content. After an error nothing is left but what was there before.
func (o *outputFile) commit() error {
	if o.f == nil {
		o.Write(nil) // an empty file
	}
	if o.err != nil {
		o.discard()
		return o.err
	}
	o.err = o.f.Close()
	if o.target == "" {
		return o.err
	}
	if o.err == nil {
		o.err = os.Chmod(o.f.Name(), o.mode)
	}
	if o.err == nil {
		o.err = os.Rename(o.f.Name(), o.target)
	}
	if o.err != nil {
		os.Remove(o.f.Name())
	}
	return o.err
}

// discard forgets what was written.
func (o *outputFile) discard() {
	if o.f == nil {
		return
	}
	o.f.Close()
	if o.target != "" {
		os.Remove(o.f.Name())
	}
}

// writeFile writes a file as outputFile does.
func writeFile(name string, data []byte) error {
	o := &outputFile{name: name}
	if o.Reserve(int64(len(data))) == nil {
		o.Write(data)
	}
	// commit says what went wrong
	return o.commit()
}

// opens reports whether a file can be read.
func opens(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
