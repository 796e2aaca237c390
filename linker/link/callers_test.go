package link

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// entriesOfRandomGraph makes some functions entries.
func entriesOfRandomGraph(r *rand.Rand) *link {
	l := randomGraph(r)
	for i := range l.Funcs[1:] {
		if r.IntN(3) == 0 {
			l.Entries = append(l.Entries, funcID(i+1))
		}
	}
	r.Shuffle(len(l.Entries), func(i, j int) { l.Entries[i], l.Entries[j] = l.Entries[j], l.Entries[i] })
	return l
}

func TestEntriesReachingAreThoseThatFollowCallsToAFunction(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	reaching := func(l *link, fns ...funcID) (want []funcID) {
		for _, e := range l.Entries {
			from := reachedFrom(l, e)
			if slices.ContainsFunc(fns, func(f funcID) bool { return from[f] }) {
				want = append(want, e)
			}
		}
		return want
	}
	for range 3000 {
		l := entriesOfRandomGraph(r)
		random := func() funcID { return funcID(1 + r.IntN(len(l.Funcs)-1)) }
		for i := 1; i < len(l.Funcs); i++ {
			f, other := funcID(i), random()
			if d := cmp.Diff(reaching(l, f), l.entriesReaching(f), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("function %d of %+v, entries %v: %s", f, l.Funcs, l.Entries, d)
			}
			if d := cmp.Diff(reaching(l, f, other), l.entriesReachingAny([]funcID{f, other}), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("functions %d and %d of %+v, entries %v: %s", f, other, l.Funcs, l.Entries, d)
			}
		}
	}
}

func TestFunctionsOfAChainShareTheirEntries(t *testing.T) {
	l := graphLink(1000, 0)
	for i := 1; i < 1000; i++ {
		l.Funcs[i].Calls = []funcID{funcID(i + 1)}
	}
	l.Entries = []funcID{1}
	l.graph.build(l)
	for i := 1; i <= 1000; i++ {
		if got := l.entriesReaching(funcID(i)); len(got) != 1 || got[0] != 1 {
			t.Fatalf("function %d: %v", i, got)
		}
	}
	if n := len(l.graph.entries); n != 1 {
		t.Errorf("%d walks for one chain", n)
	}
}

func TestGroupsAreFoundBehindFullWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var s groupSet
	have := map[int]bool{}
	for _, g := range r.Perm(300) {
		s.add(g)
		have[g] = true
		for w := range s.full {
			for bit := range 64 {
				if !have[64*w+bit] {
					t.Fatalf("word %d counts as full without group %d", w, 64*w+bit)
				}
			}
		}
	}
	if s.full != 300/64 {
		t.Errorf("%d full words of 300 groups", s.full)
	}
}
