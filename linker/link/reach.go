package link

import (
	"context"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// reach decides which functions the image keeps.
//
//	live = what kernels reach by calls, direct or through pointers of a prototype
//	kept = live, functions whose address is taken, and undefined functions that a kept one calls
//
// What only an address-taken function calls is not kept: the reference does not close the set again (observed).
func (l *Link) reach(ctx context.Context) error {
	l.graph.build(l)
	if !l.dce {
		for i := range l.Funcs {
			l.Funcs[i].Live, l.Funcs[i].Kept, l.Funcs[i].Passes = true, true, true
		}
		if !l.debugShared() {
			// All functions stay, but a kernel that does not pass is an entry, and is created, as with dead code removed.
			l.roots()
		}
		l.innerFollow()
		return nil
	}
	roots := l.roots()
	if l.filterPassed != 1 {
		roots = append(roots, l.stubs()...) // entries beside none, or several
	}
	l.markLive(roots)
	for i := 1; i < len(l.Funcs); i++ {
		f := &l.Funcs[i]
		f.Kept = f.Live || f.Taken
	}
	l.keepUnified()
	for i := 1; i < len(l.Funcs); i++ {
		if f := &l.Funcs[i]; f.Live || f.Taken || l.hasUFT && f.Kept {
			l.keepUndefinedCallees(FuncID(i))
		}
	}
	l.innerFollow()
	for i := 1; i < len(l.Funcs); i++ {
		if !l.Funcs[i].Kept {
			l.Syms[l.Funcs[i].Sym].Dead = true
		}
	}
	return nil
}

// keepUndefinedCallees keeps the undefined functions that f calls, directly or through a prototype.
func (l *Link) keepUndefinedCallees(f FuncID) {
	keep := func(c FuncID) {
		if l.Syms[l.Funcs[c].Sym].Def == NoFile {
			l.Funcs[c].Kept = true
		}
	}
	for _, c := range l.Funcs[f].Calls {
		keep(c)
	}
}

// roots are the kernels that pass the filters of the command line or of the host references.
func (l *Link) roots() []FuncID {
	keep := l.kernelFilter()
	var roots []FuncID
	for i := 1; i < len(l.Funcs); i++ {
		s := &l.Syms[l.Funcs[i].Sym]
		if s.Def != NoFile && s.Other&cubin.STOEntry != 0 && (keep == nil || keep(s)) {
			l.Funcs[i].Passes = true
			roots = append(roots, FuncID(i))
		} else {
			l.Funcs[i].Passes = false
		}
	}
	l.filterPassed = len(roots)
	l.filtered = keep != nil
	if keep != nil {
		// With exactly one kernel that passes, a filtered one that stays because its address is taken is no entry, and
		// its callees die; with none, or several, the callees live (observed).
		if len(roots) != 1 {
			for i := 1; i < len(l.Funcs); i++ {
				s := &l.Syms[l.Funcs[i].Sym]
				if s.Def != NoFile && s.Other&cubin.STOEntry != 0 && l.Funcs[i].Taken && !l.Funcs[i].Passes {
					roots = append(roots, FuncID(i))
				}
			}
		}
	}
	return roots
}

// kernelFilter returns the test a kernel has to pass, or nil if all pass.
func (l *Link) kernelFilter() func(*Symbol) bool {
	if l.FilterGiven {
		if l.UseHostInfo {
			l.Diag.Report(diag.IgnoreHostInfo)
		}
		patterns := make([]string, len(l.KernelsUsed))
		for i, p := range l.KernelsUsed {
			patterns[i] = "*" + p + "*"
		}
		return func(s *Symbol) bool { return matchesAny(s.Name, patterns) }
	}
	if l.IgnoreHostInfo {
		return nil
	}
	var external, static []string
	for i := range l.sources {
		src := &l.sources[i]
		if src.Cudadevrt {
			continue
		}
		if !src.HasHostRefs {
			return nil
		}
		external = append(external, src.HostKernelsExternal...)
		static = append(static, src.HostKernelsStatic...)
	}
	if len(external) == 0 && len(static) == 0 {
		return nil
	}
	ext, sta := newPatternSet(external), newPatternSet(static)
	return func(s *Symbol) bool {
		if s.Binding() == cubin.STBLocal {
			return sta.matches(s.Name)
		}
		return ext.matches(s.Name)
	}
}

func matchesAny(name string, patterns []string) bool {
	for _, p := range patterns {
		if matchPattern(name, p) {
			return true
		}
	}
	return false
}

// patternSet looks up names without '*' at once and tries the others one by one.
type patternSet struct {
	exact map[string]bool
	// byPrefix groups the others by the text before their first '*'.
	byPrefix map[string][]string
	lengths  []int
}

func newPatternSet(patterns []string) *patternSet {
	p := &patternSet{exact: map[string]bool{}, byPrefix: map[string][]string{}}
	for _, s := range patterns {
		prefix, _, star := strings.Cut(s, "*")
		if !star {
			p.exact[s] = true
			continue
		}
		if _, ok := p.byPrefix[prefix]; !ok && !slices.Contains(p.lengths, len(prefix)) {
			p.lengths = append(p.lengths, len(prefix))
		}
		if !slices.Contains(p.byPrefix[prefix], s) {
			p.byPrefix[prefix] = append(p.byPrefix[prefix], s)
		}
	}
	return p
}

func (p *patternSet) matches(name string) bool {
	if p.exact[name] {
		return true
	}
	for _, n := range p.lengths {
		if n <= len(name) && matchesAny(name, p.byPrefix[name[:n]]) {
			return true
		}
	}
	return false
}

// matchPattern matches a whole name; only '*' is special, for any run of bytes (observed).
func matchPattern(name, pattern string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return name == pattern
	}
	name, ok := strings.CutPrefix(name, pieces[0])
	if !ok {
		return false
	}
	for _, p := range pieces[1 : len(pieces)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, pieces[len(pieces)-1])
}

// markLive closes roots over calls.
func (l *Link) markLive(roots []FuncID) {
	stack := slices.Clone(roots)
	inside := l.innerByOwner()
	seenProto := make([]bool, len(l.Protos))
	for len(stack) > 0 {
		f := &l.Funcs[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if f.Live {
			continue
		}
		f.Live = true
		if inside != nil {
			stack = append(stack, inside[l.Syms[f.Sym].Func]...)
		}
		for _, c := range f.Calls {
			if !l.Funcs[c].Live {
				stack = append(stack, c)
			}
		}
		for _, p := range f.Indirect {
			if !seenProto[p] {
				seenProto[p] = true
				stack = append(stack, l.graph.byProto[p]...)
			}
		}
	}
}
