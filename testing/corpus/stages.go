package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/link"
)

// staging links the inputs of every folder of a corpus in random groupings, in stages and stages of stages, and compares each
// image with that of one link of all inputs in the order in which the stages bring them.
type staging struct {
	rounds  int
	toolkit string
	list    int
	jobs    int
	same    int // nothing differs but order
	equal   int // the bytes are the same
	facts   map[string]int
	shown   map[string]int
}

func newStaging(rounds int, toolkit string, list int) *staging {
	return &staging{rounds: rounds, toolkit: toolkit, list: list, facts: map[string]int{}, shown: map[string]int{}}
}

// stages links the inputs of all folders below dir whose path matches.
func stages(dir, match, toolkit string, rounds, list int) (bool, error) {
	s := newStaging(rounds, toolkit, list)
	if err := eachFolder(dir, match, s.folder); err != nil {
		return false, err
	}
	fmt.Printf("%d staged links, %d give what one link gives, %d of these the same bytes\n", s.jobs, s.same, s.equal)
	var kinds []string
	for k, n := range s.facts {
		kinds = append(kinds, fmt.Sprintf("%6d %s", n, k))
	}
	slices.Sort(kinds)
	slices.Reverse(kinds)
	for _, k := range kinds {
		fmt.Println(k)
	}
	return s.same == s.jobs, nil
}

// eachFolder calls fn with every folder of a corpus below dir whose path matches: with its architecture and inputs.
func eachFolder(dir, match string, fn func(dir, arch string, inputs []string) error) error {
	re, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "manifest.json" || !re.MatchString(path) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var m struct {
			Arch   string
			Inputs []string
		}
		if err := json.Unmarshal(b, &m); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return fn(filepath.Dir(path), m.Arch, m.Inputs)
	})
}

// folder links the inputs of one folder. A folder whose inputs do not link as they are is passed over.
func (s *staging) folder(dir, arch string, inputs []string) error {
	o, sources, ok := options(dir, "staged", append([]string{"-arch=" + arch}, inputs...), s.toolkit)
	if !ok {
		return nil
	}
	o.KeepPointers = true // stages are about culink's own links
	if image, _ := linkOnce(o, sources); image == nil {
		return nil
	}
	plain := o
	for round := range s.rounds {
		r := rand.New(rand.NewPCG(uint64(len(dir)), uint64(round)))
		tree := grouping(r, slices.Clone(sources), maxDepth)
		o := finalOptions(r, plain, sources)
		whole, _ := linkOnce(o, tree.flat())
		if whole == nil {
			continue // the order of archives' members, or of weak definitions, can decide
		}
		s.jobs++
		staged, text := tree.link(o)
		switch {
		case staged == nil:
			s.differ(dir, tree, "no image: "+text, "no image")
			continue
		case string(staged) == string(whole):
			s.equal++
		}
		a, err := cubin.Parse(whole)
		if err != nil {
			return err
		}
		b, err := cubin.Parse(staged)
		if err != nil {
			return err
		}
		diffs := consequential(inspect.Diff(a, b))
		for _, d := range diffs {
			s.differ(dir, tree, d.String(), named.ReplaceAllString(d.Key, "$1*"))
		}
		if len(diffs) == 0 {
			s.same++
		}
	}
	return nil
}

func (s *staging) differ(dir string, tree *stage, what, kind string) {
	s.facts[kind]++
	if s.shown[kind]++; s.shown[kind] <= s.list {
		fmt.Printf("%s %s: %.200s\n", dir, tree, what)
	}
}

var named = regexp.MustCompile(`(\.(text|nv\.info|rela?\.text|nv\.constant\d|nv\.capmerc\.text|nv\.merc\.nv\.info|nv\.merc\.rela\.text|nv\.shared|rela?\.nv\.constant\d)\.|symbol )\S+|0x[0-9a-f]+|#\d+`)

