package nvinfo

import (
	"bytes"
	"fmt"
)

// Owner is the name in NVIDIA's notes.
const Owner = "NVIDIA Corp"

// Types of notes (observed).
const (
	NoteCuinfo uint32 = 1000
	NoteTkinfo uint32 = 2000
)

// Note is one entry of a note section.
type Note struct {
	Name string // without its NUL
	Type uint32
	Desc []byte
}

// noteHeader is the number of bytes before the name (ELF specification: n_namesz, n_descsz, n_type).
const noteHeader = 12

// Notes walks the entries of a note section. Name and descriptor are padded to 4 bytes (ELF specification).
type Notes struct {
	Note       // the entry that Next has read
	Offset int // where it starts in the section
	Raw    []byte

	data []byte
	next int
	err  error
}

// ReadNotes starts a walk over a note section.
func ReadNotes(section []byte) Notes { return Notes{data: section} }

// Next reads the next entry and reports whether there was one. Raw is then all of its bytes, padding included.
func (n *Notes) Next() bool {
	if n.err != nil || n.next >= len(n.data) {
		return false
	}
	b := n.data[n.next:]
	if len(b) < noteHeader {
		n.err = &FormatError{n.next, fmt.Sprintf("%d bytes are left, too few for a note", len(b))}
		return false
	}
	// 64-bit sums of 32-bit sizes cannot overflow.
	namesz, descsz := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:]))
	desc := noteHeader + (namesz+3)&^3
	end := desc + (descsz+3)&^3
	if end > uint64(len(b)) {
		n.err = &FormatError{n.next, fmt.Sprintf("a note of %d bytes, but %d are left", end, len(b))}
		return false
	}
	name := b[noteHeader : noteHeader+namesz]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	n.Name = ownerName(name)
	n.Type, n.Desc, n.Raw, n.Offset = le.Uint32(b[8:]), b[desc:desc+descsz:desc+descsz], b[:end:end], n.next
	n.next += int(end)
	return true
}

// ownerName makes no new string for the usual owner.
func ownerName(b []byte) string {
	if string(b) == Owner {
		return Owner
	}
	return string(b)
}

// Err is nil after a walk over a well-formed section, else a *FormatError.
func (n *Notes) Err() error { return n.err }

// Append writes the note behind b, padded as ELF asks for. The name gets its NUL.
func (n Note) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(len(n.Name)+1))
	b = le.AppendUint32(b, uint32(len(n.Desc)))
	b = le.AppendUint32(b, n.Type)
	b = append(b, n.Name...)
	b = pad4(append(b, 0), len(n.Name)+1)
	return pad4(append(b, n.Desc...), len(n.Desc))
}

// pad4 fills up after n bytes to a multiple of 4.
func pad4(b []byte, n int) []byte {
	for ; n%4 != 0; n++ {
		b = append(b, 0)
	}
	return b
}

// Tkinfo is what a tool leaves about itself in .note.nv.tkinfo.
type Tkinfo struct {
	Object  string // base name of the output, only with -g; else empty
	Tool    string // "nvlink", "ptxas"
	Release string
	Build   string
	Options string
}

const (
	tkinfoVersion = 2
	tkinfoStrings = 5
	tkinfoHeader  = 4 + 4*tkinfoStrings
)

// DecodeTkinfo reads the descriptor of a note of type NoteTkinfo. The offsets in it need not be in order. The error is a
// *FormatError with an offset in the descriptor.
func DecodeTkinfo(desc []byte) (Tkinfo, error) {
	if len(desc) < tkinfoHeader {
		return Tkinfo{}, &FormatError{0, fmt.Sprintf("toolkit information of %d bytes", len(desc))}
	}
	if v := le.Uint32(desc); v != tkinfoVersion {
		return Tkinfo{}, &FormatError{0, fmt.Sprintf("toolkit information of version %d", v)}
	}
	pool := desc[tkinfoHeader:]
	var s [tkinfoStrings]string
	for i := range s {
		at := 4 + 4*i
		off := le.Uint32(desc[at:])
		if uint64(off) >= uint64(len(pool)) {
			return Tkinfo{}, &FormatError{at, fmt.Sprintf("string offset %d in %d bytes", off, len(pool))}
		}
		end := bytes.IndexByte(pool[off:], 0)
		if end < 0 {
			return Tkinfo{}, &FormatError{at, "string without an end"}
		}
		s[i] = string(pool[off : int(off)+end])
	}
	return Tkinfo{s[0], s[1], s[2], s[3], s[4]}, nil
}

// Note makes the note. Its descriptor is filled up to a multiple of 4 and the size says so (observed).
func (t Tkinfo) Note() Note {
	s := [tkinfoStrings]string{t.Object, t.Tool, t.Release, t.Build, t.Options}
	desc := le.AppendUint32(nil, tkinfoVersion)
	off := uint32(0)
	for _, x := range s {
		desc = le.AppendUint32(desc, off)
		off += uint32(len(x)) + 1
	}
	for _, x := range s {
		desc = append(append(desc, x...), 0)
	}
	return Note{Owner, NoteTkinfo, pad4(desc, len(desc))}
}

// Cuinfo is .note.nv.cuinfo.
type Cuinfo struct {
	Version   uint16 // 2
	VirtualSM uint16 // number of the virtual architecture: 90
	Toolkit   uint16 // 130 for 13.0
	Reserved  uint16 // 0
}

// CuinfoVersion is the only version seen.
const CuinfoVersion = 2

const cuinfoSize = 8

// DecodeCuinfo reads the descriptor of a note of type NoteCuinfo. The error is a *FormatError.
func DecodeCuinfo(desc []byte) (Cuinfo, error) {
	if len(desc) < cuinfoSize {
		return Cuinfo{}, &FormatError{0, fmt.Sprintf("CUDA information of %d bytes", len(desc))}
	}
	return Cuinfo{le.Uint16(desc), le.Uint16(desc[2:]), le.Uint16(desc[4:]), le.Uint16(desc[6:])}, nil
}

// Note makes the note.
func (c Cuinfo) Note() Note {
	desc := make([]byte, 0, cuinfoSize)
	for _, x := range [...]uint16{c.Version, c.VirtualSM, c.Toolkit, c.Reserved} {
		desc = le.AppendUint16(desc, x)
	}
	return Note{Owner, NoteCuinfo, desc}
}
