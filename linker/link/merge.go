package link

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/slab"
)

// merge creates the image's sections and symbols in the order in which the reference creates them: that order is the
// order of names, numbers and addresses (observed). It is one sequential walk that moves no bytes.
func (l *link) merge(ctx context.Context) error {
	sections := 64
	for _, in := range l.Inputs {
		sections += len(in.Secs) // few inputs make more; what is not used is not touched
	}
	l.Secs = slab.Cap[*section](1, sections)
	l.Secs[0] = &section{}
	l.singles, l.resolved = map[string]secID{}, map[string]secID{}
	l.shstrtab = l.sec(".shstrtab", 0, 0)
	l.strtab = l.sec(".strtab", 0, 0)
	l.symtab = l.sec(".symtab", 0, 0)
	l.symtabShndx = l.sec(".symtab_shndx", 0, 0)
	if l.ABI == 8 {
		l.tkinfo = l.sec(".note.nv.tkinfo", 0, 0)
		l.cuinfo = l.sec(".note.nv.cuinfo", 0, 0)
	}
	l.earlyEntries()
	l.info = l.sec(".nv.info", 0, 0)
	if l.hasCompat() {
		l.compat = l.sec(".nv.compat", 0, 0)
	}
	l.indexSection()
	l.created++ // a section of which no image shows anything but the gap in the numbers (observed)
	m := &merger{l: l}
	for _, in := range l.Inputs {
		m.input(in)
	}
	m.commons()
	l.callgraph = l.sec(".nv.callgraph", 0, 0)
	l.prototype = l.sec(".nv.prototype", 0, 0)
	m.entries()
	m.dropLosers()
	if l.Mercury {
		m.parameterBanks()
	}
	if l.rel && !l.KeepSettledRelocs {
		m.externInstances()
	}
	return nil
}

// sec returns the section of that name, owner and target, creating it and its section symbol if need be.
func (l *link) sec(name string, owner, target secID) secID {
	parent := max(owner, target)
	if parent == 0 {
		id, ok := l.singles[name]
		if !ok {
			id = l.newSec(name, 0, 0)
			l.singles[name] = id
		}
		return id
	}
	// What belongs to a section is few: a walk over them costs less than a map of all sections.
	for id := l.Secs[parent].firstChild; id != 0; id = l.Secs[id].sibling {
		if s := l.Secs[id]; s.Owner == owner && s.Target == target && s.Name == name && !s.Drop {
			return id
		}
	}
	id := l.newSec(name, owner, target)
	p := l.Secs[parent]
	if p.firstChild == 0 {
		p.firstChild = id
	} else {
		l.Secs[p.lastChild].sibling = id
	}
	p.lastChild = id
	return id
}

// hasChild reports whether a section has one of that name that belongs to it.
func (l *link) hasChild(owner secID, name string) bool {
	for id := l.Secs[owner].firstChild; id != 0; id = l.Secs[id].sibling {
		if l.Secs[id].Name == name {
			return true
		}
	}
	return false
}

func (l *link) newSec(name string, owner, target secID) secID {
	id := secID(len(l.Secs))
	s := &l.slabs.sections.Take(1)[0]
	l.created++
	*s = section{ID: id, born: l.created, Name: name, Kind: kindOf(name, owner != 0), Owner: owner, Target: target}
	l.Secs = append(l.Secs, s)
	// The parameter bank's relocations are created before the bank's own symbol.
	switch {
	case s.Kind == kindConstEntry && !l.rel && !l.Mercury:
		l.sec(l.slabs.name(l.relPrefix(), name), 0, id)
	case s.Kind == kindConstIndices:
		l.sec(l.slabs.name(".rela", name), 0, id)
	}
	s.Sym = l.linkerSymbol(symbol{Name: name, Info: uint8(cubin.STTSection), Of: id, Sec: id, Def: noFile, First: noFile})
	return id
}

// addPart appends a contribution to a section. Most sections have one, which comes out of a slab.
func (l *link) addPart(s *section, p part) {
	if s.Parts == nil {
		s.Parts = l.slabs.parts.Take(1)[:0]
	}
	s.Parts = append(s.Parts, p)
}

// relPrefix is how the name of the section for the linker's own entries without addends begins.
func (l *link) relPrefix() string {
	if l.ForceRela {
		return ".rela"
	}
	return ".rel"
}

// linkerSymbol adds a symbol of the linker's own to the local side.
func (l *link) linkerSymbol(s symbol) symID {
	id := symID(len(l.Syms))
	s.Side = localSide
	l.Syms = append(l.Syms, s)
	l.Local = append(l.Local, id)
	return id
}

