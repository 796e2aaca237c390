package main

import (
	"fmt"
	"math/rand/v2"
)

// shape says which functions of which files a function calls.
type shape struct {
	name      string
	files     int
	functions int // per file
	ladder    bool
}

type function struct{ file, index int }

func (f function) name() string { return fmt.Sprintf("dev_%d_%d", f.file, f.index) }

// callees draws a function's callees from earlier files and earlier functions, so that the graph has no cycle.
func (s *shape) callees(r *rand.Rand, f function) []function {
	earlier := func(index int) function {
		lo := max(0, f.file-50)
		return function{lo + r.IntN(f.file-lo), index}
	}
	var out []function
	if s.ladder {
		if f.index > 0 {
			out = append(out, function{f.file, f.index - 1})
		}
		if f.file > 0 {
			out = append(out, earlier(r.IntN(s.functions)))
		}
		return out
	}
	if f.index > 1 && f.index%4 == 0 {
		out = append(out, function{f.file, f.index - 1}, function{f.file, f.index - 2})
	}
	if f.file > 0 && f.index%4 == 1 {
		out = append(out, earlier(4*r.IntN(max(s.functions/4, 1))+2))
	}
	return out
}

// Relocation types of CUDA that the code uses: the two halves of a 64-bit address, and a call target.
const (
	abs32Lo32 = 56
	abs32Hi32 = 57
	absCall   = 58
	debugAddr = 2
)

const codeSize = 0x180

// builder makes one cubin.
type builder struct {
	secs   []section
	syms   []symbol
	strs   *stringTable
	symOf  map[string]uint32
	locals int
}

func (b *builder) section(s section) int {
	b.secs = append(b.secs, s)
	return len(b.secs) - 1
}

func words(v ...uint32) []byte {
	var out []byte
	for _, x := range v {
		out = le.AppendUint32(out, x)
	}
	return out
}

func note(kind uint32, desc []byte) []byte {
	out := words(12, uint32(len(desc)), kind)
	return append(append(out, "NVIDIA Corp\x00"...), desc...)
}

// object makes file number n of a shape: its functions, a kernel that calls the last of them, and four initialised variables.
func (s *shape) object(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := &builder{strs: newStringTable(), symOf: map[string]uint32{}}
	b.secs = make([]section, 4)
	b.secs[1] = section{name: ".shstrtab", typ: 3, align: 1}
	b.secs[2] = section{name: ".strtab", typ: 3, align: 1}
	b.secs[3] = section{name: ".symtab", typ: 2, link: 2, align: 8, entsize: 24}
	tkinfo := b.section(section{name: ".note.nv.tkinfo", typ: 7, flags: 0x2000000, align: 4, data: note(2000, words(2, 20, 20, 20, 20, 20, 0))})
	cuinfo := b.section(section{name: ".note.nv.cuinfo", typ: 7, flags: 0x1000000, link: uint32(tkinfo), align: 4, data: note(1000, words(80<<16|2, 130))})
	info := b.section(section{name: ".nv.info", typ: 0x70000000, link: 3, align: 4})
	graph := b.section(section{name: ".nv.callgraph", typ: 0x70000001, link: 3, align: 4, entsize: 8})
	names := make([]string, s.functions+1)
	text := make([]int, s.functions+1)
	first := len(b.secs)
	for j := range names {
		names[j] = function{n, j}.name()
		if j == s.functions {
			names[j] = fmt.Sprintf("kern_%d", n)
		}
		text[j] = first + j
		b.section(section{name: ".text." + names[j], typ: 1, flags: 6, link: 3, align: 128, data: make([]byte, codeSize)})
	}
	bank := b.section(section{name: ".nv.constant0." + names[s.functions], typ: 0x70000064, flags: 0x42, info: uint32(text[s.functions]), align: 4, data: make([]byte, 0x168)})
	data := b.section(section{name: ".nv.global.init", typ: 0x70000008, flags: 3, align: 4, data: words(uint32(4*n), uint32(4*n+1), uint32(4*n+2), uint32(4*n+3))})
	b.symbols(s, n, names, text, bank, data)
	calls := make([][]function, s.functions+1)
	for j := range s.functions {
		calls[j] = s.callees(r, function{n, j})
	}
	calls[s.functions] = []function{{n, s.functions - 1}}
	b.code(n, names, text, calls, graph, info)
	return encode(b.secs, b.syms, b.strs, b.locals, cuinfo)
}

func (b *builder) symbol(y symbol) uint32 {
	b.syms = append(b.syms, y)
	id := uint32(len(b.syms) - 1)
	if y.info != 3 {
		b.symOf[y.name] = id
	}
	return id
}

func (b *builder) symbols(s *shape, n int, names []string, text []int, bank, data int) {
	b.symbol(symbol{})
	for _, x := range append([]int{bank, data}, text...) {
		b.symbol(symbol{name: b.secs[x].name, info: 3, shndx: uint16(x)})
	}
	b.locals = len(b.syms)
	for j, name := range names {
		other := uint8(0)
		if j == s.functions {
			other = 0x10
		}
		id := b.symbol(symbol{name: name, info: 0x12, other: other, shndx: uint16(text[j]), size: codeSize})
		b.secs[text[j]].info = 24<<24 | id
	}
	for k := range 4 {
		b.symbol(symbol{name: fmt.Sprintf("g_%d_%d", n, k), info: 0x1d, other: 0x20, shndx: uint16(data), value: uint64(4 * k), size: 4})
	}
}

// code adds relocations, call graph and attributes.
func (b *builder) code(n int, names []string, text []int, calls [][]function, graph, info int) {
	edges := words(0, 0xffffffff)
	var attrs []byte
	for j, name := range names {
		var rel []byte
		entry := func(off uint64, typ, sym uint32) {
			rel = le.AppendUint64(rel, off)
			rel = append(rel, words(typ, sym)...)
		}
		self := b.symOf[name]
		for k, c := range calls[j] {
			id, ok := b.symOf[c.name()]
			if !ok {
				id = b.symbol(symbol{name: c.name(), info: 0x12})
			}
			entry(uint64(0x100-0x40*k), absCall, id)
			edges = append(edges, words(self, id)...)
		}
		g := b.symOf[fmt.Sprintf("g_%d_%d", n, j%4)]
		entry(0x10, abs32Lo32, g)
		entry(0, abs32Hi32, g)
		b.section(section{name: ".rel.text." + name, typ: 9, flags: 0x40, link: 3, info: uint32(text[j]), align: 8, entsize: 16, data: rel})
		// EIATTR_REGCOUNT, MAX_STACK_SIZE, FRAME_SIZE: format 4, code, 8 bytes of symbol and value.
		for _, a := range [][2]uint32{{0x2f, 24}, {0x23, 0}, {0x11, uint32(8 * len(calls[j]))}} {
			attrs = append(attrs, words(4|a[0]<<8|8<<16, self, a[1])...)
		}
		own := words(0x04|0x37<<8|4<<16, 0x82)
		if j == len(names)-1 {
			// PARAM_CBANK with the bank's section symbol, and the size of the parameters.
			own = append(own, words(0x04|0x0a<<8|8<<16, 1, 0x00080160, 0x03|0x19<<8|8<<16)...)
		}
		b.section(section{name: ".nv.info." + name, typ: 0x70000000, flags: 0x40, link: 3, info: uint32(text[j]), align: 4, data: own})
	}
	b.secs[graph].data = append(edges, words(0, 0xfffffffe, 0, 0xfffffffd, 0, 0xfffffffc)...)
	b.secs[info].data = attrs
}
