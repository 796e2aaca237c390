package fatbin

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// compatSize is the size of the .nv.compat block of an entry: a zero byte and the section's bytes but for its last.
const compatSize = 36

// cubinMajor is what every entry of a cubin has beside its ABI version (observed).
const cubinMajor = 1

// class32 is EI_CLASS of ELF32.
const class32 = 1

// Image is one linked cubin to be stored in a container.
type Image struct {
	Number  uint32 // of the SM
	Variant Variant
	Cubin   []byte
	// Compat is the section .nv.compat of the cubin (36 bytes), nil if it has none: up to sm_90.
	Compat []byte
	// Debug marks code with debug information.
	Debug bool
}

// Write returns a container with one plain entry per image, in their order, byte for byte what CUDA 13's fatbinary makes of
// the same images with -link (observed; -g, where it compresses and names the inputs, apart).
func Write(images []Image) ([]byte, error) {
	size := 0
	for i := range images {
		im := &images[i]
		if im.Compat != nil && len(im.Compat) != compatSize {
			return nil, fmt.Errorf("image for sm_%d%s: .nv.compat has %d bytes, not %d", im.Number, im.Variant, len(im.Compat), compatSize)
		}
		if len(im.Cubin) < 20 {
			return nil, fmt.Errorf("image for sm_%d%s: %w", im.Number, im.Variant, errors.New("not a cubin"))
		}
		size += im.headerSize() + align8(len(im.Cubin))
	}
	out := make([]byte, containerHeaderSize+size)
	le := binary.LittleEndian
	le.PutUint32(out, Magic)
	le.PutUint16(out[4:], containerVersion)
	le.PutUint16(out[6:], containerHeaderSize)
	le.PutUint64(out[8:], uint64(size))
	at := containerHeaderSize
	for i := range images {
		at += images[i].put(out[at:])
	}
	return out, nil
}

func (im *Image) headerSize() int {
	if im.Compat == nil {
		return entryHeaderSize
	}
	return align8(entryHeaderSize + 8 + compatSize)
}

// put writes the entry and returns its size.
func (im *Image) put(out []byte) int {
	le := binary.LittleEndian
	head, stored := im.headerSize(), align8(len(im.Cubin))
	flags := FlagLinux
	if im.Cubin[4] != class32 {
		flags |= Flag64Bit
	}
	if im.Debug {
		flags |= FlagDebug
	}
	switch im.Variant {
	case 'a':
		flags |= FlagA
	case 'f':
		flags |= FlagF
	}
	le.PutUint16(out[offKind:], uint16(KindCubin))
	le.PutUint16(out[offUnknown:], 0x0101)
	le.PutUint32(out[offHeaderSize:], uint32(head))
	le.PutUint64(out[offStored:], uint64(stored))
	le.PutUint16(out[offMinor:], uint16(im.Cubin[8])) // EI_ABIVERSION
	le.PutUint16(out[offMajor:], cubinMajor)
	le.PutUint32(out[offNumber:], im.Number)
	if im.Compat != nil {
		flags |= FlagMercury
		const text = entryHeaderSize + 8
		le.PutUint32(out[offText:], entryHeaderSize)
		le.PutUint32(out[entryHeaderSize:], text)
		le.PutUint32(out[entryHeaderSize+4:], compatSize)
		copy(out[text+1:text+compatSize], im.Compat)
	}
	le.PutUint64(out[offFlags:], uint64(flags))
	copy(out[head:], im.Cubin)
	return head + stored
}

func align8(n int) int { return (n + 7) &^ 7 }
