package link

import (
	"slices"

	"github.com/culink/culink/linker/nvinfo"
)

// encodeCallgraph writes .nv.callgraph and .nv.prototype: per kind of record functions by rank, the list of each newest
// first. A relocatable link leaves out repeated calls and taken addresses, a final one keeps them (observed).
func (l *link) encodeCallgraph() {
	var groups [4][]byte
	size := 0
	for i, e := range nvinfo.Edges() {
		groups[i] = nvinfo.AppendMarker(nil, e)
	}
	var prototypes []byte
	seen := make([]funcID, len(l.Funcs))
	for i := 1; i < len(l.Funcs); i++ {
		f := &l.Funcs[i]
		n := l.Syms[f.Sym].Index
		if n == 0 {
			continue
		}
		groups[0] = l.appendFunctions(groups[0], n, f.Calls, seen, funcID(i))
		if f.Taken {
			groups[1] = nvinfo.AppendPair(groups[1], n, l.prototypeOffset(f.Proto))
		} else if f.Proto != 0 {
			prototypes = nvinfo.AppendPair(prototypes, n, l.prototypeOffset(f.Proto))
		}
		for _, p := range slices.Backward(f.Indirect) {
			groups[2] = nvinfo.AppendPair(groups[2], n, l.prototypeOffset(p))
		}
	}
	clear(seen)
	for i := 1; i < len(l.Funcs); i++ {
		if n := l.Syms[l.Funcs[i].Sym].Index; n != 0 {
			groups[3] = l.appendFunctions(groups[3], n, l.Funcs[i].Takes, seen, funcID(i))
		}
	}
	for _, g := range groups {
		size += len(g)
	}
	s := l.Secs[l.callgraph]
	s.Data = make([]byte, 0, size)
	for _, g := range groups {
		s.Data = append(s.Data, g...)
	}
	s.Size = uint64(size)
	s = l.Secs[l.prototype]
	s.Data, s.Size = prototypes, uint64(len(prototypes))
}

// appendFunctions writes one function's list. seen[g] is the last function whose list had g.
func (l *link) appendFunctions(b []byte, n uint32, list []funcID, seen []funcID, of funcID) []byte {
	if l.rel {
		// Newest first, but an element that is there already is not added again: the oldest of equal ones counts.
		kept := make([]funcID, 0, len(list))
		for _, g := range list {
			if seen[g] != of {
				seen[g] = of
				kept = append(kept, g)
			}
		}
		list = kept
	}
	for _, g := range slices.Backward(list) {
		if m := l.Syms[l.Funcs[g].Sym].Index; m != 0 {
			b = nvinfo.AppendPair(b, n, m)
		}
	}
	return b
}

// prototypeOffset is where the string table holds a prototype; 0 for a function without one. The empty prototype of a
// kernel has an entry of its own there (observed).
func (l *link) prototypeOffset(p protoID) uint32 {
	if p == 0 {
		return 0
	}
	return l.strings.at(l.Protos[p])
}
