package inspect

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// instructionSize is the number of bytes that are compared together in code: an instruction, or half a bundle before sm_70.
const instructionSize = 16

// maxPlaces bounds how many places of one section are listed; the rest is counted.
const maxPlaces = 8

// compareContents compares the bytes of sections that both files have and that no decoder explains.
func compareContents(a, b *cubin.File) []Difference {
	other := make(map[string]int, len(b.Sections))
	for i, k := range sectionKeys(b) {
		other[k] = i
	}
	var out []Difference
	for i, k := range sectionKeys(a) {
		j, ok := other[k]
		if !ok || i == 0 {
			continue
		}
		sa, sb := &a.Sections[i], &b.Sections[j]
		switch {
		case sa.Type == cubin.SHTStrtab && sb.Type == cubin.SHTStrtab:
			out = append(out, compareStrings(k, sa.Data, sb.Data)...)
		case !decoded(sa) || !decoded(sb):
			out = append(out, compareBytes(k, sa, sb)...)
		}
	}
	return out
}

// compareBytes lists the places where two sections differ: instructions of code, 4-byte words elsewhere.
func compareBytes(key string, a, b *cubin.Section) []Difference {
	step, unit := 4, "bytes"
	if strings.HasPrefix(a.Name, ".text.") {
		step, unit = instructionSize, "code"
	}
	var out []Difference
	n, more := min(len(a.Data), len(b.Data)), 0
	for at := 0; at < n; at += step {
		end := min(at+step, n)
		x, y := a.Data[at:end], b.Data[at:end]
		if string(x) == string(y) {
			continue
		}
		if len(out) == maxPlaces {
			more++
			continue
		}
		out = append(out, Difference{fmt.Sprintf("section %s %s %#x", key, unit, at), fmt.Sprintf("% x", x), fmt.Sprintf("% x", y)})
	}
	if more > 0 {
		out = append(out, Difference{fmt.Sprintf("section %s %s further", key, unit), fmt.Sprintf("%d places", more), "differ"})
	}
	return out
}

// compareStrings reports the first string at which two string tables part.
func compareStrings(key string, a, b []byte) []Difference {
	sa, sb := strings.Split(string(a), "\x00"), strings.Split(string(b), "\x00")
	for i := range min(len(sa), len(sb)) {
		if sa[i] != sb[i] {
			return []Difference{{fmt.Sprintf("section %s string %d", key, i), fmt.Sprintf("%q", sa[i]), fmt.Sprintf("%q", sb[i])}}
		}
	}
	if len(sa) != len(sb) {
		return []Difference{{"section " + key + " strings", fmt.Sprint(len(sa)), fmt.Sprint(len(sb))}}
	}
	return nil
}
