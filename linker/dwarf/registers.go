package dwarf

import "bytes"

// ClearRegisterRanges works on one input's blocks. present holds the names whose first description is still to come; it
// loses those that were met. A problem comes with its offset.
func ClearRegisterRanges(data []byte, present map[string]bool) (off uint64, problem string) {
	const cutOff = "a description of registers is cut off"
	o := 0
	for o < len(data) {
		n := bytes.IndexByte(data[o:], 0)
		if n < 0 || len(data)-o-n-1 < 4 {
			return uint64(o), cutOff
		}
		clearing := !present[string(data[o:o+n])]
		if !clearing {
			delete(present, string(data[o:o+n]))
		}
		o += n + 1
		count := le.Uint32(data[o:])
		o += 4
		for range count {
			if len(data)-o < 4 {
				return uint64(o), cutOff
			}
			n := bytes.IndexByte(data[o+4:], 0)
			if n < 0 || len(data)-(o+4+n+1) < 12 {
				return uint64(o), cutOff
			}
			o += 4 + n + 1 + 4
			if clearing {
				clear(data[o : o+8])
			}
			o += 8
		}
	}
	return 0, ""
}
