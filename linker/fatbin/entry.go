package fatbin

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Kind says what the payload of an entry is.
type Kind uint16

// The kinds that are understood. Numbers are observed.
const (
	KindPTX   Kind = 1
	KindCubin Kind = 2
	// KindIR is NVVM IR for link-time optimisation.
	KindIR Kind = 8
	// KindCubin16 is taken like a cubin (observed on edited containers); no tool at hand writes it.
	KindCubin16 Kind = 16
)

// Flags of an entry (observed).
type Flags uint64

// The bits of Flags that are understood.
const (
	Flag64Bit   Flags = 0x1 // an entry without it is never chosen
	FlagDebug   Flags = 0x2
	FlagLinux   Flags = 0x10
	FlagLZ4     Flags = 0x2000
	FlagZstd    Flags = 0x8000
	FlagA       Flags = 0x100000 // architecture-specific code: sm_90a
	FlagF       Flags = 0x200000 // family-specific code: sm_100f
	FlagMercury Flags = 0x1000000
)

// Variant is the letter of an architecture: 0, 'a' or 'f'.
type Variant byte

// Variant is the letter that the flags say.
func (f Flags) Variant() Variant {
	switch {
	case f&FlagA != 0:
		return 'a'
	case f&FlagF != 0:
		return 'f'
	}
	return 0
}

func (v Variant) String() string {
	if v == 0 {
		return ""
	}
	return string(rune(v))
}

const (
	entryHeaderSize = 64

	offKind       = 0
	offUnknown    = 2
	offHeaderSize = 4
	offStored     = 8
	offPacked     = 16
	offText       = 20
	offMinor      = 24
	offMajor      = 26
	offNumber     = 28
	offFlags      = 40
	offPlain      = 56
)

// Entry is one piece of code of a container. Its slices are the container's.
type Entry struct {
	Kind         Kind
	Number       uint32 // of the SM: 90 for sm_90a
	Flags        Flags
	Minor, Major uint16 // see the package comment
	// Packed is the size of the compressed payload, 0 when it is not compressed; Plain is the size that the header
	// states for the unpacked payload, both in bytes.
	Packed uint32
	Plain  uint64
	// Stored is the payload as stored, with its padding.
	Stored []byte
	// Offset is where the entry starts, in bytes from the start of the container.
	Offset int64

	header []byte // the entry from its start to the end of its payload
	textAt uint32
}

// Variant is the letter of the architecture.
func (e *Entry) Variant() Variant { return e.Flags.Variant() }

// Arch is the architecture without a prefix: "90a".
func (e *Entry) Arch() string { return fmt.Sprintf("%d%s", e.Number, e.Variant()) }

// Compressed reports whether the payload must be unpacked.
func (e *Entry) Compressed() bool { return e.Flags&(FlagLZ4|FlagZstd) != 0 }

// Options is the option text of a PTX entry ("--compile-only", "-maxrregcount=32"), up to its NUL; empty when there is none.
func (e *Entry) Options() string {
	if e.Kind != KindPTX && e.Kind != KindIR {
		return ""
	}
	return cString(e.text())
}

// Compat is the copy of .nv.compat in an entry of a cubin for sm_100 and up, nil if there is none.
func (e *Entry) Compat() []byte {
	if e.Kind == KindPTX || e.Kind == KindIR {
		return nil
	}
	t := e.text()
	if len(t) < compatSize {
		return nil
	}
	return t[:compatSize]
}

// text is what follows at the offset that the entry's text descriptor says, nil if it is nowhere in the entry.
func (e *Entry) text() []byte {
	if e.textAt == 0 || uint64(e.textAt)+8 > uint64(len(e.header)) {
		return nil
	}
	at := binary.LittleEndian.Uint32(e.header[e.textAt:])
	if uint64(at) >= uint64(len(e.header)) {
		return nil
	}
	return e.header[at:]
}

// cString is the text before the first NUL, or all of it.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
