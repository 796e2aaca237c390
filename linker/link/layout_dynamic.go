package link

// dynamicUse is an instance of dynamic shared memory: one for each function that refers to it. With -g there is one for
// each symbol, and fn is 0.
type dynamicUse struct {
	fn  funcID
	sym symID
}

// neverReached is the value of an instance in a function that no kernel reaches (observed).
const neverReached = ^uint64(0)

// dynShared is where dynamic shared memory begins for the code of fn that refers to sym: an offset without the reserved bytes.
func (m *memory) dynShared(fn funcID, sym symID) uint64 {
	if v, ok := m.dynamic[dynamicUse{fn, 0}]; ok {
		return v
	}
	if v, ok := m.dynamic[dynamicUse{0, sym}]; ok {
		return v
	}
	return neverReached
}

// dynamicShared is where dynamic shared memory begins for a code section that refers to sym.
func (l *link) dynamicShared(text *section, sym symID) uint64 {
	return l.mem.dynShared(l.Syms[text.Fn].Func, sym)
}

// instance is a dynamicUse with the kernels that reach it, as indices of Kernels.
type instance struct {
	dynamicUse
	kernels []int32
}

// disjointSets are sets of the numbers from 0: each element has another one of its set, or itself.
type disjointSets []int32

func newDisjointSets(n int) disjointSets {
	d := make(disjointSets, n)
	for i := range d {
		d[i] = int32(i)
	}
	return d
}

// find returns the element that stands for i's set.
func (d disjointSets) find(i int32) int32 {
	for d[i] != i {
		d[i] = d[d[i]]
		i = d[i]
	}
	return i
}

// join makes one set of two.
func (d disjointSets) join(i, j int32) { d[d.find(i)] = d.find(j) }

// placeDynamic gives every instance its offset: behind the static memory of all kernels that reach it, aligned to 16.
// These kernels' memory then ends there at least, which may move other instances. So all kernels and instances that hang
// together end at one place, that of the largest, and one pass over the connected components finds them.
func (p *sharedPlan) placeDynamic() {
	l := p.l
	p.uses = make([]bool, len(p.own))
	l.mem.dynamic = map[dynamicUse]uint64{}
	instances := p.instances()
	sets := newDisjointSets(len(p.own))
	for _, in := range instances {
		for _, k := range in.kernels {
			p.uses[k] = true
			sets.join(k, in.kernels[0])
		}
	}
	largest := make([]uint64, len(p.own))
	for k, text := range l.Kernels {
		if p.uses[k] {
			if !l.hasSharedSection(text) { // of a kernel that a filter rejects
				l.Secs[l.sharedSection(text)].late = true
			}
			r := sets.find(int32(k))
			largest[r] = max(largest[r], l.dynamicStart(p.end[k]))
		}
	}
	for k := range p.own {
		if p.uses[k] {
			p.end[k] = largest[sets.find(int32(k))]
		}
	}
	for _, in := range instances {
		switch {
		case len(in.kernels) > 0:
			l.mem.dynamic[in.dynamicUse] = largest[sets.find(in.kernels[0])]
		case l.debugShared():
			l.mem.dynamic[in.dynamicUse] = l.dynamicStart(0)
		default:
			l.mem.dynamic[in.dynamicUse] = neverReached
		}
	}
}

// instances lists the instances of dynamic memory.
func (p *sharedPlan) instances() []instance {
	l := p.l
	var list []instance
	seen := map[funcID]bool{}
	for i := range p.arrays {
		v := &p.arrays[i]
		if l.debugShared() {
			list = append(list, instance{dynamicUse{0, v.sym}, p.kernelIndices(l.withRejected(l.entriesReachingAny(v.users), v.users))})
			continue
		}
		for _, fn := range v.users {
			if !seen[fn] {
				seen[fn] = true
				list = append(list, instance{dynamicUse{fn, 0}, p.kernelIndices(l.withRejected(l.entriesReaching(fn), []funcID{fn}))})
			}
		}
	}
	return list
}

func (p *sharedPlan) kernelIndices(entries []funcID) []int32 {
	ks := make([]int32, len(entries))
	for i, e := range entries {
		ks[i] = p.kernelAt[p.l.Funcs[e].Text] - 1
	}
	return ks
}

// dynamicSymbols sets the values of dynamic arrays, which images with -g show in .nv_debug.shared, and those with
// --preserve-relocs on sm_90 (as never placed: -1 below the reserved bytes).
func (p *sharedPlan) dynamicSymbols() {
	l := p.l
	for i := range p.arrays {
		v := &p.arrays[i]
		s := &l.Syms[v.sym]
		s.Sec = l.sharedFuncs
		switch {
		case l.debugShared():
			s.Value = l.mem.dynShared(0, v.sym)
			if len(p.grouped) > 0 || l.SM >= 100 {
				s.Value += p.shown
			} else {
				l.mem.dynamicUncounted = true
			}
		default:
			s.Value = neverReached + p.shown
		}
	}
}
