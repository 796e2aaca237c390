package link

import "slices"

// graph answers questions about the call graph. An indirect call of prototype p reaches every function whose address is
// taken and whose prototype is p; the sets are kept per prototype, so that callers and targets are not multiplied.
type graph struct {
	// byProto lists, per prototype, the address-taken functions in ascending rank.
	byProto [][]FuncID
	// callers and protoCallers are the reversed edges, made when first needed.
	callers      [][]FuncID
	protoCallers [][]FuncID
	epoch        []uint32
	protoEpoch   []uint32
	now          uint32
	entries      map[FuncID][]FuncID
	entryPos     []int32 // position in Entries plus one
	components   [][]FuncID
}

func (g *graph) build(l *Link) {
	g.byProto = make([][]FuncID, len(l.Protos))
	for i := 1; i < len(l.Funcs); i++ {
		if f := &l.Funcs[i]; f.Taken && f.Proto != 0 {
			g.byProto[f.Proto] = append(g.byProto[f.Proto], FuncID(i))
		}
	}
}

// callees returns f's callees as the reference lists them: for each prototype of f's indirect calls, newest first, the
// functions that it can reach, each put in front; then direct calls, newest first, repeated ones included.
func (l *Link) callees(f FuncID) []FuncID {
	fn := &l.Funcs[f]
	out := make([]FuncID, 0, len(fn.Calls))
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
func (g *graph) reverse(l *Link) {
	if g.callers != nil {
		return
	}
	g.callers = make([][]FuncID, len(l.Funcs))
	g.protoCallers = make([][]FuncID, len(l.Protos))
	g.epoch = make([]uint32, len(l.Funcs))
	g.protoEpoch = make([]uint32, len(l.Protos))
	g.entries = map[FuncID][]FuncID{}
	for i := 1; i < len(l.Funcs); i++ {
		for _, c := range l.Funcs[i].Calls {
			g.callers[c] = append(g.callers[c], FuncID(i))
		}
		for _, p := range l.Funcs[i].Indirect {
			g.protoCallers[p] = append(g.protoCallers[p], FuncID(i))
		}
	}
	g.entryPos = make([]int32, len(l.Funcs))
	for i, e := range l.Entries {
		g.entryPos[e] = int32(i) + 1
	}
}

// entriesReaching returns the entries (members of l.Entries, in that order) that reach f by calls, f itself included
// if it is one. The result is shared: do not change it. It must not be called before merge is done, nor concurrently.
func (l *Link) entriesReaching(f FuncID) []FuncID {
	g := &l.graph
	g.reverse(l)
	if r, ok := g.entries[f]; ok {
		return r
	}
	var found []FuncID // kept, unlike the list of all callers
	for _, x := range l.callersOf(f) {
		if g.entryPos[x] != 0 {
			found = append(found, x)
		}
	}
	slices.SortFunc(found, func(a, b FuncID) int { return int(g.entryPos[a] - g.entryPos[b]) })
	g.entries[f] = found
	return found
}

// isKernel tells kernels, also those that are no entries of the image, from other functions.
func (l *Link) isKernel(f FuncID) bool { return l.Secs[l.Funcs[f].Text].Kernel }

// withRejected adds to entries the kernels among fns that are none, because a filter rejects them. What such a kernel's own
// code refers to counts as its own; what it reaches by calls does not (observed).
func (l *Link) withRejected(entries, fns []FuncID) []FuncID {
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

// callersOf returns every function that reaches f by calls, f itself included. It must not be called concurrently.
func (l *Link) callersOf(f FuncID) []FuncID {
	g := &l.graph
	g.reverse(l)
	g.now++
	found := []FuncID{f}
	g.epoch[f] = g.now
	push := func(callers []FuncID) {
		for _, c := range callers {
			if g.epoch[c] != g.now {
				g.epoch[c] = g.now
				found = append(found, c)
			}
		}
	}
	for i := 0; i < len(found); i++ {
		push(g.callers[found[i]])
		if fn := &l.Funcs[found[i]]; fn.Taken && fn.Proto != 0 && g.protoEpoch[fn.Proto] != g.now {
			g.protoEpoch[fn.Proto] = g.now
			push(g.protoCallers[fn.Proto])
		}
	}
	return found
}

// sccs returns the strongly connected components of the call graph, callees before callers (Tarjan's algorithm without
// recursion). Prototypes take part as nodes, so that indirect calls cost one edge each. A function is recursive if its
// component has more than one function, or if it is among its own callees.
func (l *Link) sccs() [][]FuncID {
	g := &l.graph
	if g.components != nil {
		return g.components
	}
	nf := len(l.Funcs)
	n := nf + len(l.Protos)
	index := make([]int32, n)
	low := make([]int32, n)
	onStack := make([]bool, n)
	type frame struct {
		node int32
		edge int32
	}
	edges := func(v, k int32) (int32, bool) {
		if int(v) >= nf {
			t := g.byProto[int(v)-nf]
			if int(k) < len(t) {
				return int32(t[k]), true
			}
			return 0, false
		}
		f := &l.Funcs[v]
		if int(k) < len(f.Calls) {
			return int32(f.Calls[k]), true
		}
		if k -= int32(len(f.Calls)); int(k) < len(f.Indirect) {
			return int32(nf) + int32(f.Indirect[k]), true
		}
		return 0, false
	}
	var stack []int32
	var frames []frame
	next := int32(1)
	components := make([][]FuncID, 0, nf)
	slab := make([]FuncID, 0, nf)
	for root := int32(1); root < int32(nf); root++ {
		if index[root] != 0 {
			continue
		}
		frames = append(frames[:0], frame{root, 0})
		for len(frames) > 0 {
			top := &frames[len(frames)-1]
			v := top.node
			if top.edge == 0 && index[v] == 0 {
				index[v], low[v] = next, next
				next++
				stack = append(stack, v)
				onStack[v] = true
			}
			if w, ok := edges(v, top.edge); ok {
				top.edge++
				if index[w] == 0 {
					frames = append(frames, frame{w, 0})
				} else if onStack[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			start := len(slab)
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				if int(w) < nf {
					slab = append(slab, FuncID(w))
				}
				if w == v {
					break
				}
			}
			if len(slab) > start {
				components = append(components, slab[start:len(slab):len(slab)])
			}
		}
	}
	g.components = components
	return components
}
