package link

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// commons creates .nv.global if a COMMON is left over.
func (m *merger) commons() {
	l := m.l
	for i := 1; i < len(l.Syms); i++ {
		if l.Syms[i].Shndx == cubin.SHNCommon && l.Syms[i].Side != noSide {
			l.Syms[i].Sec = l.sec(".nv.global", 0, 0)
		}
	}
	l.globalSec = l.singles[".nv.global"]
	l.globalInit = l.singles[".nv.global.init"]
	l.sharedFuncs = l.singles[".nv_debug.shared"]
	l.sharedReserved = l.singles[".nv.shared.reserved.0"]
}

// entries lists the kernels of the image. With exactly one kernel passing a filter, that one alone counts (observed).
func (m *merger) entries() {
	l := m.l
	for _, text := range l.Kernels {
		f := l.Syms[l.Secs[text].Fn].Func
		if fn := &l.Funcs[f]; (l.dce || l.PreserveRelocs || l.Debug) && !fn.Passes && (l.filterPassed == 1 || !fn.Taken) {
			continue
		}
		l.Funcs[f].Entry = true
		l.Entries = append(l.Entries, f)
	}
}

// dropLosers leaves per-function sections with the winner's part alone, except for compiler constants, whose copies all
// stay, and relocation sections, whose entries are judged one by one.
func (m *merger) dropLosers() {
	l := m.l
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindConstEntry:
			l.dropBanks(s)
		case kindInfoFunc, kindConstIndices, kindLocal:
			if len(s.Parts) > 1 || len(s.Parts) == 1 && l.lostPart(&s.Parts[0]) {
				s.Parts = slices.DeleteFunc(s.Parts, func(p part) bool { return l.lostPart(&p) })
			}
		}
	}
}

// dropBanks leaves a parameter bank with one copy of weak definitions. A definition that is not weak does not take their place: its
// bank stands behind that copy, and those of weak definitions that come later behind it (observed below sm_100).
func (l *link) dropBanks(s *section) {
	if len(s.Parts) < 2 {
		return
	}
	fn := &l.Syms[l.Secs[s.Owner].Fn]
	if fn.Binding() == cubin.STBWeak {
		s.Parts = slices.DeleteFunc(s.Parts, func(p part) bool { return l.lostPart(&p) })
		return
	}
	first := 0
	for first+1 < len(s.Parts) && s.Parts[first+1].In < fn.Def {
		first++
	}
	s.Parts = s.Parts[first:]
}

func (l *link) lostPart(p *part) bool { return l.partLoss(p) != notLost }

// partLoss says how the function lost whose section a part is.
func (l *link) partLoss(p *part) lossKind {
	index := p.Sec
	if index == 0 {
		index = p.Merc
	}
	in := l.Inputs[p.In]
	h := &in.File.Sections[index]
	return in.Secs[h.TextIndex()].Lost
}

// kernelConstants creates a bank-2 section in every kernel that reaches a function with constants of its own. In a Mercury
// link that happens when shared memory has its sections, those of kernels that a filter rejects included; jump tables have
// entries, so their sections follow, for each function behind the banks that it made, unless all tables went with copies that
// were replaced (observed).
func (l *link) kernelConstants() {
	prefix := ".nv.constant2."
	if l.Mercury {
		prefix = mercOptimizer
	}
	banks := make([]secID, len(l.Secs)) // by the kernel's code section
	related := make([]bool, len(l.Secs))
	for _, fc := range slices.Backward(l.FuncConsts) {
		f := l.Syms[l.Secs[fc.Owner].Fn].Func
		entries := l.entriesReaching(f)
		if !l.Mercury && l.tableReplaced(&fc) && !l.anyBank(prefix, entries) {
			continue
		}
		for _, e := range slices.Backward(entries) {
			if text := l.Funcs[e].Text; e != f && banks[text] == 0 {
				banks[text] = l.sec(prefix+l.Syms[l.Funcs[e].Sym].Name, text, 0)
			}
		}
		if !l.Mercury || !l.anyTableStays(&fc) {
			continue
		}
		for _, e := range slices.Backward(entries) {
			text := l.Funcs[e].Text
			if e == f || related[text] {
				continue
			}
			related[text] = true
			bank := banks[text]
			l.sec(".rela"+l.Secs[bank].Name, 0, bank)
			if l.PreserveRelocs {
				l.sec(".nv.resolvedrela"+l.Secs[bank].Name, 0, bank)
			}
		}
	}
}

