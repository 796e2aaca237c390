package input

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
)

// host takes an ELF file as a host object, whatever machine it is for.
func (s *scan) host(data []byte, name string, member bool) error {
	if !member {
		s.enter(objectStage)
	}
	// libcudadevrt of CUDA 13 has no host references; without them it does not count (observed).
	counts := !isRuntime(s.name)
	f, err := hostobj.ReadFile(data)
	var o *hostobj.Object
	if err == nil {
		o, err = f.Object()
	}
	if err == nil && !o.Segment && len(o.Offload) > 0 && !s.o.AsReference {
		return s.offload(o.Offload, name, member)
	}
	if err == nil && !o.Segment {
		if len(o.Offload) > 0 {
			s.lost(name, "its code is in clang's section "+hostobj.SectionOffload)
		}
		if counts {
			s.refs.missing = true
		}
		return nil
	}
	if err != nil || !fatbin.Is(o.Fatbin) {
		if err == nil && o.Linked {
			s.refs.missing = s.refs.missing || counts
			s.whole = append(s.whole, name)
			return nil
		}
		if err != nil && !s.o.AsReference {
			return s.damaged(name, err)
		}
		s.lead(diag.NoFatbin, name)
		return s.stop(diag.ElfLinkInternal)
	}
	if counts || o.Refs.Complete {
		s.refs.add(&o.Refs, s.o.AsReference)
	}
	ids := moduleIDs{o.ModuleIDs, true}
	if s.old() && len(ids.list) > 1 && s.o.AsReference {
		ids.list = ids.list[:1]
	}
	if len(ids.list) == 0 && !o.HasModuleIDs {
		ids = moduleIDs{s.pathName(name), false}
	}
	return s.containers(o.Fatbin, name, ids, member)
}

// moduleIDs are the identifiers under which a file's code is registered.
type moduleIDs struct {
	list        []string
	constructor bool
}

func (r *references) add(refs *hostobj.Refs, asReference bool) {
	if !refs.Complete {
		r.missing = true
		return
	}
	r.external = append(r.external, refs.KernelsExternal...)
	r.internal = append(r.internal, refs.KernelsInternal...)
	if refs.EmptyKernelPattern && asReference {
		r.external = append(r.external, "")
	}
	for _, v := range [][]string{refs.DeviceExternal, refs.DeviceInternal, refs.ConstantExternal, refs.ConstantInternal} {
		r.variables = append(r.variables, v...)
	}
}

// containers takes the code of the first container in data, or of all of them: ld -r puts the containers of several
// modules behind each other, of which the reference reads the first (observed).
func (s *scan) containers(data []byte, name string, ids moduleIDs, member bool) error {
	for first := true; ; first = false {
		c, err := fatbin.Parse(data)
		if err != nil {
			return s.badContainer(name, err)
		}
		if c.Cut && s.old() && s.o.AsReference {
			s.lead(diag.UnknownArch, "")
			return s.stop(diag.FatbinaryError)
		}
		data = bytes.TrimLeft(data[c.Size:], "\x00") // alignment
		if !first {
			ids.list = nil
		}
		if err := s.choose(c, name, ids, member); err != nil {
			return err
		}
		if len(data) == 0 {
			return nil
		}
		if !fatbin.Is(data) {
			if !s.o.AsReference {
				return s.refuse(name, fmt.Sprintf("%d bytes behind its fatbin container are no container", len(data)))
			}
			return nil
		}
		if first {
			s.lost(name, "it has several fatbin containers, of which the first is read")
		}
		if s.o.AsReference {
			return nil
		}
	}
}

// noCode tells that a file has no code for the target.
func (s *scan) noCode(name, cause string) {
	target := s.o.targetName()
	note := fmt.Sprintf("compile the file for the target, too: -gencode arch=compute_%s,code=%[2]s (clang: --offload-arch=%[2]s).", strings.TrimPrefix(target, "sm_"), target)
	s.steps = append(s.steps, step{id: diag.ArchNotFound, args: []any{target, name}, cause: cause, note: note})
}

// choose takes the entry for the target.
func (s *scan) choose(c *fatbin.Container, name string, ids moduleIDs, member bool) error {
	e := c.Choose(target{s.o})
	if e == nil {
		if !s.o.NoArchWarning && (!member || !s.o.AsReference) {
			s.noCode(name, contents(c))
		} else if member {
			s.lost(name, "it has no code for "+s.o.targetName())
		}
		s.take(&take{module: s.module(name, member), ids: ids.list, constructor: ids.constructor, absent: true})
		return nil
	}
	t := &take{module: s.module(name, member), ids: ids.list, constructor: ids.constructor, entry: e}
	t.module.FromContainer = true
	switch e.Kind {
	case fatbin.KindIR:
		if s.o.AsReference {
			return s.stop(diag.LTOObjects)
		}
		return s.stop(diag.LTOInput, name)
	case fatbin.KindPTX:
		t.ptx, t.module.FromPTX, t.options = true, true, e.Options()
	}
	s.take(t)
	return nil
}

// targetPrefixes are how nvcc -gencode calls the kinds of code.
var targetPrefixes = map[fatbin.Kind]string{fatbin.KindCubin: "sm_", fatbin.KindCubin16: "sm_", fatbin.KindPTX: "compute_", fatbin.KindIR: "lto_"}

// contents says what code a container has.
func contents(c *fatbin.Container) string {
	var has []string
	for i := range c.Entries {
		e := &c.Entries[i]
		if prefix, ok := targetPrefixes[e.Kind]; ok && !slices.Contains(has, prefix+e.Arch()) {
			has = append(has, prefix+e.Arch())
		}
	}
	if len(has) == 0 {
		return "it has no code at all"
	}
	return "it has " + strings.Join(has, ", ")
}

// badContainer words a container that cannot be read.
func (s *scan) badContainer(name string, err error) error {
	if !s.o.AsReference {
		return s.damaged(name, err)
	}
	if errors.Is(err, fatbin.ErrFormat) {
		s.report(diag.UnrecognizedFormat)
	}
	return s.stop(diag.FatbinaryError)
}
