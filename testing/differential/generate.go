package main

import (
	"fmt"
	"strings"
)

// generator makes one program.
type generator struct {
	random
	has   [numFeatures]bool
	p     *program
	label int // of the last label, within one file
}

// generate makes the program of a seed for a target.
func generate(seed uint64, t target, without map[string]bool) *program {
	g := &generator{random: newRandom(seed, 1), p: &program{target: t}}
	g.has = drawFeatures(g.random, without)
	g.p.version = pick(g.random, t.ptxVersions()...)
	g.p.independent = g.chance(.5)
	for i := range pick(g.random, 1, 2, 2, 3, 3, 4) {
		g.p.files = append(g.p.files, &file{name: string(rune('a' + i)), flags: g.flags()})
	}
	g.functions()
	g.kernels()
	g.variables()
	g.dynamicShared()
	g.textures()
	g.tables()
	for i, f := range g.p.files {
		g.label = 0
		g.fill(i, f)
	}
	return g.p
}

// flags are the options that one file is compiled with.
func (g *generator) flags() []string {
	var out []string
	switch g.weighted(8, 1, 1) {
	case 1:
		out = append(out, "-lineinfo")
	case 2:
		out = append(out, "-g")
	}
	if len(out) == 0 && g.chance(.1) {
		out = append(out, pick(g.random, "-O0", "-O1", "-O2"))
	}
	if g.has[featMaxRegisters] && g.chance(.4) {
		out = append(out, "-maxrregcount="+pick(g.random, "32", "64", "40", "255"))
	}
	return out
}

// name makes the name of the i-th symbol of a kind. C++ names have their own order and are written otherwise in messages.
func (g *generator) name(kind string, i int) string {
	if !g.has[featMangled] || g.chance(.3) {
		return fmt.Sprint(kind, i)
	}
	plain := fmt.Sprint(kind, i)
	if g.chance(.3) {
		return fmt.Sprintf("_ZN2ns%d%sEj", len(plain), plain)
	}
	return fmt.Sprintf("_Z%d%sPi", len(plain), plain)
}

// owners draws the files that define a symbol.
func (g *generator) owners(several bool) []int {
	all := make([]int, len(g.p.files))
	for i := range all {
		all[i] = i
	}
	n := 1
	if several {
		n = g.between(1, len(all))
	}
	return some(g.random, all, n)
}

func (g *generator) add(s *symbol) *symbol {
	g.p.symbols = append(g.p.symbols, s)
	return s
}

// if1 is w if on, else 0: the weight of a choice that a feature allows.
func if1(on bool, w float64) float64 {
	if on {
		return w
	}
	return 0
}

func (g *generator) functions() {
	for i := range g.IntN(9) {
		b := []binding{strong, weak, local, undefined}[g.weighted(6, if1(g.has[featWeak], 4), if1(g.has[featLocalNames], 3), if1(g.has[featMistakes], .15))]
		s := &symbol{name: g.name("f", i), kind: function, binding: b, sig: signatures[g.weighted(3, 3, 3, 1, 1, 1, 1, 1)]}
		if b == strong && g.has[featIndirect] && g.chance(.25) {
			s.sig = callback
		}
		if b != undefined {
			s.files = g.owners(b != strong)
		}
		s.declare = ".func " + s.sig.declaration(s.name)
		g.add(s)
	}
}

func (g *generator) kernels() {
	if g.has[featNoKernels] {
		return
	}
	for i := range g.between(1, 5) {
		s := &symbol{name: g.name("k", i), kind: kernel}
		if g.has[featWeakKernels] && g.chance(.4) {
			s.binding = weak
		}
		s.files = g.owners(s.binding == weak)
		g.add(s)
	}
}

// bytesOf draws the size of a variable in bytes.
func (g *generator) bytesOf() int {
	return pick(g.random, 1, 2, 3, 4, 8, 12, 16, 17, 20, 32, 40, 64, 100, 256)
}