// anyTableStays reports whether any copy of a function's constants did not come before the definition that counts.
func (l *link) anyTableStays(fc *funcConst) bool {
	winner := l.Syms[l.Secs[fc.Owner].Fn].Def
	return slices.ContainsFunc(fc.Parts, func(p part) bool { return p.In >= winner })
}

// anyBank reports whether one of the kernels has a section of compiler constants.
func (l *link) anyBank(prefix string, kernels []funcID) bool {
	return slices.ContainsFunc(kernels, func(k funcID) bool {
		return l.hasChild(l.Funcs[k].Text, prefix+l.Syms[l.Funcs[k].Sym].Name)
	})
}

// tableReplaced reports whether a function's constants are gone because code without constants took its place, and with them a jump
// table that has a relocation section, be it empty, as from sm_90 on. Then kernels get no bank unless one of them has one; otherwise they
// get an empty one, which leaves its name (observed).
func (l *link) tableReplaced(fc *funcConst) bool {
	return !l.anyTableStays(fc) && slices.ContainsFunc(fc.Parts, func(p part) bool {
		return l.partLoss(&p) == replacedLater && l.Inputs[p.In].patched()[p.Sec]
	})
}

// patched reports, by section, whether a relocation section, be it empty, patches it. It is made when first asked for, by one
// goroutine.
func (in *input) patched() []bool {
	if in.hasRels == nil {
		in.hasRels = make([]bool, len(in.File.Sections))
		for i := range in.File.Sections {
			if h := &in.File.Sections[i]; h.Type == cubin.SHTRel || h.Type == cubin.SHTRela {
				in.hasRels[h.TextIndex()] = true
			}
		}
	}
	return in.hasRels
}

// parameterBanks creates the parameter banks of a Mercury link: they stand behind all ordinary sections, in the order of
// their code sections, and leave no name among those of creation.
func (m *merger) parameterBanks() {
	l := m.l
	banks := map[secID]secID{} // by code section
	for _, in := range l.Inputs {
		for i := range in.File.Sections {
			h := &in.File.Sections[i]
			if h.Mercury() || in.Secs[i].kind != kindConstEntry {
				continue
			}
			text := &in.Secs[h.TextIndex()]
			if text.Out == 0 || text.Dead || text.Lost != notLost {
				in.Secs[i].Dead = text.Out == 0 || text.Dead
				continue
			}
			id := banks[text.Out]
			if id == 0 {
				id = secID(len(l.Secs))
				banks[text.Out] = id
				name := ".nv.constant0." + strings.TrimPrefix(l.Secs[text.Out].Name, ".text.")
				l.Secs = append(l.Secs, &section{ID: id, Name: name, Kind: kindConstEntry, Owner: text.Out, Appended: true, NoTwin: true})
			}
			in.Secs[i].Out = id
			l.Secs[id].Align = max(l.Secs[id].Align, h.Addralign)
			l.addPart(l.Secs[id], part{In: in.ID, Sec: int32(i)})
		}
	}
}

// externInstances makes, in a relocatable link, one symbol for each kernel whose own code refers to dynamic shared memory.
// With -g these kernels are noted without a symbol, and such references get the value of the array (observed).
func (m *merger) externInstances() {
	l := m.l
	for _, use := range m.externs { // in the order of the relocation sections that were read
		text := use.text
		if use.in != l.Syms[l.Secs[text].Fn].Def {
			continue // not in the code that counts
		}
		if l.debugShared() {
			l.externInstance[text] = 0
			l.externUses = append(l.externUses, use)
			continue
		}
		if l.externInstance[text] != 0 {
			continue // made already
		}
		id := l.linkerSymbol(symbol{Name: externInstance, Info: uint8(cubin.STBWeak)<<4 | uint8(cubin.STTCudaObject), Other: cubin.STOShared | 1, Def: noFile, First: noFile})
		l.externInstance[text] = id
		if !l.hasSharedSection(text) { // of a kernel that a filter rejects
			l.Secs[l.sharedSection(text)].late = true
		}
	}
}
