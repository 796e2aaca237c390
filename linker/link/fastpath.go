package link

import (
	"sync/atomic"

	"github.com/culink/culink/linker/sass"
)

// fastPath is EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE: which architectures the driver may carry the code over to without
// compiling it anew. It follows from the target, from tensor core use, and from the instructions of the functions that
// are in the image; what inputs say about themselves does not matter. Without any function it is 0 (observed).
func (l *link) fastPath(tcgen05 uint16) uint64 {
	var code []*section
	for _, s := range l.Secs[1:] {
		if s.Kind == kindText && len(s.Parts) > 0 && s.Parts[0].Sec != 0 {
			code = append(code, s)
		}
	}
	if len(code) == 0 {
		return 0
	}
	mask := l.profile.FastPath
	if tcgen05&3 == 2 || tcgen05>>2&3 == 2 {
		mask = l.profile.FastPathPair
	}
	if mask&fastPathFamily != 0 && l.anyHolds(code) {
		mask &^= fastPathFamily
	}
	return mask
}

// fastPathFamily is the bit for the other members of sm_100's family, whose code for some instructions is different.
const fastPathFamily = 8

func (l *link) anyHolds(code []*section) bool {
	var found atomic.Bool
	_ = l.parallel(len(code), func(i int) error {
		p := &code[i].Parts[0]
		if !found.Load() && sass.FamilySpecific(l.Inputs[p.In].File.Sections[p.Sec].Data) {
			found.Store(true)
		}
		return nil
	})
	return found.Load()
}
