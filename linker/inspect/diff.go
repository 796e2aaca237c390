package inspect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Difference is one fact that two files do not share.
type Difference struct {
	// Key names the fact by words that stay the same from run to run: "section .text.k size".
	Key string `json:"key"`
	// A and B are what the two files say; Absent where a file has no such fact.
	A string `json:"a"`
	B string `json:"b"`
}

// Absent is the value of a fact that a file does not have.
const Absent = "absent"

func (d Difference) String() string { return d.Key + ": " + d.A + " | " + d.B }

// Diff lists what sets two files apart, in the order of the first one. No difference means equal bytes.
func Diff(a, b *cubin.File) []Difference {
	if bytes.Equal(a.Data, b.Data) {
		return nil
	}
	out := compareFacts(Describe(a), Describe(b))
	out = append(out, compareOrder("order of sections", sectionKeys(a), sectionKeys(b))...)
	out = append(out, compareOrder("order of symbols", symbolKeys(a.Symbols, sectionKeys(a)), symbolKeys(b.Symbols, sectionKeys(b)))...)
	out = append(out, compareOrder("order of mercury symbols", symbolKeys(a.MercSymbols, sectionKeys(a)), symbolKeys(b.MercSymbols, sectionKeys(b)))...)
	out = append(out, compareContents(a, b)...)
	if len(out) == 0 {
		out = append(out, remainder(a.Data, b.Data))
	}
	slices.SortStableFunc(out, func(x, y Difference) int { return consequence(x.Key) - consequence(y.Key) })
	return out
}

// consequence is 1 for facts that change with the size of anything before them, which are listed last, else 0.
func consequence(key string) int {
	if strings.HasPrefix(key, "section ") && strings.HasSuffix(key, " offset") || strings.HasSuffix(key, " headers") || strings.HasPrefix(key, "segment ") {
		return 1
	}
	return 0
}

// compareFacts compares facts by key. A thing that only one file has is one difference: its parts are left out.
func compareFacts(a, b *Image) []Difference {
	fa, fb := a.facts(), b.facts()
	inA, inB := make(map[string]string, len(fa)), make(map[string]string, len(fb))
	for _, f := range fa {
		inA[f.key] = f.value
	}
	for _, f := range fb {
		inB[f.key] = f.value
	}
	var out []Difference
	lost := ""
	for _, f := range fa {
		v, ok := inB[f.key]
		switch {
		case lost != "" && strings.HasPrefix(f.key, lost+" "):
		case !ok:
			out, lost = append(out, Difference{f.key, f.value, Absent}), f.key
		case v != f.value && !summary(f.key):
			out = append(out, Difference{f.key, f.value, v})
		}
	}
	lost = ""
	for _, f := range fb {
		if _, ok := inA[f.key]; ok || lost != "" && strings.HasPrefix(f.key, lost+" ") {
			continue
		}
		out, lost = append(out, Difference{f.key, Absent, f.value}), f.key
	}
	return append(out, compareSequences(fa, fb)...)
}

// summary reports whether the fact is the one that sums a section or a symbol up: its parts are compared one by one.
func summary(key string) bool {
	for _, p := range []string{"section ", "symbol ", "mercury symbol "} {
		if rest, ok := strings.CutPrefix(key, p); ok {
			rest = strings.TrimPrefix(rest, "section ")
			return !strings.Contains(rest, " ")
		}
	}
	return false
}

// ordered are the groups of facts whose order in the file counts.
var ordered = []string{"attribute ", "call graph ", "prototype ", "note ", "relocation "}

// compareSequences reports groups that have the same facts in another order.
func compareSequences(a, b []fact) []Difference {
	var out []Difference
	for _, group := range ordered {
		sa, sb := keysOf(a, group), keysOf(b, group)
		if len(sa) == len(sb) {
			out = append(out, compareOrder("order of "+strings.TrimSpace(group)+" records", sa, sb)...)
		}
	}
	return out
}

func keysOf(facts []fact, prefix string) []string {
	var out []string
	for _, f := range facts {
		if strings.HasPrefix(f.key, prefix) {
			out = append(out, f.key)
		}
	}
	return out
}

// compareOrder compares the order of the names that both lists have.
func compareOrder(key string, a, b []string) []Difference {
	inA, inB := make(map[string]bool, len(a)), make(map[string]bool, len(b))
	for _, n := range a {
		inA[n] = true
	}
	for _, n := range b {
		inB[n] = true
	}
	j := 0
	for _, n := range a {
		if !inB[n] {
			continue
		}
		for j < len(b) && !inA[b[j]] {
			j++
		}
		if j == len(b) {
			return nil
		}
		if b[j] != n {
			return []Difference{{key, n, b[j]}}
		}
		j++
	}
	return nil
}

// remainder is the difference of files that have the same facts: bytes between sections, or parts that no fact states.
func remainder(a, b []byte) Difference {
	if len(a) != len(b) {
		return Difference{"size of the file", fmt.Sprint(len(a)), fmt.Sprint(len(b))}
	}
	i := firstDifference(a, b)
	return Difference{fmt.Sprintf("byte %#x of the file", i), fmt.Sprintf("%#02x", a[i]), fmt.Sprintf("%#02x", b[i])}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