type merger struct {
	l *link
	// renamed counts the compiler constants of an input that got a name of the linker's (Mercury).
	renamed int
	// bySection: the third walk asks for a section that no symbol asked for.
	bySection bool
	// constPlace is where a function's constants are in FuncConsts, plus one, by code section.
	constPlace map[secID]int
	seenProto  []bool
	externs    []externUse
	ghosts     ghosts
}

func (m *merger) input(in *input) {
	m.functions(in)
	m.objects(in)
	m.unallocated(in)
	m.tables(in)
}

// functions is the first walk: function symbols, and the code sections that they create.
func (m *merger) functions(in *input) {
	view := m.l.view(in)
	for i := 1; i < len(view); i++ {
		if view[i].Type() != cubin.STTFunc || in.Syms[i] == 0 {
			continue
		}
		if owner := in.ownerFirst(view, i); owner != 0 {
			m.function(in, owner, &view[owner])
		}
		m.function(in, i, &view[i])
	}
}

// function enters the function symbol i of an input. To enter it again changes nothing.
func (m *merger) function(in *input, i int, y *cubin.Symbol) {
	l := m.l
	id := in.Syms[i]
	ordinary := y.Shndx != cubin.SHNUndef && y.Shndx < cubin.SHNLoRes
	if l.Syms[id].Dead {
		if ordinary {
			m.ghostCode(in, y, id)
			in.markDead(y.Shndx)
			in.setOut(y.Shndx, 0, in.Lost[i]) // debug data ask whether the definition lost
		}
		return
	}
	known := l.Syms[id].Side != noSide
	if !known {
		if l.release.namelessFunctions && y.Shndx == cubin.SHNUndef && y.Binding() != cubin.STBLocal && y.Other&cubin.STOEntry == 0 && in.Unnamed == 0 {
			// 12.4 makes one nameless function per object that brings a new undefined one that is no kernel.
			in.Unnamed = l.linkerSymbol(symbol{Info: uint8(cubin.STTFunc), Def: noFile, First: in.ID})
		}
		m.addToSide(id, y)
	}
	if ordinary {
		m.code(in, int32(i), y, id, known)
	}
}

func (in *input) markDead(shndx uint32) {
	in.Secs[shndx].Dead = true
	if t := in.Secs[shndx].Twin; t != 0 {
		in.Secs[t].Dead = true
	}
}

// addToSide appends a symbol to the side that its first mention asks for: a weak definition counts as local.
func (m *merger) addToSide(id symID, y *cubin.Symbol) {
	l := m.l
	if b := y.Binding(); b == cubin.STBLocal || b == cubin.STBWeak && y.Shndx != cubin.SHNUndef {
		l.Syms[id].Side = localSide
		l.Local = append(l.Local, id)
	} else {
		l.Syms[id].Side = globalSide
		l.Global = append(l.Global, id)
	}
}

// code relates the code section of a function definition to its output section. known: something before names the function.
func (m *merger) code(in *input, n int32, y *cubin.Symbol, id symID, known bool) {
	l := m.l
	sec := &in.Secs[y.Shndx]
	s := &l.Syms[id]
	stub := sec.kind == kindUFT
	if in.Lost[n] == lostOnArrival {
		if sec.Out == 0 {
			in.setOut(y.Shndx, s.Sec, lostOnArrival)
		}
		return
	}
	if sec.Out == 0 && s.Sec == 0 {
		in.setOut(y.Shndx, m.createCode(in, y, id, known), in.Lost[n])
		s = &l.Syms[id] // creating a section adds its symbol, which can move the slice
	}
	if sec.Out == 0 {
		in.setOut(y.Shndx, s.Sec, in.Lost[n])
	}
	if s.Sec == 0 { // an alias: a second function symbol of the section
		s.Sec = sec.Out
		l.Funcs[s.Func].Text = sec.Out
		if owner := l.Secs[sec.Out].Fn; owner != id {
			l.Funcs[s.Func].AliasOf = l.Syms[owner].Func
		}
	}
	text := l.Secs[sec.Out]
	plain, twin := in.forms(int32(y.Shndx))
	text.Align = max(text.Align, in.File.Sections[plain].Addralign)
	if in.Lost[n] == notLost && s.Def == in.ID && s.Sec == sec.Out && (len(text.Parts) == 0 || text.Fn == id || stub) {
		if !stub {
			text.Parts = text.Parts[:0]
		}
		l.addPart(text, part{In: in.ID, Sec: plain, Merc: twin})
	}
}

