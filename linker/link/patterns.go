package link

import (
	"cmp"
	"slices"
	"strings"
)

// anywhere makes patterns of the pieces of names that -kernels-used and -variables-used list.
func anywhere(pieces []string) []string {
	patterns := make([]string, len(pieces))
	for i, p := range pieces {
		patterns[i] = "*" + p + "*"
	}
	return patterns
}

// patternSet tests names against thousands of patterns in one walk over the name: names without '*' are looked up; the
// longest text between the '*' of each other pattern is in an automaton (Aho and Corasick's), and only patterns whose text
// is somewhere in the name are tried.
type patternSet struct {
	exact map[string]bool
	all   bool // there is a pattern of nothing but '*'
	// patterns are those in the automaton, from 1 on; next is another one with the same text.
	patterns []string
	next     []int32
	// states of the automaton, from the root, 0, on; step leads from one by a byte to one that is a byte longer.
	states []patternState
	step   map[patternStep]int32
}

type patternStep struct {
	from int32
	by   byte
}

type patternState struct {
	patternStep       // how the state is reached from the one before
	depth       int32 // bytes of text
	// first is the first pattern whose text the state is, 0 if there is none.
	first int32
	// fall is the state of the longest other text that ends this one, ends the longest such that is a pattern's.
	fall, ends int32
}

func newPatternSet(patterns []string) *patternSet {
	p := &patternSet{exact: map[string]bool{}, patterns: []string{""}, next: []int32{0}, states: make([]patternState, 1), step: map[patternStep]int32{}}
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
func (p *patternSet) add(text, pattern string) {
	at := int32(0)
	for i := range len(text) {
		key := patternStep{at, text[i]}
		to, ok := p.step[key]
		if !ok {
			to = int32(len(p.states))
			p.states = append(p.states, patternState{patternStep: key, depth: p.states[at].depth + 1})
			p.step[key] = to
		}
		at = to
	}
	p.patterns = append(p.patterns, pattern)
	p.next = append(p.next, p.states[at].first)
	p.states[at].first = int32(len(p.patterns) - 1)
}

// link finds where states fall back to, those with short texts first.
func (p *patternSet) link() {
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
func (p *patternSet) follow(at int32, b byte) int32 {
	for {
		if to, ok := p.step[patternStep{at, b}]; ok || at == 0 {
			return to
		}
		at = p.states[at].fall
	}
}

func (p *patternSet) matches(name string) bool {
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
				if matchPattern(name, p.patterns[k]) {
					return true
				}
			}
		}
	}
	return false
}

// matchPattern matches a whole name; only '*' is special, for any run of bytes (observed).
func matchPattern(name, pattern string) bool {
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
