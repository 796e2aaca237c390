package link

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// encodeNotes makes the notes of a 13.0 image: the linker's own tool note with, in an executable, those of the inputs
// behind it as they are, and the note that says which virtual architecture and toolkit the image is for (observed).
func (l *link) encodeNotes() {
	if l.tkinfo == 0 {
		return
	}
	t := l.tool
	tool := t.Tool
	if l.ToolName != nil {
		tool = *l.ToolName
	}
	b := nvinfo.Tkinfo{Object: l.ObjectName, Tool: tool, Release: t.Release, Build: t.Build, Options: l.OptionsText}.Note().Append(nil)
	for _, in := range l.Inputs {
		for _, i := range in.tables {
			s := &in.File.Sections[i]
			if s.Type != cubin.SHTNote {
				continue
			}
			if s.Name == ".note.nv.tkinfo" && !l.rel {
				b = append(b, s.Data...)
			}
		}
	}
	l.setTable(l.tkinfo, b)
	cuinfo := nvinfo.Cuinfo{Version: nvinfo.CuinfoVersion, VirtualSM: uint16(l.lowestVirtual()), Toolkit: uint16(t.Word)}
	l.setTable(l.cuinfo, cuinfo.Note().Append(nil))
}

// virtualOf is the number of the virtual architecture that an input was compiled for, as its header names it in ABI 7 (bits 16 to 23 of
// e_flags) and a note in ABI 8; that of the target if it names none.
func (l *link) virtualOf(in *input) uint32 {
	if in.virtual == 0 {
		in.virtual = uint32(l.SM)
		if in.File.ABI() == 7 {
			in.virtual = in.File.Flags >> 16 & 0xff
		} else {
			in.virtual = virtualInNotes(in.File, in.virtual)
		}
	}
	return in.virtual
}

// virtualInNotes looks through the notes of a file. Mercury objects of 12.8 and 12.9 have .note.nv.cuver, which begins as
// .note.nv.cuinfo of 13.0 does (observed).
func virtualInNotes(f *cubin.File, otherwise uint32) uint32 {
	virtual := otherwise
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type != cubin.SHTNote || s.Name != ".note.nv.cuinfo" && s.Name != ".note.nv.cuver" {
			continue
		}
		for r := nvinfo.ReadNotes(s.Data); r.Next(); {
			if r.Type != nvinfo.NoteCuinfo {
				continue
			}
			if c, err := nvinfo.DecodeCuinfo(r.Desc); err == nil {
				virtual = min(virtual, uint32(c.VirtualSM))
				break
			}
		}
	}
	return virtual
}

// lowestVirtual is the virtual architecture of the image: the lowest of the inputs', at most the target (observed).
func (l *link) lowestVirtual() uint32 {
	virtual := uint32(l.SM)
	for _, in := range l.Inputs {
		virtual = min(virtual, l.virtualOf(in))
	}
	return virtual
}

// firstIndependent is the first architecture whose threads make progress on their own.
const firstIndependent = 70

// withoutYield reports whether every input was compiled for an architecture whose threads go in step: code then has no use for YIELD,
// and the reference replaces it by NOP where the compiler marked it (observed).
func (l *link) withoutYield() bool {
	return l.SM >= firstIndependent && !slices.ContainsFunc(l.Inputs, func(in *input) bool { return l.virtualOf(in) >= firstIndependent })
}
