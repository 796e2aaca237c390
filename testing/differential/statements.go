package main

import (
	"fmt"
	"strings"
)

// place is where a statement goes.
type place struct {
	*generator
	file int
	in   *symbol
}

// statementKind makes one statement of its kind, or an empty part if the program has nothing for it.
type statementKind struct {
	feature feature // that the program must have; numFeatures for none
	chance  float64 // of each try
	tries   int
	make    func(*place) part
}

// statementKinds has everything that bodies are made of, in the order of a body.
var statementKinds = []statementKind{
	{featLines, .5, 1, (*place).line},
	{numFeatures, .45, 3, (*place).directCall},
	{featIndirect, .3, 1, (*place).indirectCall},
	{featIndirect, .2, 1, (*place).callWithFunction},
	{numFeatures, .15, 1, (*place).functionAddress},
	{numFeatures, .45, 3, (*place).access},
	{featDoubles, .5, 2, (*place).doubles},
	{featDivision, .4, 1, (*place).division},
	{featSwitch, .35, 1, (*place).switchTable},
	{featServices, .3, 1, (*place).service},
	{featTextures, .5, 1, (*place).texture},
	{featBarriers, .3, 1, (*place).barrier},
	{featStatics, .3, 1, (*place).static},
	{featLocalMemory, .3, 1, (*place).localArray},
	{featWarp, .4, 1, (*place).warp},
	{featAtomics, .3, 1, (*place).atomic},
	{featAsync, .3, 1, (*place).async},
	{featClusters, .3, 1, (*place).cluster},
	{numFeatures, .12, 1, (*place).pressure},
	{numFeatures, .06, 1, (*place).earlyExit},
	{featLines, .5, 1, (*place).line},
}

