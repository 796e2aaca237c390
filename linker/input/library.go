package input

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/culink/culink/linker/ar"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/hostobj"
)

// libraries finds the file of each -l: libNAME.a in the directories of -L, then in those of LIBRARY_PATH, whose first
// fitting candidate counts. A library that is nowhere is no error: most of a host link's libraries are not for us.
func (l *loader) libraries(ctx context.Context) ([]string, error) {
	var out []string
	dirs := append(append([]string(nil), l.o.LibraryDirs...), l.o.LibraryPath...)
	for _, name := range l.o.Libraries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var file string
		err := guarded(func() (err error) {
			file, err = l.library(name, dirs)
			return err
		})
		if errors.Is(err, errCut) {
			return nil, l.diag.Fatal(diag.UnsupportedInput, "-l"+name, errCut.Error())
		}
		if err != nil {
			return nil, err
		}
		if file != "" {
			out = append(out, file)
		} else if !l.o.AsReference {
			l.diag.Report(diag.LibraryNotFound, name)
		}
	}
	return out, nil
}

func (l *loader) library(name string, dirs []string) (string, error) {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		file := dir
		if !strings.HasSuffix(file, "/") {
			file += "/"
		}
		file += "lib" + name + ".a"
		f, err := l.o.Cache.open(l.o.in(file))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			continue
		case errors.Is(err, errNotRegular):
			if l.o.AsReference {
				return "", l.diag.Fatal(diag.OutOfMemory) // so the reference says of a directory (observed)
			}
			continue
		case err != nil:
			var pathErr *os.PathError
			if errors.As(err, &pathErr) {
				continue
			}
			return "", err
		}
		fits, err := l.fits(f.data)
		if closeErr := f.close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return "", err
		}
		if fits {
			return file, nil
		}
		l.diag.Report(diag.SkippingIncompatible, file, name)
	}
	return "", nil
}

// fits reports whether some member of a library is for the host's machine. As the reference has it, members count up to the first
// that is no sound ELF file, and the magic of the archive is not asked for.
func (l *loader) fits(data []byte) (bool, error) {
	machine := l.o.Machine
	if machine == 0 {
		machine = hostobj.X86_64 // what -cpu-arch means when it is not given (observed)
	}
	r, err := ar.NewReader(data)
	if err != nil {
		const head = 60
		if !l.o.AsReference || len(data) < ar.MagicSize || strings.Contains(string(data[ar.MagicSize:min(len(data), head)]), "/") {
			return false, nil
		}
		return false, l.fatalArchive(err)
	}
	for {
		m, err := r.Next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			if l.o.AsReference {
				return false, l.fatalArchive(err)
			}
			return false, nil
		}
		data := m.Data
		if m.Thin {
			p := m.Name
			f, err := l.o.Cache.open(l.o.in(p))
			if err != nil {
				return true, nil // loading it says what is wrong
			}
			data = append([]byte(nil), f.data[:min(len(f.data), elfHead)]...)
			if err := f.close(); err != nil {
				return false, err
			}
			if !hostobj.IsELF(data) || len(data) < elfHead {
				return false, nil
			}
		} else if _, err := hostobj.ReadFile(data); err != nil {
			if l.o.AsReference {
				return false, nil
			}
			continue
		}
		if hostobj.Machine(binary.LittleEndian.Uint16(data[18:])) == machine {
			return true, nil
		}
	}
}

// elfHead is the size of the ELF header.
const elfHead = 64

func (l *loader) fatalArchive(err error) error {
	l.diag.Report(l.o.archiveError(err))
	return l.diag.Fatal(diag.ElfLinkInternal)
}
