package fatbin

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	// Magic are the first four bytes of a container, little-endian.
	Magic = 0xBA55ED50

	containerVersion    = 1
	containerHeaderSize = 16
)

// The ways in which a container can be unreadable. Errors wrap one of them and tell the offset.
var (
	// ErrFormat is returned for a container of another version; the reference says "is not recognized".
	ErrFormat = errors.New("not a fatbin container of a known version")
	// ErrTruncated is returned for entries that do not fit in the container or in the data.
	ErrTruncated = errors.New("fatbin container is cut short")
)

// EntryError says where in a container something is wrong. Err is one of the package's errors.
type EntryError struct {
	Offset int64 // in bytes from the start of the container
	Detail string
	Err    error
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("%v at offset %#x: %s", e.Err, e.Offset, e.Detail)
}

func (e *EntryError) Unwrap() error { return e.Err }

// Is reports whether data starts with the magic of a container.
func Is(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == Magic
}

// Container is a container's entries, in file order. Entries are slices of the data that Parse was given.
type Container struct {
	Entries []Entry
	// Size is what the container takes of the data, header included, in bytes: another container may follow there.
	Size int
	// Cut is set when the header states more bytes than there are, and what is missing would have followed zeros
	// (observed: CUDA 13's linker takes such a container, CUDA 12's does not).
	Cut bool
}

// Parse reads the first container in data.
func Parse(data []byte) (*Container, error) {
	if len(data) < containerHeaderSize {
		return nil, &EntryError{0, fmt.Sprintf("%d bytes", len(data)), ErrTruncated}
	}
	if !Is(data) {
		return nil, &EntryError{0, "no magic", ErrFormat}
	}
	version, head := binary.LittleEndian.Uint16(data[4:]), uint64(binary.LittleEndian.Uint16(data[6:]))
	if version != containerVersion || head < containerHeaderSize {
		return nil, &EntryError{4, fmt.Sprintf("version %d, header size %d", version, head), ErrFormat}
	}
	size := binary.LittleEndian.Uint64(data[8:])
	if head > uint64(len(data)) {
		return nil, &EntryError{6, fmt.Sprintf("header size %d of %d bytes", head, len(data)), ErrTruncated}
	}
	c := &Container{Size: len(data)}
	if size <= uint64(len(data))-head {
		c.Size = int(head + size)
	} else {
		c.Cut = true
	}
	at := int(head)
	for at+entryHeaderSize <= c.Size {
		e, n, err := parseEntry(data[:c.Size], at)
		if err != nil {
			if c.Cut && allZero(data[at:c.Size]) {
				break
			}
			return nil, err
		}
		c.Entries = append(c.Entries, e)
		at += n
	}
	if c.Cut && !allZero(data[min(at, c.Size):c.Size]) {
		return nil, &EntryError{int64(at), "half an entry header", ErrTruncated}
	}
	return c, nil
}

// parseEntry reads the entry at an offset with at least entryHeaderSize bytes after it; n is its length.
func parseEntry(data []byte, at int) (e Entry, n int, err error) {
	h := data[at:]
	le := binary.LittleEndian
	head, stored := uint64(le.Uint32(h[offHeaderSize:])), le.Uint64(h[offStored:])
	if head < entryHeaderSize || head > uint64(len(h)) || stored > uint64(len(h))-head {
		return e, 0, &EntryError{int64(at), fmt.Sprintf("entry of %d and %d bytes where %d are left", head, stored, len(h)), ErrTruncated}
	}
	n = int(head + stored)
	e = Entry{
		Kind:   Kind(le.Uint16(h[offKind:])),
		Number: le.Uint32(h[offNumber:]),
		Flags:  Flags(le.Uint64(h[offFlags:])),
		Minor:  le.Uint16(h[offMinor:]),
		Major:  le.Uint16(h[offMajor:]),
		Packed: le.Uint32(h[offPacked:]),
		Plain:  le.Uint64(h[offPlain:]),
		Stored: h[head:n:n],
		Offset: int64(at),
		header: h[:n:n],
		textAt: le.Uint32(h[offText:]),
	}
	return e, n, nil
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
