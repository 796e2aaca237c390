package cli

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/culink/culink/linker/diag"
)

// outputFile is a file that is written piece by piece so that a reader sees the old content or the whole new one: a temporary file in the same
// folder takes the pieces, and commit renames it. What is no regular file (a pipe, /dev/null), or stands in a folder where no file can be made, is
// written directly; a symbolic link stays, and its target is replaced or made. Nothing is opened before the first piece.
type outputFile struct {
	name string
	// signals are held back while a large file is written; nil if they need not be.
	signals *interruptible
	f       *os.File
	// target is what commit renames the file to, empty if f is that file itself.
	target string
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
	if size >= longWrite && o.signals != nil {
		o.signals.listen()
	}
	if o.f == nil && o.err == nil {
		o.err = o.open()
	}
	if o.err == nil && o.target != "" {
		o.err = reserve(o.f, size)
	}
	return o.err
}

// longWrite is the size in bytes from which on writing a file takes a millisecond or so, in which a signal may come that would leave the
// temporary file behind.
const longWrite = 1 << 20

func (o *outputFile) open() error {
	name := o.name
	if name == "" {
		return os.ErrNotExist
	}
	direct := func() (err error) {
		o.f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		return err
	}
	mode := fs.FileMode(0o666) // for a new file, less what the process's mask forbids
	replaced := false
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return direct()
		}
		mode, replaced = info.Mode().Perm(), true
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // a file that is not to be changed is not to be replaced
		if err != nil {
			return err
		}
		f.Close()
		if linked, err := os.Lstat(name); err != nil {
			return err
		} else if linked.Mode()&fs.ModeSymlink != 0 {
			if name, err = filepath.EvalSymlinks(name); err != nil {
				return err
			}
		}
	} else if to, err := os.Readlink(name); err == nil { // to a file that does not exist yet
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	tmp, err := temporary(filepath.Dir(name), mode)
	if errors.Is(err, fs.ErrPermission) {
		return direct()
	}
	if err != nil {
		return err
	}
	o.f, o.target = tmp, name
	if replaced {
		return keepMode(tmp, mode)
	}
	return nil
}

// temporary makes a file in a folder under a name of its own, no longer than names may be. (os.CreateTemp would make it unreadable for
// others, and what a new file's mode is to be only the system knows.)
func temporary(dir string, mode fs.FileMode) (*os.File, error) {
	for {
		f, err := os.OpenFile(filepath.Join(dir, ".culink-"+strconv.FormatUint(rand.Uint64(), 36)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// keepMode gives a file the mode of the one whose place it takes, if the process's mask did not let it have it from the start.
func keepMode(f *os.File, mode fs.FileMode) error {
	info, err := f.Stat()
	if err == nil && info.Mode().Perm() != mode {
		err = f.Chmod(mode)
	}
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
		o.err = os.Rename(o.f.Name(), o.target)
	}
	if o.err != nil {
		os.Remove(o.f.Name())
	}
	return o.err
}

// discard forgets what was written. A file that was written directly is left empty, since no image is better than half of one.
func (o *outputFile) discard() {
	if o.f == nil {
		return
	}
	if o.target == "" {
		_ = o.f.Truncate(0) // fails where there is nothing to take back, as with pipes
	}
	o.f.Close()
	if o.target != "" {
		os.Remove(o.f.Name())
	}
}

// writeFile writes a file as outputFile does.
func writeFile(name string, data []byte) error {
	o := &outputFile{name: name}
	return o.writeAll(data)
}

// writeAll makes data the whole content.
func (o *outputFile) writeAll(data []byte) error {
	if o.Reserve(int64(len(data))) == nil {
		o.Write(data)
	}
	// commit says what went wrong
	return o.commit()
}

// report says why the file was not written: it could not be opened, or not be written to the end.
func (o *outputFile) report(d *diag.Collector) error {
	if o.f == nil {
		return d.FatalCause(o.err, diag.NoOutput, o.name)
	}
	reason := o.err
	if path := (*fs.PathError)(nil); errors.As(o.err, &path) {
		reason = path.Err
	}
	return d.FatalNote(o.name+": "+reason.Error(), diag.OutputCutShort)
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
