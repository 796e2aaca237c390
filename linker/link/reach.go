package link

import (
	"context"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/glob"
)

// reach decides which functions the image keeps.
//
//	live = what kernels reach by calls, direct or through pointers of a prototype
//	kept = live, functions whose address is taken, and undefined functions that a kept one calls
//
// What only an address-taken function calls is not kept: the reference does not close the set again (observed).
func (l *link) reach(ctx context.Context) error {
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
			l.keepUndefinedCallees(funcID(i))
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

// keepUndefinedCallees keeps the undefined functions that f calls. What it calls through a prototype has its address taken, and is
// kept for that.
func (l *link) keepUndefinedCallees(f funcID) {
	for _, c := range l.Funcs[f].Calls {
		if l.Syms[l.Funcs[c].Sym].Def == noFile {
			l.Funcs[c].Kept = true
		}
	}
}

// roots are the kernels that pass the filters of the command line or of the host references.
func (l *link) roots() []funcID {
	keep := l.kernelFilter()
	var roots []funcID
	for i := 1; i < len(l.Funcs); i++ {
		s := &l.Syms[l.Funcs[i].Sym]
		if s.Def != noFile && s.Other&cubin.STOEntry != 0 && (keep == nil || keep(s)) {
			l.Funcs[i].Passes = true
			roots = append(roots, funcID(i))
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
				if s.Def != noFile && s.Other&cubin.STOEntry != 0 && l.Funcs[i].Taken && !l.Funcs[i].Passes {
					roots = append(roots, funcID(i))
				}
			}
		}
	}
	return roots
}

// kernelFilter returns the test a kernel has to pass, or nil if all pass.
func (l *link) kernelFilter() func(*symbol) bool {
	if l.FilterGiven {
		used := glob.NewSet(glob.Containing(l.KernelsUsed))
		return func(s *symbol) bool { return used.Matches(s.Name) }
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
	ext, sta := glob.NewSet(external), glob.NewSet(static)
	return func(s *symbol) bool {
		if s.Binding() == cubin.STBLocal {
			return sta.Matches(s.Name)
		}
		return ext.Matches(s.Name)
	}
}

// markLive closes roots over calls.
func (l *link) markLive(roots []funcID) {
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
