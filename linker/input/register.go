package input

import (
	"fmt"
	"strings"
)

// RegisterText is the content of the file that --register-link-binaries names: one line for each registration but those of the modules
// that the link left out (indices into Result.Modules).
func (r *Result) RegisterText(dropped []int) string {
	out := map[int]bool{}
	for _, m := range dropped {
		out[m] = true
	}
	var lines strings.Builder
	n := 0
	for _, reg := range r.Registrations {
		if reg.Module >= 0 && out[reg.Module] {
			continue
		}
		n++
		fmt.Fprintf(&lines, "DEFINE_REGISTER_FUNC(%s)\n", reg.ID)
	}
	return fmt.Sprintf("#define NUM_PRELINKED_OBJECTS %d\n", n) + lines.String()
}
