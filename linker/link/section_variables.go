package link

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// variableIndex lists the variables of an input by the section that holds them.
type variableIndex struct {
	numbers []int32 // symbol numbers by section, then value, then number
	symbols []cubin.Symbol
}

func newVariableIndex(symbols []cubin.Symbol) *variableIndex {
	x := &variableIndex{symbols: symbols}
	for i := 1; i < len(symbols); i++ {
		y := &symbols[i]
		if t := y.Type(); (t == cubin.STTObject || t == cubin.STTCudaObject) && y.Shndx != cubin.SHNUndef && y.Shndx < cubin.SHNLoRes {
			x.numbers = append(x.numbers, int32(i))
		}
	}
	slices.SortStableFunc(x.numbers, func(a, b int32) int {
		p, q := &symbols[a], &symbols[b]
		if p.Shndx != q.Shndx {
			return int(p.Shndx) - int(q.Shndx)
		}
		return cmp.Compare(p.Value, q.Value)
	})
	return x
}

// in returns the numbers of the variables that a section holds, in ascending value.
func (x *variableIndex) in(section int32) []int32 {
	bound := func(s int32) int {
		n, _ := slices.BinarySearchFunc(x.numbers, s, func(n, s int32) int { return int(x.symbols[n].Shndx) - int(s) })
		return n
	}
	return x.numbers[bound(section):bound(section+1)]
}

// indexVariables makes the indices of the marked inputs, since several sections may ask for one at once.
func (l *link) indexVariables(asked []bool) {
	if !slices.Contains(asked, true) {
		return
	}
	if l.mem.variables == nil {
		l.mem.variables = make([]*variableIndex, len(l.Inputs))
	}
	l.ranges(len(asked), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if asked[i] {
				l.variables(l.Inputs[i])
			}
		}
	})
}

// variables returns the index of an input's .symtab, made when first asked for.
func (l *link) variables(in *input) *variableIndex {
	m := &l.mem
	if m.variables == nil {
		m.variables = make([]*variableIndex, len(l.Inputs))
	}
	if m.variables[in.ID] == nil {
		m.variables[in.ID] = newVariableIndex(in.File.Symbols)
	}
	return m.variables[in.ID]
}
