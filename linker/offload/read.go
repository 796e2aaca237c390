package offload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const (
	newest       = 3 // the version that LLVM 23 writes
	manyEntries  = 2 // the version from which on a binary has any number of entries, and strings have sizes
	compressible = 3 // the version from which on a binary may be compressed

	headerSize = 32
	entrySize  = 40
	// maxStrings and maxString (bytes) bound what is looked at for keys and values, of which a compiler writes a few short ones.
	maxStrings = 64
	maxString  = 4096
)

var magic = [...]byte{0x10, 0xff, 0x10, 0xad}

// ErrFormat is returned for data that is no run of offloading binaries of a known version, or is cut short.
var ErrFormat = errors.New("no offloading binary that can be read")

// Image is the device code of one entry. Data is a slice of the data that Parse was given.
type Image struct {
	// Triple names the target's kind, such as nvptx64-nvidia-cuda, and Arch the architecture, such as sm_90a.
	Triple, Arch string
	Data         []byte
}

// CUDA reports whether the image is for NVIDIA's devices.
func (i *Image) CUDA() bool { return strings.HasPrefix(i.Triple, "nvptx") }

// Parse reads all binaries in data, a section's bytes. Errors wrap ErrFormat and tell what is wrong and where, in bytes from the start of the data.
func Parse(data []byte) ([]Image, error) {
	var out []Image
	for rest := data; ; {
		if rest = bytes.TrimLeft(rest, "\x00"); len(rest) == 0 {
			return out, nil
		}
		b, err := newBinary(rest)
		if err == nil {
			out, err = b.images(out)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: at %#x: %w", ErrFormat, len(data)-len(rest), err)
		}
		rest = rest[len(b.data):]
	}
}

// offloadBinary is one binary; data is the whole of it.
type offloadBinary struct {
	data    []byte
	version uint32
	entries []byte
}

func newBinary(data []byte) (*offloadBinary, error) {
	if len(data) < headerSize || !bytes.HasPrefix(data, magic[:]) {
		return nil, errors.New("no magic")
	}
	b := &offloadBinary{data: data, version: binary.LittleEndian.Uint32(data[4:])}
	if b.version == 0 || b.version > newest {
		return nil, fmt.Errorf("version %d is not known", b.version)
	}
	size := word(data, 1)
	var ok bool
	if b.data, ok = part(data, 0, size); !ok || size < headerSize {
		return nil, fmt.Errorf("a binary of %#x bytes in %#x", size, len(data))
	}
	if b.version >= compressible && size >= headerSize+8 && word(b.data, 4) != 0 {
		return nil, errors.New("it is compressed")
	}
	at, n := word(b.data, 2), word(b.data, 3)
	if b.version < manyEntries { // the size of the one entry
		if n < entrySize {
			return nil, fmt.Errorf("an entry of %#x bytes", n)
		}
		n = 1
	}
	if n > size/entrySize {
		return nil, fmt.Errorf("%d entries in %#x bytes", n, size)
	}
	if b.entries, ok = part(b.data, at, n*entrySize); !ok {
		return nil, fmt.Errorf("%d entries at %#x of %#x bytes", n, at, size)
	}
	return b, nil
}

// images adds the images of the entries to out.
func (b *offloadBinary) images(out []Image) ([]Image, error) {
	for e := b.entries; len(e) > 0; e = e[entrySize:] {
		var img Image
		var ok bool
		if img.Data, ok = part(b.data, word(e, 3), word(e, 4)); !ok {
			return nil, fmt.Errorf("an image of %#x bytes at %#x of %#x", word(e, 4), word(e, 3), len(b.data))
		}
		if err := b.strings(&img, word(e, 1), word(e, 2)); err != nil {
			return nil, err
		}
		out = append(out, img)
	}
	return out, nil
}

// strings reads what the n keys and values at an offset say of an image.
func (b *offloadBinary) strings(img *Image, at, n uint64) error {
	size := uint64(16)
	if b.version >= manyEntries {
		size = 24
	}
	if n > maxStrings {
		return fmt.Errorf("%d strings", n)
	}
	table, ok := part(b.data, at, n*size)
	if !ok {
		return fmt.Errorf("%d strings at %#x of %#x bytes", n, at, len(b.data))
	}
	for ; len(table) > 0; table = table[size:] {
		key, okKey := b.text(word(table, 0))
		value, okValue := b.text(word(table, 1))
		if b.version >= manyEntries {
			var bytes []byte
			bytes, okValue = part(b.data, word(table, 1), word(table, 2))
			value = string(bytes[:min(len(bytes), maxString)])
		}
		if !okKey || !okValue {
			return fmt.Errorf("a string at %#x or %#x has no end", word(table, 0), word(table, 1))
		}
		switch key {
		case "triple":
			img.Triple = value
		case "arch":
			img.Arch = value
		}
	}
	return nil
}

// text is the NUL-ended string at an offset.
func (b *offloadBinary) text(at uint64) (string, bool) {
	if at > uint64(len(b.data)) {
		return "", false
	}
	tail := b.data[at:]
	value, _, ok := bytes.Cut(tail[:min(len(tail), maxString)], []byte{0})
	return string(value), ok
}

// word is the i-th number of eight bytes.
func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

// part is data[at:at+size], if there is so much.
func part(data []byte, at, size uint64) ([]byte, bool) {
	if at > uint64(len(data)) || size > uint64(len(data))-at {
		return nil, false
	}
	return data[at : at+size : at+size], true
}
