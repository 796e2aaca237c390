package link

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// encodeNotes makes the notes of a 13.0 image: the linker's own tool note with, in an executable, those of the inputs
// behind it as they are, and the note that says which virtual architecture and toolkit the image is for (observed).
func (l *Link) encodeNotes() {
	if l.tkinfo == 0 {
		return
	}
	t := arch.CUDA130()
	tool := t.Tool
	if l.ToolName != nil {
		tool = *l.ToolName
	}
	b := nvinfo.Tkinfo{Object: l.ObjectName, Tool: tool, Release: t.Release, Build: t.Build, Options: l.OptionsText}.Note().Append(nil)
	virtual := int(l.virtualSM7())
	for _, in := range l.Inputs {
		for _, i := range in.tables {
			s := &in.File.Sections[i]
			if s.Type != cubin.SHTNote {
				continue
			}
			switch s.Name {
			case ".note.nv.tkinfo":
				if !l.rel {
					b = append(b, s.Data...)
				}
			case ".note.nv.cuinfo":
				virtual = min(virtual, virtualSM(s.Data, virtual))
			}
		}
	}
	l.setTable(l.tkinfo, b)
	cuinfo := nvinfo.Cuinfo{Version: nvinfo.CuinfoVersion, VirtualSM: uint16(virtual), Toolkit: uint16(t.Word)}
	l.setTable(l.cuinfo, cuinfo.Note().Append(nil))
}

// virtualSM is the virtual architecture that an input's .note.nv.cuinfo names, or otherwise if it names none.
func virtualSM(section []byte, otherwise int) int {
	r := nvinfo.ReadNotes(section)
	for r.Next() {
		if r.Type == nvinfo.NoteCuinfo {
			if c, err := nvinfo.DecodeCuinfo(r.Desc); err == nil {
				return int(c.VirtualSM)
			}
		}
	}
	return otherwise
}
