package nvinfo

import "fmt"

// Edge is what a record of .nv.callgraph says. The value is the one in the marker that starts a group of records.
type Edge int32

// Kinds of records in .nv.callgraph (observed). Symbols are numbers in .symtab, prototypes offsets in its string table.
const (
	Calls         Edge = -1 // A calls B
	AddressTaken  Edge = -2 // the address of A is taken, B is its prototype
	CallsIndirect Edge = -3 // A calls through a pointer of prototype B
	TakesAddress  Edge = -4 // A takes the address of B
)

// Edges is the order in which a linker writes the groups. All four markers are always there (observed).
func Edges() [4]Edge { return [4]Edge{Calls, AddressTaken, CallsIndirect, TakesAddress} }

// pairSize is the number of bytes of a record in .nv.callgraph and .nv.prototype.
const pairSize = 8

// Graph walks the records of .nv.callgraph. A record whose first word is 0 begins a group; those of groups that no toolkit up
// to 13.0 knows, or that stand before the first group, are passed over (observed with both toolkits).
type Graph struct {
	Edge   Edge   // what the record says
	A, B   uint32 // its words
	Offset int    // where it starts in the section

	data []byte
	next int
	err  error
}

// ReadGraph starts a walk over a section .nv.callgraph.
func ReadGraph(section []byte) Graph { return Graph{data: section} }

// Next reads the next record of a known group and reports whether there was one.
func (g *Graph) Next() bool {
	for g.err == nil && g.next < len(g.data) {
		at := g.next
		if len(g.data)-at < pairSize {
			g.err = &FormatError{at, fmt.Sprintf("%d bytes are left, too few for a call graph record", len(g.data)-at)}
			return false
		}
		a, b := le.Uint32(g.data[at:]), le.Uint32(g.data[at+4:])
		g.next += pairSize
		if a == 0 {
			g.Edge = Edge(int32(b))
			continue
		}
		if g.Edge >= 0 || g.Edge < TakesAddress {
			continue
		}
		g.A, g.B, g.Offset = a, b, at
		return true
	}
	return false
}

// Err is nil after a walk over a well-formed section, else a *FormatError.
func (g *Graph) Err() error { return g.err }

// AppendMarker starts a group of records.
func AppendMarker(b []byte, e Edge) []byte { return AppendPair(b, 0, uint32(e)) }

// AppendPair writes one record of .nv.callgraph or .nv.prototype.
func AppendPair(b []byte, first, second uint32) []byte {
	return le.AppendUint32(le.AppendUint32(b, first), second)
}

// Prototypes walks the records of .nv.prototype: the functions that have a prototype though their address is not taken.
type Prototypes struct {
	Symbol uint32 // the function
	String uint32 // offset of its prototype in the string table of .symtab
	Offset int    // where the record starts in the section

	data []byte
	next int
	err  error
}

// ReadPrototypes starts a walk over a section .nv.prototype.
func ReadPrototypes(section []byte) Prototypes { return Prototypes{data: section} }

// Next reads the next record and reports whether there was one.
func (p *Prototypes) Next() bool {
	if p.err != nil || p.next >= len(p.data) {
		return false
	}
	if n := len(p.data) - p.next; n < pairSize {
		p.err = &FormatError{p.next, fmt.Sprintf("%d bytes are left, too few for a prototype record", n)}
		return false
	}
	p.Symbol, p.String, p.Offset = le.Uint32(p.data[p.next:]), le.Uint32(p.data[p.next+4:]), p.next
	p.next += pairSize
	return true
}

// Err is nil after a walk over a well-formed section, else a *FormatError.
func (p *Prototypes) Err() error { return p.err }
