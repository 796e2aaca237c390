package link

import "bytes"

// registerNames clears the ranges of registers in .nv_debug_info_reg_sass for functions that are not in the image, for
// the second and later descriptions of one name, and for functions in the Mercury form (observed, from sm_100 on). The
// section is a list of blocks: a name, a count, and for each register half a name, a register number and a range.
func (r *relocator) registerNames() error {
	l := r.l
	for _, s := range l.Secs[1:] {
		if s.Kind != kindDebug || s.Name != ".nv_debug_info_reg_sass" || len(s.Data) == 0 {
			continue
		}
		present := make(map[string]bool, len(l.Funcs))
		for i := 1; i < len(l.Funcs); i++ {
			if y := &l.Syms[l.Funcs[i].Sym]; r.class[l.Funcs[i].Sym] == classFunction {
				present[y.Name] = r.aliasedEarly == nil || !r.aliasedEarly[i]
			}
		}
		for _, part := range s.Parts {
			if part.Sec == 0 {
				continue
			}
			in := l.Inputs[part.In]
			size := in.File.Sections[part.Sec].Size
			if off, problem := clearRegisterRanges(s.Data[part.Off:part.Off+size], present); problem != "" {
				return malformedDebug(in, part.Sec, off, problem)
			}
		}
	}
	return nil
}

// clearRegisterRanges works on one input's blocks. present holds the names whose first description is still to come; it
// loses those that were met. A problem comes with its offset.
func clearRegisterRanges(data []byte, present map[string]bool) (off uint64, problem string) {
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
