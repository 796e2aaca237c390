package glob

import (
	"cmp"
	"slices"
	"strings"
)

// Containing makes patterns of pieces: each matches the names that have the piece anywhere. A '*' in a piece is any run of bytes, too.
func Containing(pieces []string) []string {
	patterns := make([]string, len(pieces))
	for i, p := range pieces {
		patterns[i] = "*" + p + "*"
	}
	return patterns
}

// Set tests names against thousands of patterns in one walk over the name: names without '*' are looked up; the
// longest text between the '*' of each other pattern is in an automaton (Aho and Corasick's), and only patterns whose text
// is somewhere in the name are tried.
type Set struct {
	exact map[string]bool
	all   bool // there is a pattern of nothing but '*'
	// patterns are those in the automaton, from 1 on; next is another one with the same text.
	patterns []string
	next     []int32
	// states of the automaton, from the root, 0, on; step leads from one by a byte to one that is a byte longer.
	states []state
	step   map[edge]int32
}

type edge struct {
	from int32
	by   byte
}

type state struct {
	edge        // how the state is reached from the one before
	depth int32 // bytes of text
	// first is the first pattern whose text the state is, 0 if there is none.
	first int32
	// fall is the state of the longest other text that ends this one, ends the longest such that is a pattern's.
	fall, ends int32
}

// NewSet prepares patterns: whole names, in which '*' alone is special, for any run of bytes. It takes time and memory in proportion to their
// lengths.
func NewSet(patterns []string) *Set {
	p := &Set{exact: map[string]bool{}, patterns: []string{""}, next: []int32{0}, states: make([]state, 1), step: map[edge]int32{}}
	seen := map[string]bool{}
	for _, s := range patterns {
		if seen[s] {
			continue
		}
		seen[s] = true
		pieces := strings.Split(s, "*")
		longest := slices.MaxFunc(pieces, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		switch {
		case len(pieces) == 1:
			p.exact[s] = true
		case longest == "":
			p.all = true
		default:
			p.add(longest, s)
		}
	}
	p.link()
	return p
}

// add enters a pattern under its text.
func (p *Set) add(text, pattern string) {
	at := int32(0)
	for i := range len(text) {
		key := edge{at, text[i]}
		to, ok := p.step[key]
		if !ok {
			to = int32(len(p.states))
			p.states = append(p.states, state{edge: key, depth: p.states[at].depth + 1})
			p.step[key] = to
		}
		at = to
	}
	p.patterns = append(p.patterns, pattern)
	p.next = append(p.next, p.states[at].first)
	p.states[at].first = int32(len(p.patterns) - 1)
}

// link finds where states fall back to, those with short texts first.
func (p *Set) link() {
	order := make([]int32, len(p.states))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(p.states[a].depth, p.states[b].depth) })
	for _, i := range order[1:] {
		s := &p.states[i]
		if s.depth > 1 {
			s.fall = p.follow(p.states[s.from].fall, s.by)
		}
		if s.ends = s.fall; p.states[s.fall].first == 0 {
			s.ends = p.states[s.fall].ends
		}
	}
}

// follow is the state after one more byte.
func (p *Set) follow(at int32, b byte) int32 {
	for {
		if to, ok := p.step[edge{at, b}]; ok || at == 0 {
			return to
		}
		at = p.states[at].fall
	}
}

// Matches reports whether one of the patterns matches the name.
func (p *Set) Matches(name string) bool {
	if p.all || p.exact[name] {
		return true
	}
	if len(p.states) == 1 {
		return false
	}
	at := int32(0)
	for i := range len(name) {
		at = p.follow(at, name[i])
		for text := at; text != 0; text = p.states[text].ends {
			for k := p.states[text].first; k != 0; k = p.next[k] {
				if match(name, p.patterns[k]) {
					return true
				}
			}
		}
	}
	return false
}

// match matches a whole name; only '*' is special, for any run of bytes (observed).
func match(name, pattern string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return name == pattern
	}
	name, ok := strings.CutPrefix(name, pieces[0])
	if !ok {
		return false
	}
	for _, p := range pieces[1 : len(pieces)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, pieces[len(pieces)-1])
}
