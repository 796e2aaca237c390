package link

import "context"

// graph answers questions of reachability; see callees, reachesAny and entriesReaching.
type graph struct{}

func (l *Link) reach(ctx context.Context) error { return nil }

// callees returns f's callees as the reference lists them: for each prototype of f's indirect calls, newest first, the
// functions that it can reach, newest first in front; then direct calls, newest first, repeated ones included.
func (l *Link) callees(f FuncID) []FuncID { return nil }

// entriesReaching returns the entries (members of l.Entries, in that order) that reach f by calls, f itself included
// if it is one. The result is shared: do not change it.
func (l *Link) entriesReaching(f FuncID) []FuncID { return nil }

// sccs returns the strongly connected components of the call graph, callees before callers: recursion is a component of more than
// one function or with an edge to itself.
func (l *Link) sccs() [][]FuncID { return nil }

// forEachSection/forEach run fn(i) for 0 <= i < n on up to Jobs goroutines.
func (l *Link) parallel(n int, fn func(i int) error) error {
	for i := range n {
		if err := fn(i); err != nil {
			return err
		}
	}
	return nil
}
