package link

import "slices"

// Which kernels need something that a function needs is asked of thousands of functions, most of which the same kernels
// reach: those along a chain of calls, those that call each other. Each such group has a representative, and one walk
// over the call graph answers for all of it.

// notReached is the representative of functions that no entry reaches.
const notReached funcID = 0

// representatives finds, for each function, one that the same entries reach. It visits each edge once, callers first: a
// function that is no entry has the representative of its callers if they have one in common.
func (g *graph) representatives(l *link) {
	if g.same != nil {
		return
	}
	g.reverse(l)
	g.entries = map[funcID][]funcID{}
	components := l.sccs()
	at := make([]int32, len(l.Funcs))
	for i, c := range components {
		for _, f := range c {
			at[f] = int32(i)
		}
	}
	g.same = make([]funcID, len(l.Funcs))
	protos := make([]commonCaller, len(l.Protos))
	for i, c := range slices.Backward(components) {
		var common commonCaller
		for _, f := range c {
			common.own = common.own || g.entryPos[f] != 0
			for _, from := range g.callers[f] {
				if at[from] != int32(i) {
					common.add(g.same[from])
				}
			}
			if fn := &l.Funcs[f]; fn.Taken && fn.Proto != 0 {
				p := &protos[fn.Proto]
				if !p.known {
					p.known = true
					for _, from := range g.protoCallers[fn.Proto] {
						// A caller in the component itself has no representative yet: its prototype has none in common.
						p.own = p.own || at[from] == int32(i)
						p.add(g.same[from])
					}
				}
				common.join(p)
			}
		}
		same := common.of
		if common.own {
			same = c[0]
		}
		for _, f := range c {
			g.same[f] = same
		}
	}
}

// commonCaller is what the callers of a function, or of a prototype, have in common.
type commonCaller struct {
	of    funcID // their representative; notReached without any
	own   bool   // there is none
	known bool
}

func (c *commonCaller) add(same funcID) {
	switch {
	case same == notReached, same == c.of:
	case c.of == notReached:
		c.of = same
	default:
		c.own = true
	}
}

func (c *commonCaller) join(other *commonCaller) {
	c.own = c.own || other.own
	c.add(other.of)
}

// entriesReaching returns the entries (members of l.Entries, in that order) that reach f by calls, f itself included
// if it is one. The result is shared: do not change it. It must not be called before merge is done, nor concurrently.
func (l *link) entriesReaching(f funcID) []funcID {
	l.graph.representatives(l)
	return l.entriesOf(l.graph.same[f])
}

// entriesOf returns the entries that reach a representative.
func (l *link) entriesOf(same funcID) []funcID {
	g := &l.graph
	if same == notReached {
		return nil
	}
	found, ok := g.entries[same]
	if !ok {
		found = l.entriesAmong(l.callersOf(same))
		g.entries[same] = found
	}
	return found
}

// entriesReachingAny returns the entries, in order, that reach some of the functions by calls. Unlike one question per
// function it costs one walk over the call graph. The result is shared: do not change it.
func (l *link) entriesReachingAny(fns []funcID) []funcID {
	g := &l.graph
	g.representatives(l)
	first := notReached
	for _, f := range fns {
		switch same := g.same[f]; {
		case same == notReached, same == first:
		case first == notReached:
			first = same
		default:
			return l.entriesAmong(l.callersOf(fns...))
		}
	}
	return l.entriesOf(first)
}

// entriesAmong returns the entries among functions, in the order of entries.
func (l *link) entriesAmong(fns []funcID) []funcID {
	g := &l.graph
	var found []funcID // kept, unlike the list of all callers
	for _, f := range fns {
		if g.entryPos[f] != 0 {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b funcID) int { return int(g.entryPos[a] - g.entryPos[b]) })
	return found
}

// callersOf returns every function that reaches some of fns by calls, they themselves included. It must not be called
// concurrently.
func (l *link) callersOf(fns ...funcID) []funcID {
	g := &l.graph
	g.reverse(l)
	g.now++
	var found []funcID
	push := func(callers []funcID) {
		for _, c := range callers {
			if g.epoch[c] != g.now {
				g.epoch[c] = g.now
				found = append(found, c)
			}
		}
	}
	push(fns)
	for i := 0; i < len(found); i++ {
		push(g.callers[found[i]])
		if fn := &l.Funcs[found[i]]; fn.Taken && fn.Proto != 0 && g.protoEpoch[fn.Proto] != g.now {
			g.protoEpoch[fn.Proto] = g.now
			push(g.protoCallers[fn.Proto])
		}
	}
	return found
}
