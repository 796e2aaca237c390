package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

// shape says which functions of which files a function calls.
type shape struct {
	name      string
	files     int
	functions int // per file
	calls     calls
}

// calls tells the shapes apart.
type calls int

const (
	few    calls = iota // most functions are called by none, and removed
	all                 // every function is called
	ladder              // the number of call paths doubles from file to file
)

type function struct{ file, index int }

func (f function) name() string { return fmt.Sprintf("dev_%d_%d", f.file, f.index) }

// callees draws a function's callees from earlier files and earlier functions, so that the graph has no cycle.
func (s *shape) callees(r *rand.Rand, f function) []function {
	earlier := func(index int) function {
		lo := max(0, f.file-50)
		return function{lo + r.IntN(f.file-lo), index}
	}
	var out []function
	switch s.calls {
	case all:
		if f.index > 0 {
			out = append(out, function{f.file, f.index - 1})
		}
		return out
	case ladder:
		if f.index > 0 {
			out = append(out, function{f.file, f.index - 1})
		}
		if f.file > 0 {
			out = append(out, earlier(r.IntN(s.functions)))
		}
		return out
	}
	if f.index%4 == 0 && f.index > 0 {
		out = append(out, function{f.file, f.index - 1}, function{f.file, f.index - 2})
	}
	if f.index%4 == 1 && f.file > 0 {
		out = append(out, earlier(4*r.IntN(max(s.functions/4, 1))+2))
	}
	return out
}

// object makes file number n of a shape: its functions, a kernel that calls the last of them, and four initialised
// variables, one of which each function uses.
func (s *shape) object(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	p := cubintest.Program{SM: 80, ABI: 8}
	for j := range s.functions + 1 {
		f := cubintest.Function{Name: function{n, j}.name(), Bind: cubin.STBGlobal, Registers: 24}
		calls := []function{{n, s.functions - 1}}
		if j == s.functions {
			f.Name, f.Kernel = fmt.Sprintf("kern_%d", n), true
			if s.calls == all && n > 0 {
				calls = append(calls, function{n - 1 - r.IntN(min(n, 50)), s.functions - 1})
			}
		} else {
			calls = s.callees(r, function{n, j})
		}
		for _, c := range calls {
			f.Calls = append(f.Calls, c.name())
		}
		f.Frame = uint32(8 * len(f.Calls))
		f.Globals = []string{fmt.Sprintf("g_%d_%d", n, j%4)}
		p.Functions = append(p.Functions, f)
	}
	for k := range 4 {
		p.Variables = append(p.Variables, cubintest.Variable{Name: fmt.Sprintf("g_%d_%d", n, k), Bind: cubin.STBGlobal, Size: 4})
	}
	return p.Encode()
}