// createCode makes the code section of a function, and what the reference makes with that of a kernel.
func (m *merger) createCode(in *input, y *cubin.Symbol, id symID, known bool) secID {
	l := m.l
	name := l.Syms[id].Name
	stub := in.Secs[y.Shndx].kind == kindUFT
	var text secID
	if stub {
		text = l.stubSection(in.sectionName(int(y.Shndx)))
	} else {
		text = l.newSec(l.slabs.name(".text.", name), 0, 0)
	}
	if l.Secs[text].Fn == 0 {
		l.Secs[text].Fn = id
	}
	l.Syms[id].Sec = text
	fn := &l.Funcs[l.Syms[id].Func]
	fn.Text = text
	if y.Other&cubin.STOEntry != 0 && !stub {
		l.Secs[text].Kernel = true
		l.Kernels = append(l.Kernels, text)
		// A kernel that -kernels-used rejects is created like a function; one that the host does not refer to, or
		// that an earlier file launches, is not (observed).
		if fn.Passes || !l.FilterGiven || known {
			l.sec(l.slabs.name(".nv.info.", name), text, 0)
			l.sec(l.slabs.name(".nv.shared.", name), text, 0)
		}
	}
	return text
}

// setOut relates a section, in both its forms, to an output section.
func (in *input) setOut(index uint32, out secID, lost lossKind) {
	in.Secs[index].Out, in.Secs[index].Lost = out, lost
	if t := in.Secs[index].Twin; t != 0 {
		in.Secs[t].Out, in.Secs[t].Lost = out, lost
	}
}

// forms returns the indices of the plain section and of its twin (0 where there is none).
func (in *input) forms(index int32) (plain, twin int32) {
	if in.File.Sections[index].Mercury() {
		return in.Secs[index].Twin, index
	}
	return index, in.Secs[index].Twin
}

// objects is the second walk: all other symbols, and the sections that hold them.
func (m *merger) objects(in *input) {
	m.renamed = 0
	l := m.l
	view := l.view(in)
	for i := 1; i < len(view); i++ {
		y := &view[i]
		switch y.Type() {
		case cubin.STTNotype, cubin.STTSection, cubin.STTFunc:
			continue
		}
		ordinary := y.Shndx != cubin.SHNUndef && y.Shndx < cubin.SHNLoRes
		id := in.Syms[i]
		if l.Mercury && ordinary && y.Internal() && strings.HasPrefix(in.sectionName(int(y.Shndx)), mercOptimizer) {
			m.renamed++
			l.Syms[id].Name = fmt.Sprintf("%s.%d", in.sectionName(int(y.Shndx)), m.renamed)
		}
		var out secID
		if ordinary {
			if in.Lost[i] == lostOnArrival {
				continue // a variable that is not taken asks for no section
			}
			if in.constantsOfLoser(y.Shndx) {
				continue // created in the next walk
			}
			var dead bool
			if out, dead = m.place(in, int32(y.Shndx)); dead {
				m.nameDeadShared(in, int32(y.Shndx))
				continue
			}
		}
		if y.Name == externInstance {
			m.externInstance(in, i, y)
			continue
		}
		if y.DynamicShared() {
			l.sharedFuncs = l.sec(".nv_debug.shared", 0, 0)
		}
		if ordinary && out == 0 {
			continue
		}
		if l.Syms[id].Side == noSide {
			m.addToSide(id, y)
		}
		if s := &l.Syms[id]; s.Def == in.ID && s.DefSym == int32(i) && out != 0 {
			s.Sec = out
		} else if out != 0 && s.Sec == 0 {
			s.Sec = out // a place holder until the definition that counts comes
		}
	}
}

// nameDeadShared leaves the name of a removed kernel's shared section in the string tables if variables are in it: the
// reference creates it anew when it enters them, and it comes out empty (observed).
func (m *merger) nameDeadShared(in *input, index int32) {
	if in.Secs[index].kind == kindSharedEntry {
		m.l.Secs[m.l.sec(in.sectionName(int(index)), 0, 0)].Drop = true
	}
}

// constantsOfLoser reports whether a section holds compiler constants of a function whose definition here lost on arrival.
func (in *input) constantsOfLoser(index uint32) bool {
	h := &in.File.Sections[index]
	return in.Secs[index].kind == kindConstFunc && in.Secs[h.TextIndex()].Lost == lostOnArrival
}

// externInstance enters a kernel's instance of dynamic shared memory that an earlier -r made. All of a link are one symbol.
func (m *merger) externInstance(in *input, n int, y *cubin.Symbol) {
	l := m.l
	l.sharedFuncs = l.sec(".nv_debug.shared", 0, 0)
	if l.instance == 0 {
		s := symbol{Name: y.Name, Info: y.Info, Other: y.Other, First: in.ID, Def: noFile, DefSym: int32(n), Shndx: y.Shndx, Size: y.Size, Value: y.Value}
		l.instance = symID(len(l.Syms))
		if l.rel || l.PreserveRelocs {
			s.Side = localSide
			l.Local = append(l.Local, l.instance)
		}
		l.Syms = append(l.Syms, s)
	}
	in.Syms[n] = l.instance
	if plain := in.File.Symbols; n < len(plain) && plain[n].Name == y.Name {
		in.PlainSyms[n] = l.instance
	}
}

