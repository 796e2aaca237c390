package cli

import (
	"sort"

	"github.com/culink/culink/linker/arch"
)

// archNames lists the values of --arch for a release, sorted as text: compute_, lto_ and sm_ names.
func archNames(t *arch.Toolkit) []string {
	var out []string
	for _, a := range t.Archs() {
		for _, k := range []arch.Kind{arch.Real, arch.Virtual, arch.LTO} {
			out = append(out, arch.Name{Arch: a, Kind: k}.String())
		}
	}
	sort.Strings(out)
	return out
}
