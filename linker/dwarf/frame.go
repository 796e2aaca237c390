package dwarf

import "fmt"

// FrameForm is where things stand in a record of .debug_frame, in bytes: a length, then the CIE's mark or the FDE's pointer to its
// CIE. The zero value is no form.
type FrameForm struct {
	word    int // size of lengths, pointers and addresses
	head    int // bytes that the length does not count; then the mark or the pointer
	address int // offset of an FDE's initial location, the range follows
	body    int // where the instructions begin
}

// Frame32 and Frame64 are the forms that device compilers write, by the file's class: with a length of 4 bytes, or with ffffffff and a
// length of 8.
func Frame32() FrameForm { return FrameForm{word: 4, head: 4, address: 8, body: 16} }

// Frame64 is the form of ELF64 files.
func Frame64() FrameForm { return FrameForm{word: 8, head: 12, address: 20, body: 36} }

// Address is the offset of an FDE's initial location in bytes.
func (f FrameForm) Address() uint64 { return uint64(f.address) }

// Range is the offset of the length of the code that an FDE describes.
func (f FrameForm) Range() uint64 { return uint64(f.body - f.word) }

// Record cuts off the first CIE or FDE of data, or says what is wrong with it. It can then be given to the other methods.
func (f FrameForm) Record(data []byte) (rec []byte, problem string) {
	if len(data) < f.address {
		return nil, "a frame entry is cut off"
	}
	if wide := le.Uint32(data) == 0xffffffff; wide != (f.word == 8) {
		return nil, fmt.Sprintf("a frame entry is not in the %d-bit form of DWARF", 8*f.word)
	}
	n := f.at(data, f.head-f.word)
	if n > uint64(len(data)-f.head) {
		return nil, "a frame entry reaches past the end of its section"
	}
	rec = data[:uint64(f.head)+n]
	least := f.body
	if len(rec) >= f.address && f.IsCIE(rec) {
		least = f.address
	}
	if len(rec) < least {
		return nil, "a frame entry is too short"
	}
	return rec, ""
}

// at reads a word.
func (f FrameForm) at(b []byte, off int) uint64 {
	if f.word == 4 {
		return uint64(le.Uint32(b[off:]))
	}
	return le.Uint64(b[off:])
}

// IsCIE tells a CIE from an FDE by the mark in place of the pointer.
func (f FrameForm) IsCIE(rec []byte) bool {
	for _, b := range rec[f.head : f.head+f.word] {
		if b != 0xff {
			return false
		}
	}
	return true
}

// SetCIE sets an FDE's pointer to its CIE, an offset in the section.
func (f FrameForm) SetCIE(fde []byte, cie uint64) {
	if f.word == 4 {
		le.PutUint32(fde[f.head:], uint32(cie))
		return
	}
	le.PutUint64(fde[f.head:], cie)
}

// Bare is an FDE in the form of Frame64 for the code that fde, of this form, too, describes: without instructions but for 4 bytes that fill it.
func (f FrameForm) Bare(fde []byte) []byte {
	const fill = 4
	out := make([]byte, 0, f.body+fill)
	out = append(out, 0xff, 0xff, 0xff, 0xff)
	out = le.AppendUint64(out, uint64(f.body+fill-f.head))
	out = append(out, fde[f.head:f.body]...)
	return append(out, make([]byte, fill)...)
}