// alignment draws an alignment in bytes.
func (g *generator) alignment() int {
	if g.has[featBigAlign] && g.chance(.4) {
		return pick(g.random, 32, 64, 128, 256)
	}
	return pick(g.random, 1, 2, 4, 4, 8, 16)
}

// spaces has the bindings of variables of each space, as weights in the order of the constants.
var spaces = []struct {
	name                       string
	letter                     string
	feature                    feature
	most                       int
	strong, weak, local, commn float64
	filled                     float64 // how often a variable has an initializer
}{
	{"global", "g", featGlobal, 5, 5, 3, 2, 3, .5},
	{"const", "c", featConst, 4, 5, 2, 2, 0, .7},
	{"shared", "s", featShared, 5, 3, 2, 4, 0, 0},
}

func (g *generator) variables() {
	for _, sp := range spaces {
		if !g.has[sp.feature] {
			continue
		}
		for i := range g.between(1, sp.most) {
			b := []binding{strong, weak, local, common}[g.weighted(sp.strong, if1(g.has[featWeak], sp.weak), sp.local, if1(g.has[featCommon], sp.commn))]
			s := &symbol{name: g.name(sp.letter, i), kind: variable, binding: b, files: g.owners(b != strong), space: sp.name, size: g.bytesOf(), align: g.alignment()}
			s.filled = b != common && g.chance(sp.filled)
			s.managed = sp.name == "global" && b == strong && g.has[featManaged] && g.chance(.5)
			s.declare = g.variable(s, s.align, s.size)
			g.add(s)
		}
	}
	if g.has[featMistakes] && g.chance(.5) {
		s := &symbol{name: "missing", kind: variable, binding: undefined, space: pick(g.random, "global", "const", "shared"), size: 8, align: 4}
		s.declare = g.variable(s, 4, 8)
		g.add(s)
	}
}

func (g *generator) variable(s *symbol, align, size int) string {
	attribute := ""
	if s.managed {
		attribute = ".attribute(.managed) "
	}
	return fmt.Sprintf(".%s %s.align %d .b8 %s[%d]", s.space, attribute, align, s.name, size)
}

func (g *generator) dynamicShared() {
	if !g.has[featDynamic] {
		return
	}
	for i := range g.between(1, 2) {
		s := &symbol{name: g.name("dy", i), kind: dynamic, space: "shared", align: pick(g.random, 4, 8, 16, 128)}
		s.declare = fmt.Sprintf(".shared .align %d .b8 %s[]", s.align, s.name)
		g.add(s)
	}
}

func (g *generator) textures() {
	if !g.has[featTextures] {
		return
	}
	for i := range g.between(1, 4) {
		s := &symbol{name: g.name("t", i), kind: texture, files: g.owners(false), element: pick(g.random, "texref", "samplerref", "surfref")}
		if !g.p.independent && s.element == "samplerref" {
			s.element = "texref"
		}
		s.declare = ".global ." + s.element + " " + s.name
		g.add(s)
	}
}

// tableEntries is the number of pointers in a table.
const tableEntries = 4

func (g *generator) tables() {
	if !g.has[featTables] {
		return
	}
	for i := range g.between(1, 3) {
		b := []binding{strong, local, weak}[g.weighted(1, 1, if1(g.has[featWeak], 1))]
		s := &symbol{name: g.name("tab", i), kind: table, binding: b, files: g.owners(b == weak), space: pick(g.random, "global", "global", "const")}
		s.declare = fmt.Sprintf(".%s .align 8 .u64 %s[%d]", s.space, s.name, tableEntries)
		g.add(s)
	}
}

// usable lists the symbols of some kinds that code of a file can name.
func (g *generator) usable(f int, ok func(*symbol) bool) []*symbol {
	var out []*symbol
	for _, s := range g.p.symbols {
		if s.usableIn(f) && ok(s) {
			out = append(out, s)
		}
	}
	return out
}

func isFunction(s *symbol) bool { return s.kind == function }
func isTable(s *symbol) bool    { return s.kind == table }
func isVariable(s *symbol) bool { return s.kind == variable || s.kind == dynamic }

