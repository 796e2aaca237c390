package link

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/diag"
)

// graphLink is a link that has a call graph and nothing else.
func graphLink(functions, protos int) *link {
	l := &link{Diag: &diag.Collector{}, Syms: make([]symbol, functions+1), Funcs: make([]function, functions+1), Protos: make([]string, protos+1)}
	for i := range l.Funcs {
		l.Funcs[i].Sym = symID(i)
		l.Syms[i].Func = funcID(i)
	}
	return l
}

// randomGraph has direct calls, calls through prototypes, and functions whose address is taken.
func randomGraph(r *rand.Rand) *link {
	l := graphLink(1+r.IntN(12), 3)
	for i := 1; i < len(l.Funcs); i++ {
		f := &l.Funcs[i]
		for range r.IntN(3) {
			f.Calls = append(f.Calls, funcID(1+r.IntN(len(l.Funcs)-1)))
		}
		if r.IntN(4) == 0 {
			f.Indirect = append(f.Indirect, protoID(1+r.IntN(3)))
		}
		if r.IntN(3) == 0 {
			f.Taken, f.Proto = true, protoID(r.IntN(4))
		}
	}
	l.graph.build(l)
	return l
}

// reachedFrom follows callees one by one.
func reachedFrom(l *link, f funcID) map[funcID]bool {
	seen := map[funcID]bool{}
	todo := []funcID{f}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[x] {
			seen[x] = true
			todo = append(todo, l.callees(x)...)
		}
	}
	return seen
}

// walkDepth is the definition of the stack size: the greatest sum over all paths.
func walkDepth(l *link, f funcID, size func(funcID) uint32, path map[funcID]bool) uint32 {
	if path[f] {
		return recursive
	}
	path[f] = true
	defer delete(path, f)
	best := uint32(0)
	for _, c := range l.callees(f) {
		best = max(best, walkDepth(l, c, size, path))
	}
	if best == recursive {
		return recursive
	}
	return best + size(f)
}

func TestReachFoldJoinsEveryReachedFunction(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		l := randomGraph(r)
		sums := reachFold(l, func(f funcID, into *uint64) { *into |= 1 << f }, func(into, from *uint64) { *into |= *from })
		for i := 1; i < len(l.Funcs); i++ {
			want := uint64(0)
			for f := range reachedFrom(l, funcID(i)) {
				want |= 1 << f
			}
			if got := *sums.of(funcID(i)); got != want {
				t.Fatalf("function %d of %+v: reaches %#x, want %#x", i, l.Funcs, got, want)
			}
		}
	}
}

func TestDeepestIsTheGreatestSumOverAllPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	size := func(f funcID) uint32 { return uint32(f) * 8 }
	for range 2000 {
		l := randomGraph(r)
		depth := l.deepest(size)
		for i := 1; i < len(l.Funcs); i++ {
			if want := walkDepth(l, funcID(i), size, map[funcID]bool{}); depth[i] != want {
				t.Fatalf("function %d of %+v: %#x, want %#x", i, l.Funcs, depth[i], want)
			}
		}
	}
}

// A ladder has two functions on each level that both call both functions of the next: 2^levels paths.
func TestLadderOfCallsTakesOneStepPerEdge(t *testing.T) {
	const levels = 4096
	l := graphLink(2*levels, 0)
	for i := 1; i <= 2*(levels-1); i++ {
		next := funcID((i+1)/2*2 + 1)
		l.Funcs[i].Calls = []funcID{next, next + 1}
	}
	l.graph.build(l)
	depth := l.deepest(func(funcID) uint32 { return 16 })
	if depth[1] != 16*levels {
		t.Errorf("depth %d, want %d", depth[1], 16*levels)
	}
}

func TestStackWarningForEachCalleeWithoutBound(t *testing.T) {
	// 1 is an entry that calls the recursive 2 twice, 3, which reaches 2, and 4, which is bounded.
	l := graphLink(5, 1)
	l.Syms[1].Name = "k"
	l.Funcs[1].Calls = []funcID{2, 4, 2, 3}
	l.Funcs[2].Calls = []funcID{2}
	l.Funcs[3].Calls = []funcID{2}
	// Through prototype 1 it reaches 5, which calls itself through the same prototype.
	l.Funcs[1].Indirect = []protoID{1}
	l.Funcs[5].Taken, l.Funcs[5].Proto, l.Funcs[5].Indirect = true, 1, []protoID{1}
	l.Entries = []funcID{1}
	l.graph.build(l)
	l.attr.stack = l.deepest(func(funcID) uint32 { return 0 })
	l.warnStacks()
	got := texts(l.Diag)
	const text = "Stack size for entry function 'k' cannot be statically determined"
	if d := cmp.Diff([]string{text, text, text, text}, got); d != "" {
		t.Error(d)
	}
	l.Diag = &diag.Collector{}
	l.NoStackSizeWarning = true
	if l.warnStacks(); len(l.Diag.Messages()) != 0 {
		t.Error("a suppressed warning was reported")
	}
}
