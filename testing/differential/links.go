package main

import (
	"slices"
	"strings"
)

// job is one link of a program. Files of stages are made by nvlink first, from names of objects.
type job struct {
	name   string
	stages []stage
	args   []string // options
	inputs []string // names of files
}

// stage is a link that makes an input of later ones.
type stage struct {
	output       string
	args, inputs []string
}

// linkKinds are the kinds of links, with their weights. Those of relocatable links count from 13.0 on.
var linkKinds = []struct {
	name    string
	weight  float64
	since   int
	args    []string
	kernels bool // a filter by kernels
	vars    bool // a filter by variables
	staged  int  // inputs that a stage links: 1 for all but one, 2 for all
}{
	{name: "default", weight: 5},
	{name: "preserve", weight: 2, args: []string{"--preserve-relocs"}},
	{name: "debug", weight: 2, args: []string{"-g"}},
	{name: "kernels-used", weight: 2, kernels: true},
	{name: "variables-used", weight: 1, vars: true},
	{name: "relocatable", weight: 2, since: 130, args: []string{"-r"}},
	{name: "relocatable-preserve", weight: 1, since: 130, args: []string{"-r", "--preserve-relocs"}},
	{name: "relocatable-debug", weight: 1, since: 130, args: []string{"-r", "-g"}},
	{name: "relocatable-kernels-used", weight: .5, since: 130, args: []string{"-r"}, kernels: true},
	{name: "preserve-kernels-used", weight: .5, args: []string{"--preserve-relocs"}, kernels: true},
	{name: "staged", weight: 1, since: 130, staged: 1},
	{name: "staged-preserve", weight: .5, since: 130, staged: 1, args: []string{"--preserve-relocs"}},
	{name: "staged-relocatable", weight: .5, since: 130, staged: 1, args: []string{"-r"}},
	{name: "relinked", weight: 1, since: 130, staged: 2},
	{name: "relinked-relocatable", weight: .5, since: 130, staged: 2, args: []string{"-r"}},
}

// extraOptions are options that any link may have in addition, and how often.
var extraOptions = []struct {
	option string
	chance float64
	since  int
}{
	{"-v", .15, 0},
	{"-g", .05, 0},
	{"-suppress-debug-info", .3, 0},
	{"-dump-callgraph", .1, 0},
	{"-dump-callgraph-no-demangle", .05, 0},
	{"-extrawarn", .1, 0},
	{"-Werror", .04, 0},
	{"-w", .04, 0},
	{"-disable-infos", .03, 130},
	{"-suppress-stack-size-warning", .05, 0},
	{"-suppress-arch-warning", .03, 0},
	{"-report-arch", .05, 0},
	{"-use-host-info", .05, 0},
	{"-ignore-host-info", .05, 0},
	{"--disable-smem-reservation=true", .06, 0},
	{"--enable-extended-smem=true", .04, 130},
	{"--reserve-null-pointer", .06, 0},
	{"--dont-reserve-null-pointer", .02, 0},
	{"--allow-undefined-globals", .06, 0},
	{"--verbose-tkinfo=true", .04, 130},
	{"--device-stack-protector=true", .03, 130},
	{"-keep-system-libraries", .03, 0},
	{"-force-partial-lto", .005, 0},
	{"-force-whole-lto", .005, 0},
	{"-shared", .02, 0},
	{"-uumn", .02, 0},
	{"-cpu-arch=X86_64", .02, 0},
	{"-maxrregcount=32", .02, 0},
	{"-Xptxas=-v", .02, 0},
}

// plan draws the links of a program whose objects are given.
func plan(seed uint64, p *program, objects []string, count int, without map[string]bool) []job {
	r := newRandom(seed, 2)
	var jobs []job
	for range count {
		jobs = append(jobs, drawJob(r, p, objects, without))
	}
	return jobs
}

func drawJob(r random, p *program, objects []string, without map[string]bool) job {
	release := p.target.release
	weights := make([]float64, len(linkKinds))
	for i, k := range linkKinds {
		weights[i] = if1(k.since <= release && !without[k.name], k.weight)
	}
	k := linkKinds[r.weighted(weights...)]
	j := job{name: k.name, args: slices.Clone(k.args), inputs: drawInputs(r, objects)}
	if k.kernels {
		if names := p.names(func(s *symbol) bool { return s.kind == kernel }); len(names) > 0 {
			j.args = append(j.args, "-kernels-used="+strings.Join(some(r, names, r.between(1, min(2, len(names)))), ","))
		}
	}
	if k.vars {
		if names := p.names(isVariable); len(names) > 0 {
			j.args = append(j.args, "-variables-used="+pick(r, names...))
		}
	}
	for _, o := range extraOptions {
		if r.chance(o.chance) && o.since <= release && !without[o.option] && j.fits(o.option) {
			j.args = append(j.args, o.option)
		}
	}
	if k.staged > 0 {
		j = j.inStages(k.staged == 2)
	}
	return j
}

// conflicts are pairs of options that nvlink refuses.
var conflicts = map[string]string{
	"-dump-callgraph-no-demangle": "-dump-callgraph",
	"-ignore-host-info":           "-use-host-info",
}

// fits reports whether a link can have one more option. A refused command line links nothing, so few are drawn.
func (j job) fits(option string) bool {
	if option == "-suppress-debug-info" && !slices.Contains(j.args, "-g") {
		return false
	}
	return !slices.Contains(j.args, option) && !slices.Contains(j.args, conflicts[option])
}

// drawInputs draws which objects are linked, in which order.
func drawInputs(r random, objects []string) []string {
	in := slices.Clone(objects)
	if r.chance(.4) {
		r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
	}
	switch {
	case len(in) > 1 && r.chance(.1):
		in = in[:len(in)-1]
	case r.chance(.05):
		in = append(in, pick(r, in...))
	}
	return in
}

// inStages links the inputs, or all but the last, relocatably first.
func (j job) inStages(all bool) job {
	n := len(j.inputs)
	if !all && n > 1 {
		n--
	}
	j.stages = []stage{{output: "part.cubin", args: []string{"-r"}, inputs: j.inputs[:n]}}
	j.inputs = append([]string{"part.cubin"}, j.inputs[n:]...)
	return j
}

// names lists the symbols that a filter may name.
func (p *program) names(ok func(*symbol) bool) []string {
	var out []string
	for _, s := range p.symbols {
		if ok(s) {
			out = append(out, s.name)
		}
	}
	return out
}
