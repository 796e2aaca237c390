package link

// recursive is the stack size of a function whose call paths come back to a function of the path: no bound is known.
const recursive = ^uint32(0)

// deepest returns, by funcID, the greatest sum of sizes over the call paths that begin with a function, or recursive if
// some path meets a function twice (also a direct self-call). It visits each edge once; the reference walks each path.
func (l *link) deepest(size func(funcID) uint32) []uint32 {
	depth := make([]uint32, len(l.Funcs))
	perProto := make([]uint32, len(l.Protos))
	knownProto := make([]bool, len(l.Protos))
	for _, c := range l.sccs() {
		f := c[0]
		if len(c) > 1 || l.callsItself(f) {
			for _, f := range c {
				depth[f] = recursive
			}
			continue
		}
		best := uint32(0)
		for _, to := range l.Funcs[f].Calls {
			best = max(best, depth[to])
		}
		for _, p := range l.Funcs[f].Indirect {
			if !knownProto[p] {
				// Components come callees first, and f is not among the targets: all of them are known.
				knownProto[p] = true
				for _, to := range l.graph.byProto[p] {
					perProto[p] = max(perProto[p], depth[to])
				}
			}
			best = max(best, perProto[p])
		}
		if best != recursive {
			best += size(f)
		}
		depth[f] = best
	}
	return depth
}

// callsItself reports whether f is one of its own callees, or is said to have a callee of that kind in its own code.
func (l *link) callsItself(f funcID) bool {
	fn := &l.Funcs[f]
	if fn.Unbounded {
		return true
	}
	for _, to := range fn.Calls {
		if to == f {
			return true
		}
	}
	if fn.Taken && fn.Proto != 0 {
		for _, p := range fn.Indirect {
			if p == fn.Proto {
				return true
			}
		}
	}
	return false
}

// reachFold joins a value of every function with those of all functions that it reaches by calls. Functions that reach
// each other have one value in common. join must not depend on order or repetition: sets, maxima, unions.
// own adds the value of one function; it is called once for each.
func reachFold[T any](l *link, own func(f funcID, into *T), join func(into, from *T)) reachValues[T] {
	components := l.sccs()
	r := reachValues[T]{component: make([]int32, len(l.Funcs)), values: make([]T, len(components))}
	type protoState struct {
		known bool
		// component is the component that the prototype's targets are part of, plus one.
		component int32
		value     *T
	}
	protos := make([]protoState, len(l.Protos))
	joined := make([]int32, len(components)) // the component (plus one) into which a component was joined last
	for i, c := range components {
		for _, f := range c {
			r.component[f] = int32(i)
		}
		v := &r.values[i]
		joinComponent := func(from int32) {
			if from != int32(i) && joined[from] != int32(i)+1 {
				joined[from] = int32(i) + 1
				join(v, &r.values[from])
			}
		}
		for _, f := range c {
			own(f, v)
			for _, to := range l.Funcs[f].Calls {
				joinComponent(r.component[to])
			}
			for _, p := range l.Funcs[f].Indirect {
				s := &protos[p]
				if !s.known {
					s.known, s.value = true, new(T)
					last := int32(-1)
					for _, to := range l.graph.byProto[p] {
						switch from := r.component[to]; {
						case from == int32(i):
							s.component = from + 1
						case from != last:
							last = from
							join(s.value, &r.values[from])
						}
					}
					join(v, s.value)
				} else if s.component != 0 {
					joinComponent(s.component - 1)
				} else {
					join(v, s.value)
				}
			}
		}
	}
	return r
}

// reachValues are the results of reachFold.
type reachValues[T any] struct {
	component []int32
	values    []T
}

// of is the value of f and everything that it reaches.
func (r *reachValues[T]) of(f funcID) *T { return &r.values[r.component[f]] }