func (g *generator) body(at int, in *symbol) []part {
	p := &place{g, at, in}
	var out []part
	for _, k := range statementKinds {
		for range k.tries {
			if k.feature < numFeatures && !g.has[k.feature] || !g.chance(k.chance) {
				continue
			}
			if s := k.make(p); s.text != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

func (p *place) fresh() int { p.label++; return p.label }

// inKernel reports whether the statement stands in a kernel.
func (p *place) inKernel() bool { return p.in.kind == kernel }

func (p *place) directCall() part {
	var can []*symbol
	for _, s := range p.usable(p.file, isFunction) {
		// Without recursion functions call those that were named before.
		if p.has[featRecursion] || p.inKernel() || s.name < p.in.name {
			can = append(can, s)
		}
	}
	if len(can) == 0 {
		return part{}
	}
	f := pick(p.random, can...)
	return part{f.sig.call(f.name, ""), []*symbol{f}}
}

// indirectCall calls through the second entry of a table, or through memory.
func (p *place) indirectCall() part {
	sig := pick(p.random, append(signatures[:3:3], signatures[3+p.IntN(len(signatures)-3)])...)
	label := fmt.Sprint("P", p.fresh())
	var uses []*symbol
	load := "add.u64 %rd5, %rd0, 64; ld.u64 %rd5, [%rd5];"
	if t := p.usable(p.file, isTable); len(t) > 0 && p.chance(.7) {
		uses = []*symbol{pick(p.random, t...)}
		load = fmt.Sprintf("ld.%s.u64 %%rd5, [%s+8];", uses[0].space, uses[0].name)
	}
	return part{load + "\n" + label + ": .callprototype " + sig.declaration("_") + ";\n" + sig.call("%rd5", ", "+label), uses}
}

// callWithFunction passes the address of a function, or calls the one that was passed.
func (p *place) callWithFunction() part {
	if p.in.sig == callback {
		label := fmt.Sprint("P", p.fresh())
		return part{text: label + ": .callprototype " + signatures[0].declaration("_") + ";\n" + signatures[0].call("%rd0", ", "+label)}
	}
	takers := p.usable(p.file, func(s *symbol) bool { return s.sig == callback && s.kind == function })
	passed := p.usable(p.file, func(s *symbol) bool { return s.sig == signatures[0] && s.kind == function })
	if len(takers) == 0 || len(passed) == 0 {
		return part{}
	}
	t, f := pick(p.random, takers...), pick(p.random, passed...)
	return part{"mov.u64 %rd6, " + f.name + ";\n" + t.sig.call(t.name, "", "%rd6"), []*symbol{t, f}}
}

func (p *place) functionAddress() part {
	f := p.usable(p.file, isFunction)
	if len(f) == 0 {
		return part{}
	}
	s := pick(p.random, f...)
	return part{"mov.u64 %rd6, " + s.name + "; cvt.u32.u64 %r1, %rd6; add.u32 %r0, %r0, %r1;", []*symbol{s}}
}

func (p *place) access() part {
	vars := p.usable(p.file, func(s *symbol) bool {
		return isVariable(s) && (s.binding != undefined || p.chance(.3))
	})
	if len(vars) == 0 {
		return part{}
	}
	v := pick(p.random, vars...)
	n, sp := v.name, v.space
	add := " add.u32 %r0, %r0, %r1;"
	var text string
	switch p.IntN(6) {
	case 0:
		text = fmt.Sprintf("ld.%s.u8 %%r1, [%s];", sp, n) + add
	case 1:
		if sp == "const" {
			return part{}
		}
		text = fmt.Sprintf("st.%s.u8 [%s+%d], %%r0;", sp, n, pick(p.random, 0, 0, 1, 3))
	case 2:
		text = fmt.Sprintf("mov.u64 %%rd6, %s; cvta.%s.u64 %%rd6, %%rd6; cvt.u32.u64 %%r1, %%rd6; xor.b32 %%r0, %%r0, %%r1;", n, sp)
	case 3:
		text = fmt.Sprintf("mov.u64 %%rd6, %s; cvt.u64.u32 %%rd7, %%r0; add.u64 %%rd6, %%rd6, %%rd7; ld.%s.u8 %%r1, [%%rd6];", n, sp) + add
	case 4:
		text = fmt.Sprintf("mov.u32 %%r1, %s;", n) + add
		if sp != "shared" {
			text = fmt.Sprintf("mov.u64 %%rd6, %s+%d; cvt.u32.u64 %%r1, %%rd6;", n, pick(p.random, 0, 4, 100)) + add
		}
	default:
		volatile := ".volatile"
		if sp == "const" {
			volatile = ""
		}
		text = fmt.Sprintf("ld%s.%s.u8 %%r1, [%s+%d];", volatile, sp, n, p.IntN(2)) + add
	}
	return part{text, []*symbol{v}}
}

// doubles uses literals that the compiler places in a constant bank.
func (p *place) doubles() part {
	d := pick(p.random, uint64(0x3ff123456789abcd), 0x3ff9876543210fed, 0x3ff0000000000000+p.Uint64()>>12)
	return part{text: fmt.Sprintf("cvt.rn.f64.u32 %%fd0, %%r0; fma.rn.f64 %%fd0, %%fd0, 0d%016x, 0d3ff00000%08x; cvt.rzi.u32.f64 %%r0, %%fd0;", d, p.Uint32())}
}

// division makes the compiler add functions of its own.
func (p *place) division() part {
	return part{text: pick(p.random,
		"cvt.rn.f64.u32 %fd1, %r0; div.rn.f64 %fd0, %fd0, %fd1; cvt.rzi.u32.f64 %r0, %fd0;",
		"cvt.u64.u32 %rd7, %r0; div.u64 %rd7, %rd0, %rd7; cvt.u32.u64 %r0, %rd7;",
		"cvt.rn.f32.u32 %f0, %r0; sqrt.rn.f32 %f0, %f0; div.rn.f32 %f0, %f0, 0f40490fdb; cvt.rzi.u32.f32 %r0, %f0;",
		"cvt.rn.f64.u32 %fd1, %r0; sqrt.rn.f64 %fd1, %fd1; cvt.rzi.u32.f64 %r0, %fd1;",
		"rem.s32 %r0, %r0, 77;")}
}

func (p *place) switchTable() part {
	k, n := p.fresh(), pick(p.random, 4, 5, 8, 12)
	var b strings.Builder
	fmt.Fprintf(&b, "min.u32 %%r1, %%r0, %d;\nts%d: .branchtargets ", n-1, k)
	for j := range n {
		fmt.Fprintf(&b, "%sB%d_%d", strings.Repeat(", ", min(j, 1)), k, j)
	}
	fmt.Fprintf(&b, ";\nbrx.idx %%r1, ts%d;\n", k)
	for j := range n {
		fmt.Fprintf(&b, "B%d_%d: mad.lo.u32 %%r0, %%r0, %d, %d; bra E%d;\n", k, j, p.between(3, 99999), p.between(1, 99999), k)
	}
	fmt.Fprintf(&b, "E%d: xor.b32 %%r0, %%r0, 7;", k)
	return part{text: b.String()}
}

// services are functions of the runtime that the linker knows by name.
var services = []struct {
	name, declare, call string
}{
	{"vprintf", ".func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)",
		"{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd0; st.param.b64 [b], %rd0; call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; } add.u32 %r0, %r0, %r1;"},
	{"malloc", ".func (.param .b64 r) malloc (.param .b64 a)",
		"{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd0; call.uni (r), malloc, (a); ld.param.b64 %rd6, [r]; } add.u64 %rd0, %rd0, %rd6;"},
	{"free", ".func free (.param .b64 a)",
		"{ .param .b64 a; st.param.b64 [a], %rd0; call.uni free, (a); }"},
	{"__assertfail", ".func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e)",
		"{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %rd0; st.param.b64 [b], %rd0; st.param.b32 [c], %r0; st.param.b64 [d], %rd0; st.param.b64 [e], %rd0; call.uni __assertfail, (a, b, c, d, e); }"},
}

func (p *place) service() part {
	s := pick(p.random, services...)
	for _, known := range p.p.symbols {
		if known.kind == service && known.name == s.name {
			return part{s.call, []*symbol{known}}
		}
	}
	known := p.add(&symbol{name: s.name, kind: service, declare: s.declare})
	return part{s.call, []*symbol{known}}
}

func (p *place) texture() part {
	all := p.usable(p.file, func(s *symbol) bool { return s.kind == texture })
	if len(all) == 0 {
		return part{}
	}
	t := pick(p.random, all...)
	uses, add := []*symbol{t}, " add.u32 %r0, %r0, %r1;"
	switch {
	case p.chance(.1) || t.element == "samplerref":
		return part{"mov.u64 %rd6, " + t.name + "; cvt.u32.u64 %r1, %rd6;" + add, uses}
	case t.element == "surfref" && p.chance(.3):
		return part{"sust.b.1d.b32.trap [" + t.name + ", {%r0}], %r0;", uses}
	case t.element == "surfref":
		return part{"suld.b.1d.b32.trap %r1, [" + t.name + ", {%r0}];" + add, uses}
	case !p.p.independent:
		return part{"tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [" + t.name + ", {%r0}];" + add, uses}
	}
	samplers := p.usable(p.file, func(s *symbol) bool { return s.kind == texture && s.element == "samplerref" })
	if len(samplers) == 0 {
		return part{}
	}
	s := pick(p.random, samplers...)
	return part{"tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [" + t.name + ", " + s.name + ", {%r0}];" + add, append(uses, s)}
}

func (p *place) barrier() part {
	text := "bar.sync " + pick(p.random, "0", "0", "1", "3", "15") + ";"
	switch p.IntN(6) {
	case 0:
		text = "and.b32 %r1, %r0, 15; bar.sync %r1;"
	case 1:
		text = "setp.eq.u32 %p0, %r0, 3; bar.red.popc.u32 %r1, 2, %p0; add.u32 %r0, %r0, %r1;"
	case 2:
		text = "bar.arrive 4, 64;"
	}
	return part{text: text}
}

// static is a variable of one function.
func (p *place) static() part {
	n := fmt.Sprint("own", p.fresh())
	align, size := p.alignment(), p.bytesOf()
	if p.chance(.3) {
		return part{text: fmt.Sprintf(".global .align %d .b8 %s[%d]; st.volatile.global.u8 [%s], %%r0; ld.volatile.global.u8 %%r1, [%s]; xor.b32 %%r0, %%r0, %%r1;", align, n, size, n, n)}
	}
	return part{text: fmt.Sprintf(".shared .align %d .b8 %s[%d]; st.volatile.shared.u8 [%s], %%r0; ld.volatile.shared.u8 %%r1, [%s]; xor.b32 %%r0, %%r0, %%r1;", align, n, size, n, n)}
}

func (p *place) localArray() part {
	if p.chance(.15) && p.p.target.SM >= 52 {
		return part{text: "cvt.u64.u32 %rd7, %r0; alloca.u64 %rd6, %rd7, 16; st.local.u8 [%rd6], %r0; ld.local.u8 %r1, [%rd6+2]; add.u32 %r0, %r0, %r1;"}
	}
	n := fmt.Sprint("loc", p.fresh())
	return part{text: fmt.Sprintf(".local .align %d .b8 %s[%d]; mov.u64 %%rd6, %s; cvt.u64.u32 %%rd7, %%r0; and.b64 %%rd7, %%rd7, 15; add.u64 %%rd6, %%rd6, %%rd7; st.local.u8 [%%rd6], %%r0; ld.local.u8 %%r1, [%%rd6+0]; mov.u64 %%rd6, %s; ld.local.u8 %%r2, [%%rd6+3]; add.u32 %%r0, %%r1, %%r2;",
		pick(p.random, 4, 8, 16, 64), n, pick(p.random, 16, 64, 200, 2000), n, n)}
}

func (p *place) warp() part {
	return part{text: pick(p.random,
		"shfl.sync.idx.b32 %r1, %r0, 0, 31, -1; add.u32 %r0, %r0, %r1;",
		"setp.eq.u32 %p0, %r0, 3; vote.sync.ballot.b32 %r1, %p0, -1; add.u32 %r0, %r0, %r1;",
		"activemask.b32 %r1; bar.warp.sync %r1;",
		"mov.u32 %r1, %laneid; shfl.sync.bfly.b32 %r1, %r0, %r1, 31, %r1; add.u32 %r0, %r0, %r1;")}
}

func (p *place) atomic() part {
	return part{text: pick(p.random,
		"atom.global.add.u32 %r1, [%rd0], %r0; add.u32 %r0, %r0, %r1;",
		"red.global.add.u32 [%rd0], %r0;",
		"atom.cas.b32 %r1, [%rd0], %r0, 7; add.u32 %r0, %r0, %r1;",
		"membar.gl;", "membar.sys;", "membar.cta;",
		"atom.global.exch.b64 %rd6, [%rd0+8], %rd0; cvt.u32.u64 %r1, %rd6; xor.b32 %r0, %r0, %r1;")}
}

// async copies to shared memory without waiting, or waits at a barrier in shared memory.
func (p *place) async() part {
	vars := p.usable(p.file, func(s *symbol) bool {
		return s.kind == variable && s.space == "shared" && s.binding != undefined && s.size >= 8 && s.align >= 8
	})
	if len(vars) == 0 || p.p.target.SM < 80 {
		return part{}
	}
	v := pick(p.random, vars...)
	return part{pick(p.random,
		"mov.u32 %r1, NAME; cp.async.ca.shared.global [%r1], [%rd0], 8; cp.async.wait_all;",
		"mbarrier.init.shared.b64 [NAME], 32; mbarrier.arrive.shared.b64 %rd6, [NAME];"), []*symbol{v}}.named(v.name)
}

func (s part) named(name string) part {
	s.text = strings.ReplaceAll(s.text, "NAME", name)
	return s
}

func (p *place) cluster() part {
	if p.p.target.SM < 90 {
		return part{}
	}
	return part{text: pick(p.random,
		"barrier.cluster.arrive; barrier.cluster.wait;",
		"mov.u32 %r1, %cluster_ctarank; add.u32 %r0, %r0, %r1;",
		"griddepcontrol.wait;")}
}

// pressure needs many registers at once.
func (p *place) pressure() part {
	n := pick(p.random, 20, 40, 70)
	var b strings.Builder
	for j := range n {
		fmt.Fprintf(&b, "ld.volatile.global.u32 %%r%d, [%%rd0+%d];\n", 20+j, 4*j)
	}
	for j := range n {
		fmt.Fprintf(&b, "add.u32 %%r0, %%r0, %%r%d;\n", 20+j)
	}
	return part{text: strings.TrimSuffix(b.String(), "\n")}
}

func (p *place) earlyExit() part {
	return part{text: "setp.eq.u32 %p0, %r0, 77; @%p0 " + pick(p.random, "exit;", "trap;", "exit;")}
}

// line sets the place in the source of the following code, of its own or of an inlined function.
func (p *place) line() part {
	at := p.between(1, 200)
	if p.chance(.2) {
		return part{text: fmt.Sprintf(".loc 1 %d 3\n.loc 1 %d 5, function_name %s, inlined_at 1 %d 3", at, at+300, inlinedName, at)}
	}
	return part{text: fmt.Sprintf(".loc 1 %d %d", at, p.between(1, 40))}
}
