package link

import "github.com/culink/culink/linker/cubin"

// Some entries never enter the reference's list, so that they do not make it create a relocation section either
// (observed). entryFilter decides about those of one relocation section.
type entryFilter struct {
	in      *input
	symbols []cubin.Symbol // of the table that the entries go by
	links   []symID
	view    []cubin.Symbol
	twin    bool
	// constants: the target holds user constants; debug: debug data whose entries against lost copies go; vars: what it holds, if it is initialised global memory.
	constants, debug bool
	vars             []heldVariable
}

// newEntryFilter prepares for the relocation section of that index, which patches the input section target of the output section t.
func (l *link) newEntryFilter(in *input, index, target int32, t *section) entryFilter {
	f := entryFilter{in: in, symbols: in.File.Symbols, links: in.PlainSyms, view: l.view(in)}
	if in.File.Sections[index].Mercury() {
		f.symbols, f.links, f.twin = in.File.MercSymbols, in.Syms, true
	}
	switch t.Kind {
	case kindConstUser:
		f.constants = true
		if l.KeepPointers {
			plain, _ := in.forms(target)
			f.vars = l.heldVariables(in, plain, t.Kind, nil)
		}
	case kindDebug:
		f.debug = l.release.dropsLostDebug && !isFrameSection(t.Name) // those of frames enter and go later
	case kindGlobalInit:
		plain, _ := in.forms(target)
		f.vars = l.heldVariables(in, plain, t.Kind, nil)
	}
	return f
}

// enters reports whether the entry gets into the list.
func (f *entryFilter) enters(l *link, r *cubin.Rel) bool {
	if int(r.Sym) >= len(f.symbols) {
		return true // refused when it is disposed of
	}
	y := &f.symbols[r.Sym]
	if f.constants {
		// A variable that is replaced later is not known to be lost yet.
		if !l.lostHere(f.in, y, f.links[r.Sym]) || y.Type() != cubin.STTFunc && f.loss(int(r.Sym)) == replacedLater {
			return true
		}
		return l.KeepPointers && holdsWinner(f.vars, r.Offset)
	}
	if f.debug {
		return y.Type() != cubin.STTFunc || !l.lostHere(f.in, y, f.links[r.Sym])
	}
	v := findVariable(f.vars, r.Offset)
	return v == nil || !v.gone
}

func (f *entryFilter) loss(n int) lossKind {
	if f.twin {
		return f.in.Lost[n]
	}
	return f.in.lossOf(n, f.view)
}

// resolvedSection creates the section that preserves applied entries of t. It goes by name: local functions of one name
// share the one that the first of them made (observed).
func (l *link) resolvedSection(t *section) {
	if l.resolved[t.Name] == 0 {
		l.resolved[t.Name] = l.sec(".nv.resolvedrela"+t.Name, 0, t.ID)
	}
}

// resolvedOf is the section that preserves applied entries of t, nil if there is none.
func (l *link) resolvedOf(t *section) *section {
	if !l.PreserveRelocs {
		return nil
	}
	if id := l.resolved[t.Name]; id != 0 {
		return l.Secs[id]
	}
	return nil
}
