package link

import "slices"

// graph answers questions about the call graph. An indirect call of prototype p reaches every function whose address is
// taken and whose prototype is p; the sets are kept per prototype, so that callers and targets are not multiplied.
type graph struct {
	// byProto lists, per prototype, the address-taken functions in ascending rank.
	byProto [][]funcID
	// callers and protoCallers are the reversed edges, made when first needed.
	callers      [][]funcID
	protoCallers [][]funcID
	epoch        []uint32
	protoEpoch   []uint32
	now          uint32
	// entries are, by representative, the entries that reach a function; same is, by function, its representative.
	entries    map[funcID][]funcID
	same       []funcID
	entryPos   []int32 // position in Entries plus one
	components [][]funcID
}

func (g *graph) build(l *link) {
	g.byProto = make([][]funcID, len(l.Protos))
	for i := 1; i < len(l.Funcs); i++ {
		if f := &l.Funcs[i]; f.Taken && f.Proto != 0 {
			g.byProto[f.Proto] = append(g.byProto[f.Proto], funcID(i))
		}
	}
}

// callees returns f's callees as the reference lists them: for each prototype of f's indirect calls, newest first, the
// functions that it can reach, each put in front; then direct calls, newest first, repeated ones included.
func (l *link) callees(f funcID) []funcID {
	fn := &l.Funcs[f]
	out := make([]funcID, 0, len(fn.Calls))
	for _, p := range slices.Backward(fn.Indirect) {
		out = append(out, l.graph.byProto[p]...)
	}
	slices.Reverse(out)
	for _, c := range slices.Backward(fn.Calls) {
		out = append(out, c)
	}
	return out
}

// reverse makes the reversed edges.
func (g *graph) reverse(l *link) {
	if g.callers != nil {
		return
	}
	g.callers = make([][]funcID, len(l.Funcs))
	g.protoCallers = make([][]funcID, len(l.Protos))
	g.epoch = make([]uint32, len(l.Funcs))
	g.protoEpoch = make([]uint32, len(l.Protos))
	for i := 1; i < len(l.Funcs); i++ {
		for _, c := range l.Funcs[i].Calls {
			g.callers[c] = append(g.callers[c], funcID(i))
		}
		for _, p := range l.Funcs[i].Indirect {
			g.protoCallers[p] = append(g.protoCallers[p], funcID(i))
		}
	}
	g.entryPos = make([]int32, len(l.Funcs))
	for i, e := range l.Entries {
		g.entryPos[e] = int32(i) + 1
	}
}

// isKernel tells kernels, also those that are no entries of the image, from other functions.
func (l *link) isKernel(f funcID) bool { return l.Secs[l.Funcs[f].Text].Kernel }

// withRejected adds to entries the kernels among fns that are none, because a filter rejects them. What such a kernel's own
// code refers to counts as its own; what it reaches by calls does not (observed).
func (l *link) withRejected(entries, fns []funcID) []funcID {
	g := &l.graph
	g.reverse(l)
	g.now++
	entries = slices.Clip(entries)
	for _, f := range fns {
		if l.isKernel(f) && !l.Funcs[f].Entry && g.epoch[f] != g.now {
			g.epoch[f] = g.now
			entries = append(entries, f)
		}
	}
	return entries
}

// sccs returns the strongly connected components of the call graph, callees before callers. Prototypes take part as nodes, so that
// indirect calls cost one edge each. A function is recursive if its component has more than one function, or if it is among
// its own callees.
func (l *link) sccs() [][]funcID {
	g := &l.graph
	if g.components == nil {
		c := newComponents(l)
		for root := int32(1); root < c.functions; root++ {
			if c.index[root] == 0 {
				c.search(root)
			}
		}
		g.components = c.found
	}
	return g.components
}

// components is Tarjan's algorithm, with its own stack of calls instead of recursion: call graphs are as deep as they like.
// Nodes are functions by funcID, and from functions on prototypes by protoID.
type components struct {
	l         *link
	functions int32
	// index is the number of a node in the order of discovery, from 1; low is the least index known to be reachable.
	index, low []int32
	onStack    []bool
	stack      []int32
	next       int32
	found      [][]funcID
	members    []funcID // what found is made of
}

func newComponents(l *link) *components {
	nf := len(l.Funcs)
	n := nf + len(l.Protos)
	return &components{l: l, functions: int32(nf), index: make([]int32, n), low: make([]int32, n), onStack: make([]bool, n),
		next: 1, found: make([][]funcID, 0, nf), members: make([]funcID, 0, nf)}
}

// edge is the k-th node that v leads to: the calls of a function, then its prototypes; the functions of a prototype.
func (c *components) edge(v, k int32) (int32, bool) {
	if v >= c.functions {
		if t := c.l.graph.byProto[v-c.functions]; int(k) < len(t) {
			return int32(t[k]), true
		}
		return 0, false
	}
	f := &c.l.Funcs[v]
	if int(k) < len(f.Calls) {
		return int32(f.Calls[k]), true
	}
	if k -= int32(len(f.Calls)); int(k) < len(f.Indirect) {
		return c.functions + int32(f.Indirect[k]), true
	}
	return 0, false
}

// search discovers what root leads to.
func (c *components) search(root int32) {
	type frame struct{ node, edge int32 }
	c.discover(root)
	frames := []frame{{node: root}}
	for len(frames) > 0 {
		top := &frames[len(frames)-1]
		v := top.node
		if w, ok := c.edge(v, top.edge); ok {
			top.edge++
			if c.index[w] == 0 {
				c.discover(w)
				frames = append(frames, frame{node: w})
			} else if c.onStack[w] {
				c.low[v] = min(c.low[v], c.index[w])
			}
			continue
		}
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			p := frames[len(frames)-1].node
			c.low[p] = min(c.low[p], c.low[v])
		}
		if c.low[v] == c.index[v] {
			c.close(v)
		}
	}
}

func (c *components) discover(v int32) {
	c.index[v], c.low[v] = c.next, c.next
	c.next++
	c.stack = append(c.stack, v)
	c.onStack[v] = true
}

// close takes the component whose first node is v from the stack.
func (c *components) close(v int32) {
	start := len(c.members)
	for {
		w := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		c.onStack[w] = false
		if w < c.functions {
			c.members = append(c.members, funcID(w))
		}
		if w == v {
			break
		}
	}
	if len(c.members) > start {
		c.found = append(c.found, c.members[start:len(c.members):len(c.members)])
	}
}
