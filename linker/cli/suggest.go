package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
)

// suggest proposes the option that is most like an unknown one, both without their first dash; empty if none is.
func (p *parser) suggest(name string) string {
	best, least := "", 1+len(name)/3
	for _, known := range slices.Sorted(maps.Keys(p.names)) {
		if d := distance(strings.TrimPrefix(name, "-"), strings.TrimPrefix(known, "-")); d < least {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean -" + best + "?"
}

// nearest is the value that is most like a wrong one, empty if none is or several are as much.
func nearest(wrong string, values []string) string {
	best, least := "", 2+len(wrong)/4
	for _, v := range values {
		switch d := distance(wrong, v); {
		case d < least:
			best, least = v, d
		case d == least:
			best = ""
		}
	}
	return best
}

// distance is the number of letters to insert, remove or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(replaced, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}

// asValue says which option a wrong value was given to.
func (o *option) asValue() string { return "this is the value of --" + o.messageName() + "." }

// values says which values an option takes in place of a wrong one: of --arch the machine code of a release.
func (o *option) values(t *arch.Toolkit, wrong string) string {
	names, text := slices.Concat(o.Allowed, o.OwnAllowed), "it takes "
	if o == &options[optArch] {
		names, text = machineCode(t), "CUDA "+t.Name+" links for "
	}
	text += strings.Join(names, ", ") + "."
	if like := nearest(wrong, names); like != "" {
		return "did you mean " + like + "? " + text
	}
	return text
}

// machineCode are the architectures that a release links for.
func machineCode(t *arch.Toolkit) []string {
	var names []string
	archs := t.Archs()
	slices.SortFunc(archs, func(a, b arch.Arch) int { return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(a.Suffix, b.Suffix)) })
	for _, a := range archs {
		names = append(names, arch.Name{Arch: a, Kind: arch.Real}.String())
	}
	return names
}
