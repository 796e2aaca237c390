package link

import "github.com/culink/culink/linker/dwarf"

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
			if off, problem := dwarf.ClearRegisterRanges(s.Data[part.Off:part.Off+size], present); problem != "" {
				return malformedDebug(in, part.Sec, off, problem)
			}
		}
	}
	return nil
}