// consequential leaves out what stages may bring about: order and what follows from it, and the notes that each stage adds.
func consequential(all []inspect.Difference) []inspect.Difference {
	var out []inspect.Difference
	attributes := map[string]*[2][]string{} // values in the two images by key, without numbers
	for _, d := range all {
		switch {
		case strings.HasPrefix(d.Key, "attribute "):
			key, _, _ := strings.Cut(d.Key, " #")
			v := attributes[key]
			if v == nil {
				v = &[2][]string{}
				attributes[key] = v
			}
			v[0], v[1] = append(v[0], words(d.A)), append(v[1], words(d.B))
		case !implied(d.Key):
			out = append(out, d)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		v := attributes[key]
		slices.Sort(v[0])
		slices.Sort(v[1])
		if !slices.Equal(v[0], v[1]) {
			out = append(out, inspect.Difference{Key: key, A: fmt.Sprint(v[0]), B: fmt.Sprint(v[1])})
		}
	}
	return out
}

// words sorts the words of a value: lists of symbols are in the order of symbols.
func words(value string) string {
	w := strings.Fields(value)
	slices.Sort(w)
	return strings.Join(w, " ")
}

// implied reports whether a difference is one of order, or follows from it: the number of a section's symbol, the side of
// the symbol table that a weak symbol's first mention decides, names in string tables, places in the file, and that of the
// last constants of one input, which the null symbol has under a kernel filter. The twin of reserved shared memory has no
// bytes of its own in the file.
func implied(key string) bool {
	switch key {
	case "section .strtab size", "section .shstrtab size", "section .note.nv.tkinfo size", "section .symtab info", "section .nv.merc.symtab info",
		"symbol null value", "mercury symbol null value":
		return true
	}
	for _, p := range []string{"order of ", "header ", "segment ", "note .note.nv.tkinfo ", "section .nv.merc.nv.shared.reserved.0 bytes "} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return strings.HasSuffix(key, " offset") || strings.Contains(key, " string ") ||
		strings.HasPrefix(key, "section .nv.capmerc.text.") && strings.HasSuffix(key, " info")
}

// stage is a source, or a relocatable link of several.
type stage struct {
	source link.Source
	of     []*stage
}

// maxDepth is how deep stages are nested at most.
const maxDepth = 3

// grouping puts sources in random order into random groups, down to a depth.
func grouping(r *rand.Rand, sources []link.Source, depth int) *stage {
	if depth == maxDepth {
		r.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
	}
	s := &stage{}
	for len(sources) > 0 {
		n := 1 + r.IntN(len(sources))
		switch {
		case depth > 0 && r.IntN(3) > 0:
			s.of = append(s.of, grouping(r, sources[:n], depth-1))
		default:
			for _, src := range sources[:n] {
				s.of = append(s.of, &stage{source: src})
			}
		}
		sources = sources[n:]
	}
	return s
}

func (s *stage) flat() []link.Source {
	if s.of == nil {
		return []link.Source{s.source}
	}
	var all []link.Source
	for _, t := range s.of {
		all = append(all, t.flat()...)
	}
	return all
}

func (s *stage) String() string {
	if s.of == nil {
		return strings.TrimSuffix(filepath.Base(s.source.Name), ".cubin")
	}
	var names []string
	for _, t := range s.of {
		names = append(names, t.String())
	}
	return "(" + strings.Join(names, " ") + ")"
}

// finalOptions are options of the last link that the stages know nothing of, but for -g.
func finalOptions(r *rand.Rand, o link.Options, sources []link.Source) link.Options {
	switch r.IntN(5) {
	case 0:
		o.Debug = true
	case 1:
		o.PreserveRelocs = true
	case 2:
		o.FilterGiven, o.KernelsUsed = true, []string{anyKernel(r, sources)}
	case 3:
		o.PreserveRelocs = true
		o.FilterGiven, o.KernelsUsed = true, []string{anyKernel(r, sources)}
	}
	return o
}

// anyKernel is the name of a kernel that the sources define, or one that none does.
func anyKernel(r *rand.Rand, sources []link.Source) string {
	names := []string{"nothing"}
	for _, src := range sources {
		f, err := cubin.Parse(src.Data)
		if err != nil {
			continue
		}
		for i := range f.Symbols {
			if y := &f.Symbols[i]; y.Type() == cubin.STTFunc && y.Entry() {
				names = append(names, y.Name)
			}
		}
	}
	return names[r.IntN(len(names))]
}

// link links the stages below, each relocatably, and then s. It returns the messages if there is no image.
func (s *stage) link(o link.Options) ([]byte, string) {
	var sources []link.Source
	for i, t := range s.of {
		if t.of == nil {
			sources = append(sources, t.source)
			continue
		}
		part := o
		part.Relocatable, part.KeepSettledRelocs = true, true
		part.PreserveRelocs, part.FilterGiven, part.KernelsUsed = false, false, nil
		image, text := t.link(part)
		if image == nil {
			return nil, text
		}
		sources = append(sources, link.Source{Name: fmt.Sprintf("stage%d.cubin", i), Data: image})
	}
	return linkOnce(o, sources)
}

func linkOnce(o link.Options, sources []link.Source) ([]byte, string) {
	d := &diag.Collector{}
	res, err := link.Run(context.Background(), o, sources, d)
	if err == nil {
		return res.Image, ""
	}
	var texts []string
	for _, m := range d.Messages() {
		texts = append(texts, m.Text())
	}
	return nil, fmt.Sprintf("%v: %s", err, strings.Join(texts, "; "))
}