// unallocated is the third walk: sections without symbols, in index order: debug data and constants.
func (m *merger) unallocated(in *input) {
	for i := 1; i < len(in.Secs); i++ {
		h, t := &in.File.Sections[i], in.Secs[i].Type
		switch {
		case t == cubin.SHTProgbits && in.Secs[i].kind != kindText && h.Flags&cubin.SHFAlloc == 0,
			t >= cubin.SHTCudaConstant0 && t <= cubin.SHTCudaConstantMax,
			t == cubin.SHTMercOptimizer, t == cubin.SHTCudaConstantAny, t == cubin.SHTCudaGlobalInit,
			t == cubin.SHTCudaUFTEntry, t == cubin.SHTCudaUDTEntry, t == cubin.SHTCudaUDT:
			m.bySection = true
			m.place(in, int32(i))
			m.bySection = false
			if in.Secs[i].kind == kindConstFunc {
				m.functionConstants(in, int32(i))
			}
		}
	}
}

// hasConstants reports whether an earlier copy of a function has compiler constants.
func (m *merger) hasConstants(owner secID) bool {
	_, ok := m.constPlace[owner]
	return ok
}

// functionConstants notes the constants of a function that is no kernel for layout. Those without symbols, or of a copy
// that lost on arrival, join earlier ones; without any, they stay a section of the image that nothing refers to (observed).
func (m *merger) functionConstants(in *input, index int32) {
	l := m.l
	owner := in.Secs[in.File.Sections[index].TextIndex()].Out
	if l.rel || owner == 0 || l.Secs[owner].Kernel || in.Secs[index].Dead || in.Secs[index].Out != 0 {
		return
	}
	if m.constPlace == nil {
		m.constPlace = map[secID]int{}
	}
	at, ok := m.constPlace[owner]
	if !ok {
		at = len(l.FuncConsts)
		m.constPlace[owner] = at
		l.FuncConsts = append(l.FuncConsts, funcConst{Owner: owner})
	}
	plain, twin := in.forms(index)
	l.FuncConsts[at].Parts = append(l.FuncConsts[at].Parts, part{In: in.ID, Sec: plain, Merc: twin})
}

// place returns the output section of an input section, creating it if need be: 0 if the section is not merged as such
// (compiler constants of functions that are no kernels), dead if it belongs to a removed function.
func (m *merger) place(in *input, index int32) (out secID, dead bool) {
	l := m.l
	sec := &in.Secs[index]
	if sec.Out != 0 || sec.Dead || sec.placed {
		return sec.Out, sec.Dead
	}
	sec.placed = true
	h := &in.File.Sections[index]
	name := in.sectionName(int(index))
	kind := sec.kind
	owner := secID(0)
	lost := notLost
	switch kind {
	case kindConstEntry, kindConstFunc, kindConstIndices, kindSharedEntry, kindLocal, kindInfoFunc:
		text := &in.Secs[h.TextIndex()]
		if text.Out == 0 || text.Dead {
			m.ghostSection(text.ghost, kind)
			sec.ghost = text.ghost
			in.markDead(uint32(index))
			return 0, true
		}
		owner, lost = text.Out, text.Lost
		if text.kind == kindUFT {
			name = l.stubOwned(name, kind, owner)
			break
		}
		fn := strings.TrimPrefix(in.sectionName(int(h.TextIndex())), ".text.")
		name = strings.TrimSuffix(name, fn) + strings.TrimPrefix(l.Secs[owner].Name, ".text.")
	}
	if kind == kindConstFunc && !l.rel && !l.Secs[owner].Kernel && (!m.bySection || m.hasConstants(owner)) {
		return 0, false
	}
	out = l.sec(name, owner, 0)
	if kind == kindConstFunc && lost != lostOnArrival && l.onlyLostCopies(l.Secs[out]) {
		l.Secs[out].Drop = true
		out = l.sec(name, owner, 0)
	}
	in.setOut(uint32(index), out, lost)
	s := l.Secs[out]
	s.Align = max(s.Align, h.Addralign)
	plain, twin := in.forms(index)
	l.addPart(s, part{In: in.ID, Sec: plain, Merc: twin})
	return out, false
}

// onlyLostCopies reports whether all that is in a section of a function's constants is of copies that lost on arrival. A definition that
// replaces the one that they lost against makes a section of its own then, and theirs leaves its name (observed).
func (l *link) onlyLostCopies(s *section) bool {
	return len(s.Parts) > 0 && !slices.ContainsFunc(s.Parts, func(p part) bool { return l.partLoss(&p) != lostOnArrival })
}
