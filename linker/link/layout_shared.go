package link

import (
	"cmp"
	"math"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// sharedVar is a variable in shared memory, or an array of dynamic shared memory.
type sharedVar struct {
	sym         symID
	align, size uint64
	addr        uint64
	users       []funcID // functions whose code refers to it
	entries     []funcID // kernels that reach one of them; for variables of functions only
	dynamic     bool
	// replaced marks a definition that a later one took the place of: it keeps its room, but the symbol is elsewhere.
	replaced bool
}

// sharedDef is a definition of a shared variable: the one that counts, or one that was replaced.
type sharedDef struct {
	sym         symID
	file        fileID
	number      int32 // in the symbol table of the file
	sec         secID
	align, size uint64
	replaced    bool
}

// coreBefore is the order of placement in one space: large alignments first, then small variables.
func coreBefore(p, q *sharedVar) bool {
	return p.align > q.align || p.align == q.align && p.size <= q.size
}

// groupBefore is the order in which variables of functions are considered: large ones first.
func groupBefore(p, q *sharedVar) bool { return p.size > q.size }

// sharedPlan is the layout of shared memory of an executable. Every kernel's shared memory begins at 0: first the
// variables of the functions that it reaches, at the same offsets in all kernels, then its own, then dynamic memory.
type sharedPlan struct {
	l *link
	// own are the variables of each kernel, kernelAt is its index by code section plus one.
	own      [][]sharedVar
	kernelAt []int32
	// functions are the variables and dynamic arrays outside kernels in the order of their definitions.
	functions []sharedVar
	// arrays are the dynamic arrays in the order of their first mentions.
	arrays []sharedVar
	// grouped are those that more than one kernel reaches, or none.
	grouped []sharedVar
	maximum uint64 // largest alignment among functions' variables; 0 when none is grouped
	end     []uint64
	align   []uint64
	total   uint64 // size of all groups
	dynamic bool   // some dynamic array is mentioned
	uses    []bool // by kernel: it reaches a dynamic array
	reserve uint64
	shown   uint64 // what symbols' values count of it
}

// sharedMemory lays out shared memory.
func (l *link) sharedMemory() error {
	p := &sharedPlan{l: l, reserve: l.sharedReserve(), shown: l.shownReserve()}
	p.kernelAt = make([]int32, len(l.Secs))
	for i, text := range l.Kernels {
		p.kernelAt[text] = int32(i) + 1
	}
	p.own = make([][]sharedVar, len(l.Kernels))
	if err := p.collect(); err != nil {
		return err
	}
	p.assignFunctions()
	p.placeGroups()
	p.placeEntries()
	p.placeDynamic()
	p.sections()
	p.functionsSection()
	p.symbols()
	p.limits()
	return nil
}

// sharedReserve is the number of bytes at the start of a kernel's shared memory that belong to the system. Sizes of
// sections and values of symbols count them, offsets in code do not (observed).
func (l *link) sharedReserve() uint64 {
	if l.rel || l.DisableSmemReserve {
		return 0
	}
	return uint64(l.profile.ReservedShared)
}

// shownReserve is what the values of shared variables' symbols count of the system's bytes: the same, but from sm_100 on
// --disable-smem-reservation leaves it as it is (observed).
func (l *link) shownReserve() uint64 {
	if !l.rel && l.SM >= 100 {
		return uint64(l.profile.ReservedShared)
	}
	return l.sharedReserve()
}

// sharedStart is the first offset that a variable may have: --reserve-null-pointer leaves 0 free (observed).
func (l *link) sharedStart() uint64 {
	if l.ReserveNullPointer {
		return 1
	}
	return 0
}

// keepsShared reports whether the image shows shared variables and .nv_debug.shared.
func (l *link) keepsShared() bool { return l.debugShared() || l.PreserveRelocs }

func (l *link) debugShared() bool { return l.Debug && !l.SuppressDebugInfo }

// collect lists the shared variables in the order of their definitions, dynamic arrays in that of their first mentions,
// and finds the functions that use them.
func (p *sharedPlan) collect() error {
	l := p.l
	uses, err := l.sharedUses()
	if err != nil {
		return err
	}
	for _, d := range l.sharedDefinitions(uses) {
		v := sharedVar{sym: d.sym, align: d.align, size: d.size, users: uses[d.sym], replaced: d.replaced}
		switch {
		case d.sec == 0:
			p.dynamic = true
			v.dynamic = true
			p.functions = append(p.functions, v)
			p.arrays = append(p.arrays, v)
		case l.Secs[d.sec].Kind == kindSharedEntry:
			if k := p.kernelAt[l.Secs[d.sec].Owner]; k != 0 {
				p.own[k-1] = append(p.own[k-1], v)
			}
		default:
			p.functions = append(p.functions, v)
		}
	}
	return nil
}

// sharedUses lists, by symbol, the functions whose code refers to a shared variable. A removed function counts: a
// variable that only dead code uses takes part in the layout (observed).
func (l *link) sharedUses() (map[symID][]funcID, error) {
	shared := func(y *cubin.Symbol) bool {
		return y.Type() == cubin.STTCudaObject && y.Space() == cubin.STOShared
	}
	lists, err := l.codeUses(false, shared, func(y *cubin.Symbol, _ uint32) bool { return shared(y) })
	if err != nil {
		return nil, err
	}
	uses := map[symID][]funcID{}
	for _, list := range lists {
		for _, u := range list {
			if fns := uses[u.sym]; u.fn != 0 && (len(fns) == 0 || fns[len(fns)-1] != u.fn) {
				uses[u.sym] = append(fns, u.fn)
			}
		}
	}
	return uses, nil
}

// sharedDefinitions lists the shared variables of the image in the order in which the inputs define them, dynamic arrays (sec
// is 0) in that of their first mentions. A definition that a later one replaced keeps its room beside it (observed).
// Instances of dynamic memory that an earlier relocatable link made count as one.
func (l *link) sharedDefinitions(uses map[symID][]funcID) []sharedDef {
	defs := slices.Clone(l.replacedShared)
	for i := range defs {
		d := &defs[i]
		in := l.Inputs[d.file]
		d.sec = in.Secs[l.view(in)[d.number].Shndx].Out
	}
	defs = slices.DeleteFunc(defs, func(d sharedDef) bool { return d.sec == 0 })
	for i := 1; i < len(l.Syms); i++ {
		id := symID(i)
		s := &l.Syms[id]
		if !s.Shared() || s.Dead {
			continue
		}
		switch {
		case id == l.instance:
		case s.Side == noSide:
			continue
		case s.Def == noFile && s.Size != 0:
			continue // a reference to an array of known size that nobody defines
		case s.Def != noFile && s.Sec == 0:
			continue
		case s.Def != noFile && s.Size == 0 && l.Secs[s.Sec].Kind == kindSharedFuncs:
			// A dynamic array that a relocatable link gave a section; code of another input may name it.
			defined := s.Def
			s.Def, s.Shndx, s.First = noFile, cubin.SHNUndef, defined
		}
		d := sharedDef{sym: id, file: s.Def, number: s.DefSym, sec: s.Sec, align: s.Value, size: s.Size}
		if s.Def == noFile {
			d.file, d.sec = s.First, 0
		}
		defs = append(defs, d)
	}
	slices.SortStableFunc(defs, func(a, b sharedDef) int {
		if c := cmp.Compare(a.file, b.file); c != 0 {
			return c
		}
		return cmp.Compare(a.number, b.number)
	})
	return defs
}

// assignFunctions decides which variables of functions become private to a kernel, and which take room in several or in none. Those
// that no code refers to take none.
func (p *sharedPlan) assignFunctions() {
	l := p.l
	list := p.functions
	for i := range list {
		v := &list[i]
		p.maximum = max(p.maximum, v.align)
		if !v.dynamic {
			if len(v.users) == 0 {
				l.Syms[v.sym].Value = p.shown
				l.Syms[v.sym].CodeRef = false // code that refers to it was replaced
			}
			v.entries = l.withRejected(l.entriesReachingAny(v.users), v.users)
		}
	}
	listSort(list, groupBefore)
	for _, v := range list {
		switch {
		case v.dynamic, len(v.users) == 0:
		case len(v.entries) == 1:
			k := p.kernelAt[l.Funcs[v.entries[0]].Text] - 1
			l.Syms[v.sym].Sec = l.sharedSection(l.Kernels[k])
			p.own[k] = append(p.own[k], v)
		default:
			p.grouped = append(p.grouped, v)
		}
	}
	if len(p.grouped) == 0 {
		p.maximum = 0
	}
}

// sharedName is the name of the section of a kernel's shared memory.
func (l *link) sharedName(text secID) string { return ".nv.shared." + l.Secs[text].functionName() }

// sharedSection is that section, created if need be.
func (l *link) sharedSection(text secID) secID { return l.sec(l.sharedName(text), text, 0) }

// hasSharedSection reports whether it was created.
func (l *link) hasSharedSection(text secID) bool { return l.hasChild(text, l.sharedName(text)) }

// functionName is the name of the function of a code section.
func (s *section) functionName() string { return s.Name[len(".text."):] }

// placeEntries places each kernel's own variables behind the groups that it uses.
func (p *sharedPlan) placeEntries() {
	p.end = make([]uint64, len(p.own))
	p.align = make([]uint64, len(p.own))
	for i := range p.grouped {
		v := &p.grouped[i]
		for _, e := range v.entries {
			k := p.kernelAt[p.l.Funcs[e].Text] - 1
			p.end[k] = max(p.end[k], v.addr+v.size)
		}
	}
	for k, list := range p.own {
		listSort(list, coreBefore)
		e := extent{p.end[k], max(p.maximum, 1)}
		if e.size == 0 && len(list) > 0 {
			e.size = p.l.sharedStart()
		}
		for i := range list {
			list[i].addr = e.add(list[i].size, list[i].align)
		}
		p.end[k], p.align[k] = e.size, e.align
	}
}

// sections sets sizes and alignments of kernels' shared sections and decides which of them exist: an empty one stays
// where dynamic memory keeps it at an alignment of exactly 16. From sm_100 on emptiness is tested before the reserved
// bytes are added (observed).
func (p *sharedPlan) sections() {
	l := p.l
	whole := l.wholeShared()
	for k, text := range l.Kernels {
		w, isWhole := whole[text]
		p.end[k], p.align[k] = max(p.end[k], w.size), max(p.align[k], w.align)
		size := p.end[k] + p.reserve
		tested := size
		if l.SM >= 100 {
			tested = p.end[k]
		}
		align := p.align[k]
		exists := p.end[k] > 0 || p.dynamic && p.maximum >= 16
		if p.uses[k] {
			exists, align = true, max(align, 16)
		}
		if !l.hasSharedSection(text) && p.end[k] == 0 {
			continue // a kernel that -kernels-used rejects has no section unless there is something to put into it
		}
		if l.Secs[l.sharedSection(text)].late {
			align = dynamicAlign // functions' alignments do not count then (observed)
		}
		if isWhole {
			exists = true
			switch {
			case l.SM >= 100:
			case w.size > 0:
				l.mem.nullValue += p.reserve // of a variable that has no symbol (observed)
			case !p.dynamic:
				size = 0
			}
		}
		s := l.Secs[l.sharedSection(text)]
		if !exists || tested == 0 && align != 16 {
			s.Drop = true
			continue
		}
		s.Size, s.Align, s.KeepEmpty = size, align, true
	}
}

// functionsSection decides what becomes of .nv_debug.shared: its variables have moved to the kernels, unless the image
// shows where they are.
func (p *sharedPlan) functionsSection() {
	l := p.l
	if l.sharedFuncs == 0 {
		return
	}
	s := l.Secs[l.sharedFuncs]
	align := max(p.maximum, 1)
	if p.dynamic {
		align = max(align, 16)
	}
	shown := l.keepsShared() && (p.total > 0 || p.dynamic)
	switch {
	case shown:
		s.Size = p.total + p.reserve
	case p.dynamic && align == 16:
		if l.SM >= 100 {
			s.Size = p.reserve
		}
	default:
		s.Drop = true
		return
	}
	s.Align, s.KeepEmpty = align, true
}

// symbols sets the values of variables: offsets in shared memory, the reserved bytes included. Of a variable with several
// definitions the one placed last counts, and below sm_100 the reserved bytes are added for each (the reference's fault; code has the
// right offsets, since it does not contain the reserved bytes).
func (p *sharedPlan) symbols() {
	set := func(list []sharedVar) {
		for i := range list {
			v := &list[i]
			p.l.Syms[v.sym].Value = v.addr + p.shown
			if v.replaced && !p.l.Mercury {
				if p.l.mem.sharedTwice == nil {
					p.l.mem.sharedTwice = map[symID]bool{}
				}
				p.l.mem.sharedTwice[v.sym] = true
			}
		}
	}
	set(p.grouped)
	for _, list := range p.own {
		set(list)
	}
	for id := range p.l.mem.sharedTwice {
		p.l.Syms[id].Value += p.shown
	}
	p.dynamicSymbols()
}

// sharedOffset is the offset of a shared variable in code, which does not count the reserved bytes.
func (l *link) sharedOffset(id symID) uint64 {
	at := l.Syms[id].Value - l.shownReserve()
	if l.mem.sharedTwice[id] {
		at -= l.shownReserve()
	}
	return at
}

// limits notes kernels whose static shared memory is too large. Without the reserved bytes sm_90 still takes them off. The
// reference also holds what .nv_debug.shared shows to the limit of a kernel, in the order of creation (observed).
func (p *sharedPlan) limits() {
	l := p.l
	limit := l.sharedMax()
	if limit == 0 {
		return
	}
	off := uint64(0)
	if l.DisableSmemReserve && l.SM < 100 {
		off = uint64(l.profile.ReservedShared)
	}
	debug := noSharedSection
	if l.AsReference && l.sharedFuncs != 0 && l.keepsShared() && p.total > limit+off {
		debug = l.sharedFuncs
	}
	exceeds := func(sec secID, name string, size uint64) {
		l.mem.excessShared = append(l.mem.excessShared, excess{sec, name, size, limit})
	}
	for k, text := range l.Kernels {
		size := p.end[k] - min(off, p.end[k])
		if size <= limit {
			continue
		}
		sec := l.sharedSection(text)
		if debug < sec {
			exceeds(debug, debugSharedOwner, p.total-off)
			debug = noSharedSection
		}
		exceeds(sec, l.Secs[text].functionName(), size)
	}
	if debug != noSharedSection {
		exceeds(debug, debugSharedOwner, p.total-off)
	}
}

const (
	// debugSharedOwner is how the reference names the owner of .nv_debug.shared, which has none: with its eleventh letter
	// the function's name begins in the name of any other section of shared memory (observed).
	debugSharedOwner = "hared"
	noSharedSection  = secID(math.MaxInt32)
)

// sharedMax is the most bytes of static shared memory of a kernel; 0 if the release does not know the target.
func (l *link) sharedMax() uint64 {
	a := arch.Arch{SM: l.SM}
	if l.Suffix != "" {
		a.Suffix = arch.Suffix(l.Suffix[0])
	}
	return uint64(l.tool.SharedMax(a, l.ExtendedSmem))
}
