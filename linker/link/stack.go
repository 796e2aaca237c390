package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/diag"
)

// stackEntries are the functions whose stack size an image states: kernels and, unless there is exactly one of them,
// stubs of unified functions (observed).
func (l *link) stackEntries() []funcID {
	if l.uft == 0 || l.onlyEntry() {
		return l.Entries
	}
	return append(l.stubs(), l.Entries...)
}

// entriesByRank are the entries in the order in which the inputs first mention them.
func (l *link) entriesByRank() []funcID {
	return slices.SortedFunc(slices.Values(l.stackEntries()), cmp.Compare[funcID])
}

// entriesBySymbol are the entries in the order of the image's symbols: local and weak ones first. The records of their
// stack sizes stand in this order, while the warnings about them follow the inputs (observed).
func (l *link) entriesBySymbol() []funcID {
	return slices.SortedFunc(slices.Values(l.stackEntries()), func(a, b funcID) int {
		return cmp.Compare(l.Syms[l.Funcs[a].Sym].Index, l.Syms[l.Funcs[b].Sym].Index)
	})
}

// onlyEntry reports whether the image has a single entry, which then speaks for the whole image: it takes over attributes
// from functions that it does not reach, too. A kernel that the filter of kernels rejects, and that is there because its
// address is taken, does not count as such (observed).
func (l *link) onlyEntry() bool {
	return len(l.Entries) == 1 && l.Funcs[l.Entries[0]].Passes
}

// warnStacks reports entries whose stack size has no bound: once for each callee that is recursive or reaches a
// recursive function; a callee that stands twice counts twice (observed).
func (l *link) warnStacks() {
	if l.rel || l.NoStackSizeWarning {
		return
	}
	stack := l.attr.stack
	perProto := make([]int, len(l.Protos))
	for p, targets := range l.graph.byProto {
		for _, f := range targets {
			if stack[f] == recursive {
				perProto[p]++
			}
		}
	}
	for _, e := range l.entriesByRank() {
		n := 0
		for _, f := range l.Funcs[e].Calls {
			if stack[f] == recursive {
				n++
			}
		}
		for _, p := range l.Funcs[e].Indirect {
			n += perProto[p]
		}
		for range n {
			l.Diag.Report(diag.StackSizeUnknown, l.Syms[l.Funcs[e].Sym].Name)
		}
	}
}