// fill makes the definitions of one file: variables, then those that hold addresses, then code in any order, then aliases.
func (g *generator) fill(at int, f *file) {
	var plain, code []*item
	var pointers []*item
	for _, s := range g.p.symbols {
		mine := false
		for _, o := range s.files {
			mine = mine || o == at
		}
		if !mine {
			continue
		}
		switch s.kind {
		case function:
			code = append(code, g.function(at, s))
		case kernel:
			code = append(code, g.kernel(at, s))
		case variable:
			plain = append(plain, g.definition(s))
		case texture:
			plain = append(plain, &item{sym: s, head: ".visible " + s.declare})
		case table:
			pointers = append(pointers, g.table(at, s))
		}
	}
	g.Shuffle(len(plain), func(i, j int) { plain[i], plain[j] = plain[j], plain[i] })
	g.Shuffle(len(code), func(i, j int) { code[i], code[j] = code[j], code[i] })
	f.items = append(f.items, plain...)
	f.items = append(f.items, g.pointers(at)...)
	f.items = append(f.items, pointers...)
	f.items = append(f.items, code...)
	if g.has[featAliases] && g.chance(.5) {
		f.items = append(f.items, g.alias(at)...)
	}
}

// directive is how a binding is written.
func (b binding) directive() string {
	return [...]string{strong: ".visible ", weak: ".weak ", local: "", common: ".common "}[b]
}

// definition defines a variable. Copies in several files differ in alignment, common ones and mistaken ones in size.
func (g *generator) definition(s *symbol) *item {
	size, align, b := s.size, s.align, s.binding
	if b != strong {
		align = g.alignment()
	}
	if b == common && g.chance(.3) || g.has[featMistakes] && g.chance(.08) {
		size += pick(g.random, 4, 8, 32)
	}
	if b == weak && g.chance(.2) || b == common && g.chance(.15) {
		b = strong
	}
	i := &item{sym: s, head: b.directive() + g.variable(s, align, size)}
	if s.filled {
		for range g.between(1, min(size, 8)) {
			i.initial = append(i.initial, part{text: fmt.Sprint(g.IntN(256))})
		}
	}
	return i
}

// table defines a table of pointers. Its second entry is the one that code calls.
func (g *generator) table(at int, s *symbol) *item {
	i := &item{sym: s, head: s.binding.directive() + s.declare}
	functions := g.usable(at, isFunction)
	for range g.between(2, tableEntries) {
		if len(functions) > 0 && g.chance(.7) {
			f := pick(g.random, functions...)
			i.initial = append(i.initial, part{f.name, []*symbol{f}})
		} else {
			i.initial = append(i.initial, g.address(at, s.space))
		}
	}
	return i
}

// address is the address of a variable, or a number if there is none.
func (g *generator) address(at int, space string) part {
	vars := g.usable(at, func(s *symbol) bool {
		return s.kind == variable && (s.space == "global" || s.space == "const") && s.binding != undefined
	})
	if len(vars) == 0 || g.chance(.2) {
		return part{text: fmt.Sprint(g.IntN(10))}
	}
	v := pick(g.random, vars...)
	text := v.name
	if v.space == "const" || g.chance(.5) {
		text = "generic(" + v.name + ")"
	}
	if g.chance(.4) {
		text += pick(g.random, "+4", "+8", "+1")
	}
	return part{text, []*symbol{v}}
}

