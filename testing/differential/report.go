package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// report counts outcomes.
type report struct {
	links, same, anew, mistaken, notComparable int
	options                                    map[string]*share
	groups                                     map[string]*group
	refused                                    map[string]*group // files that ptxas refuses
}

// share is how many of a number of links are the same.
type share struct{ links, same int }

// group is the cases that differ alike.
type group struct {
	count int
	first string
}

func newReport() *report {
	return &report{options: map[string]*share{}, groups: map[string]*group{}, refused: map[string]*group{}}
}

// refuse counts a file that ptxas does not compile.
func (r *report) refuse(seed uint64, text string) {
	line, _, _ := strings.Cut(text, "\n")
	addTo(r.refused, anonymous(line), fmt.Sprint(seed))
}

// addTo counts a case and reports whether it is the first of its group.
func addTo(groups map[string]*group, key, which string) bool {
	g := groups[key]
	if g == nil {
		g = &group{first: which}
		groups[key] = g
	}
	g.count++
	return g.count == 1
}

// count takes in a link and reports whether it is the first that differs in its way.
func (r *report) count(seed uint64, t target, j job, v verdict, key string) bool {
	switch v {
	case notLinked:
		return false
	case notComparable:
		r.notComparable++
		return false
	}
	r.links++
	names := append([]string{j.name}, j.args...)
	for i, n := range names {
		names[i], _, _ = strings.Cut(n, "=")
	}
	for _, n := range append(names, t.String()) {
		s := r.options[n]
		if s == nil {
			s = &share{}
			r.options[n] = s
		}
		s.links++
		if v != differs {
			s.same++
		}
	}
	switch v {
	case same:
		r.same++
	case anew:
		r.anew++
	case mistaken:
		r.mistaken++
	default:
		return addTo(r.groups, key, fmt.Sprintf("%d %v %s", seed, t, j.name))
	}
	return false
}

// differing is the number of links that differ.
func (r *report) differing() int { return r.links - r.same - r.anew - r.mistaken }

func (r *report) write(out io.Writer) {
	fmt.Fprintf(out, "\n%d links: %d the same, %d but for code made anew, %d but for functions that nvlink takes for others, %d differ; %d more that nvlink does not end well\n",
		r.links, r.same, r.anew, r.mistaken, r.differing(), r.notComparable)
	for _, name := range slices.Sorted(maps.Keys(r.options)) {
		s := r.options[name]
		fmt.Fprintf(out, "%7.2f %% of %5d %s\n", 100*float64(s.same)/float64(s.links), s.links, name)
	}
	writeGroups(out, "differences", r.groups)
	writeGroups(out, "refused by ptxas", r.refused)
}

func writeGroups(out io.Writer, title string, groups map[string]*group) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(out, "%s:\n", title)
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(groups[b].count-groups[a].count, strings.Compare(a, b))
	})
	for _, k := range keys {
		fmt.Fprintf(out, "%5d %s (%s)\n", groups[k].count, k, groups[k].first)
	}
}
