package input

import (
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/culink/culink/linker/ar"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/hostobj"
)

// archive takes every member, in file order (observed: no symbol index, nothing on demand).
func (s *scan) archive() error {
	s.enter(objectStage)
	r, err := ar.NewReader(s.file.data)
	if err != nil {
		return s.badArchive(err)
	}
	for {
		m, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.badArchive(err)
		}
		if s.o.AsReference {
			more, err := s.memberAsReference(m)
			if err != nil {
				return err
			}
			if !more {
				s.lostRest(m, r)
				return nil
			}
			continue
		}
		if err := s.member(m); err != nil {
			return err
		}
	}
}

// memberAsReference takes a member for a host object; more is false behind one that is no sound ELF file, where the reference stops.
func (s *scan) memberAsReference(m ar.Member) (more bool, err error) {
	name := s.name + ":" + m.Name
	data := m.Data
	if m.Thin {
		// The reference opens members by their names up to the first slash, in its own current directory (observed).
		f, err := s.o.Cache.open(s.o.in(m.Name))
		if errors.Is(err, errNotRegular) {
			s.lead(diag.OutOfMemory) // so the reference says of a directory (observed)
			return false, s.stop(diag.ElfLinkInternal)
		}
		if err != nil {
			s.lead(diag.NoInputFile, m.Name)
			return false, s.stop(diag.ElfLinkInternal)
		}
		s.keep(f)
		data = f.data
	}
	if _, err := hostobj.ReadFile(data); err != nil {
		return false, nil
	}
	if contentOf(data) == contentCubin {
		s.lost(name, "cubins in archives are not linked")
	}
	return true, s.host(data, name, true)
}

// lostRest reports the members behind one that ended the walk.
func (s *scan) lostRest(at ar.Member, r *ar.Reader) {
	if !s.o.Warn {
		return
	}
	if contentOf(at.Data) != contentOther {
		s.lost(s.name+":"+at.Name, "only ELF files in archives are taken")
	}
	for {
		m, err := r.Next()
		if err != nil {
			return
		}
		s.lost(s.name+":"+m.Name, fmt.Sprintf("it stands behind '%s', which is no ELF file", at.Name))
	}
}

// member takes a member by its content.
func (s *scan) member(m ar.Member) error {
	name := s.name + ":" + m.Path
	data := m.Data[min(m.NameSize, len(m.Data)):]
	if m.Thin {
		p := m.Path
		if !path.IsAbs(p) {
			p = path.Join(path.Dir(s.path), p) // what ar means by it
		}
		f, err := s.o.Cache.open(p)
		if err != nil {
			return s.stop(diag.NoInputFile, p)
		}
		s.keep(f)
		data = f.data
	}
	if m.Short && contentOf(data) != contentHost {
		return s.refuse(name, "the archive ends before its member does")
	}
	inner := &scan{o: s.o, name: name, path: s.path, file: &file{data: data}, mapped: s.mapped}
	kind := contentOf(data)
	var err error
	switch {
	case len(data) == 0:
		return nil
	case kind == contentHost:
		err = inner.host(data, name, true)
	case kind == contentCubin:
		s.lost(name, "cubins in archives are not linked")
		err = inner.cubin()
	case kind == contentFatbin:
		s.lost(name, "fatbins in archives are not linked")
		err = inner.fatbin()
	case kind == contentPTX:
		s.lost(name, "PTX in archives is not linked")
		err = inner.ptx(false)
	case kind == contentIR:
		return s.stop(diag.LTOInput, name)
	case kind == contentArchive:
		return s.refuse(name, "an archive in an archive")
	default:
		s.ignored(name, "it is no object; the reference loses the members behind it")
	}
	s.adopt(inner)
	return err
}

// adopt takes over what the scan of a member found.
func (s *scan) adopt(inner *scan) {
	for i := range inner.steps {
		if t := inner.steps[i].take; t != nil {
			t.module.Path, t.module.FromArchive = s.name, true
			t.module.Cudadevrt = isRuntime(s.name)
		}
	}
	s.steps = append(s.steps, inner.steps...)
	s.whole = append(s.whole, inner.whole...)
	s.refs.missing = s.refs.missing || inner.refs.missing
	s.refs.external = append(s.refs.external, inner.refs.external...)
	s.refs.internal = append(s.refs.internal, inner.refs.internal...)
	s.refs.variables = append(s.refs.variables, inner.refs.variables...)
}

// badArchive words an archive header that cannot be read; the words differ between releases (observed).
func (s *scan) badArchive(err error) error {
	if !s.o.AsReference {
		return s.damaged(s.name, err)
	}
	s.lead(s.o.archiveError(err))
	return s.stop(diag.ElfLinkInternal)
}

// archiveError is the first of the two fatal messages for an archive.
func (o *Options) archiveError(err error) diag.ID {
	id := diag.ArchiveFormat
	switch {
	case errors.Is(err, ar.ErrNoNames):
		id = diag.NoLongNames
	case errors.Is(err, ar.ErrName), o.Toolkit.Word < firstOwnRules:
		id = diag.OutOfMemory
	}
	return id
}