// pointers defines variables that hold addresses of variables, or single bytes of the address of a function.
func (g *generator) pointers(at int) []*item {
	if !g.has[featPointers] || g.chance(.4) {
		return nil
	}
	var out []*item
	letter := g.p.files[at].name
	for j := range g.between(1, 2) {
		b := pick(g.random, strong, local)
		space := pick(g.random, "global", "global", "const")
		s := g.add(&symbol{name: fmt.Sprintf("ptr_%s%d", letter, j), kind: table, binding: b, files: []int{at}, space: space})
		s.declare = fmt.Sprintf(".%s .align 8 .u64 %s[%d]", space, s.name, tableEntries)
		out = append(out, &item{sym: s, head: b.directive() + s.declare, initial: []part{g.address(at, space), {text: "5"}}})
	}
	functions := g.usable(at, isFunction)
	if len(functions) == 0 || g.chance(.6) {
		return out
	}
	f := pick(g.random, functions...)
	s := &symbol{name: "bytes_" + letter, kind: table, files: []int{at}, space: "global"}
	i := &item{sym: s, head: ".visible .global .align 8 .u8 " + s.name + "[16]"}
	for n := range g.between(1, 8) {
		i.initial = append(i.initial, part{fmt.Sprintf("%#x(%s)", uint64(0xff)<<(8*n), f.name), []*symbol{f}})
	}
	return append(out, i)
}

// alias gives a function of the file a second name.
func (g *generator) alias(at int) []*item {
	own := g.usable(at, func(s *symbol) bool {
		return s.kind == function && s.binding == strong && s.files[0] == at
	})
	if len(own) == 0 {
		return nil
	}
	f := pick(g.random, own...)
	s := &symbol{name: f.name + "alias", kind: function, files: []int{at}, sig: f.sig}
	s.declare = ".func " + f.sig.declaration(s.name)
	// Files that come later may call it.
	g.add(s)
	return []*item{{sym: s, forward: ".visible " + s.declare, alias: f}}
}

func (g *generator) function(at int, s *symbol) *item {
	b := s.binding
	if b == weak && g.chance(.1) {
		b = strong
	}
	head := b.directive() + ".func " + s.sig.declaration(s.name)
	i := &item{sym: s, head: head, forward: head, open: s.sig.enter(), close: s.sig.leave()}
	i.body = g.body(at, s)
	return i
}

// limits are what a kernel may promise about its launch.
var limits = []string{".maxntid 128", ".reqntid 64", ".maxntid 256\n.minnctapersm 2", ".maxntid 32,2,1", ".maxntid 1024", ".minnctapersm 1\n.maxntid 64"}

// clusterLimits are those about clusters, from sm_90 on.
var clusterLimits = []string{".reqnctapercluster 2\n.explicitcluster", ".reqnctapercluster 2,2,1", ".maxclusterrank 8"}

func (g *generator) kernel(at int, s *symbol) *item {
	params := ".param .u64 p0"
	for j := range g.IntN(4) {
		kind := "u32"
		if s.binding == strong {
			kind = pick(g.random, "u32", "u64", "u8", "f64")
		}
		params += fmt.Sprintf(", .param .%s p%d", kind, j+1)
	}
	big := 0
	if s.binding == strong && g.chance(.07) {
		big = pick(g.random, 64, 500, 3000)
		params += fmt.Sprintf(", .param .align %d .b8 big[%d]", pick(g.random, 8, 64, 128), big)
	}
	i := &item{sym: s, head: strings.TrimSpace(s.binding.directive()) + " .entry " + s.name + " (" + params + ")"}
	if g.has[featBounds] && g.chance(.5) {
		i.directives = append(i.directives, part{text: pick(g.random, limits...)})
	}
	if g.has[featClusters] && g.p.target.SM >= 90 && g.chance(.5) {
		i.directives = append(i.directives, part{text: pick(g.random, clusterLimits...)})
	}
	if g.has[featMaxRegisters] && g.chance(.4) {
		i.directives = append(i.directives, part{text: ".maxnreg " + pick(g.random, "32", "64", "24")})
	}
	i.open = registers + "ld.param.u64 %rd0, [p0]; mov.u32 %r0, %tid.x; mov.f64 %fd0, 0d3ff0000000000000;"
	if big > 0 {
		i.open += " cvt.u64.u32 %rd1, %r0; mov.b64 %rd2, big; add.u64 %rd2, %rd2, %rd1; ld.param.u8 %r1, [%rd2]; add.u32 %r0, %r0, %r1;"
	}
	i.close = "st.global.u32 [%rd0], %r0; ret;"
	i.body = g.body(at, s)
	return i
}
