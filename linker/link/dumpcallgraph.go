package link

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag/cuname"
)

// dumpCallgraph reports the text of -dump-callgraph and returns the names it uses, nil if it was not asked for. Functions
// are numbered by rank; 12.4's nameless function of an input stands before the input's first undefined one that is new.
func (l *link) dumpCallgraph(f *infoForm) func(funcID) string {
	if !l.DumpCallgraph {
		return nil
	}
	cache := make([]string, len(l.Funcs))
	names := func(fn funcID) string {
		if cache[fn] == "" {
			cache[fn] = cuname.Demangle(l.Syms[l.Funcs[fn].Sym].Name, l.release.names)
		}
		return cache[fn]
	}
	nameless := l.namelessBefore()
	number := make([]int, len(l.Funcs))
	for i, n := 1, 0; i < len(l.Funcs); i++ {
		n++
		if nameless != nil && nameless[i] {
			n++
		}
		number[i] = n
	}
	var b strings.Builder
	fmt.Fprintf(&b, "callgraph for sm_%d:\n", l.SM)
	b.WriteString("# A: s -> B // s (number A) potentially calls B\n")
	b.WriteString("# s [N]     // s uses N registers\n")
	b.WriteString("# ^s        // s is entry point\n")
	b.WriteString("# &s        // s has address taken\n")
	for i := 1; i < len(l.Funcs); i++ {
		if nameless != nil && nameless[i] {
			arrow := ""
			if !l.dce {
				arrow = " ->"
			}
			fmt.Fprintf(&b, "%d: %s\n", number[i]-1, arrow)
		}
		l.dumpFunction(&b, f, funcID(i), number, names)
	}
	l.Diag.Raw(b.String())
	return names
}

// dumpFunction writes the line of a function: only its number if it is not in the image.
func (l *link) dumpFunction(b *strings.Builder, f *infoForm, fn funcID, number []int, names func(funcID) string) {
	b.WriteString(strconv.Itoa(number[fn]))
	b.WriteString(": ")
	node := &l.Funcs[fn]
	if l.Syms[node.Sym].Index != 0 {
		if node.Entry || l.Syms[node.Sym].undefinedKernel() ||
			l.uft != 0 && !l.onlyEntry() && l.isStub(&l.Syms[node.Sym]) {
			b.WriteByte('^')
		}
		if node.Taken {
			b.WriteByte('&')
		}
		b.WriteString(names(fn))
		if f.own[fn].hasReg {
			fmt.Fprintf(b, " [%d]", f.own[fn].reg)
		}
		b.WriteString(" ->")
		for _, c := range l.callees(fn) {
			b.WriteByte(' ')
			b.WriteString(strconv.Itoa(number[c]))
		}
	}
	b.WriteByte('\n')
}

// dotGraph makes the text of --dot-file: an edge for each call, in the order of -dump-callgraph (observed).
func (l *link) dotGraph() {
	if !l.DotGraph {
		return
	}
	b := []byte("digraph callgraph {\n")
	for i := 1; i < len(l.Funcs); i++ {
		s := &l.Syms[l.Funcs[i].Sym]
		if s.Index == 0 {
			continue
		}
		for _, c := range l.callees(funcID(i)) {
			b = fmt.Appendf(b, "%s -> %s;\n", s.Name, l.Syms[l.Funcs[c].Sym].Name)
		}
	}
	l.result.DotGraph = append(b, "}\n"...)
}

// namelessBefore marks the functions before which 12.4 counts a nameless one: the first undefined function of each input
// that no earlier input mentions and that is no kernel (device code names the kernels that it launches).
func (l *link) namelessBefore() []bool {
	if !l.release.namelessFunctions {
		return nil
	}
	before := make([]bool, len(l.Funcs))
	known := make([]bool, len(l.Funcs))
	for _, in := range l.Inputs {
		marked := false
		view := l.view(in)
		for i := range view {
			fn := l.Syms[in.Syms[i]].Func
			if fn == 0 || known[fn] {
				continue
			}
			known[fn] = true
			if view[i].Shndx == cubin.SHNUndef && view[i].Other&cubin.STOEntry == 0 && !marked {
				marked = true
				before[fn] = true
			}
		}
	}
	return before
}

// registerLine says that a function's register count raises an entry's.
func registerLine(count uint32, fn, entry string) string {
	return fmt.Sprintf("regcount %d for %s propagated to entry %s\n", count, fn, entry)
}
