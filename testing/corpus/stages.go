package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
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

func stages(dir, match, toolkit string, rounds, list int) (bool, error) {
	re, err := regexp.Compile(match)
	if err != nil {
		return false, err
	}
	s := &staging{rounds: rounds, toolkit: toolkit, list: list, facts: map[string]int{}, shown: map[string]int{}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
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
		return s.folder(filepath.Dir(path), m.Arch, m.Inputs)
	})
	if err != nil {
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

// folder links the inputs of one folder. A folder whose inputs do not link as they are is passed over.
func (s *staging) folder(dir, arch string, inputs []string) error {
	o, sources, ok := options(dir, "staged", append([]string{"-arch=" + arch}, inputs...), s.toolkit)
	if !ok {
		return nil
	}
	if image, _ := linkOnce(o, sources); image == nil {
		return nil
	}
	for round := range s.rounds {
		r := rand.New(rand.NewPCG(uint64(len(dir)), uint64(round)))
		tree := grouping(r, slices.Clone(sources), 3)
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
		same := true
		for _, d := range inspect.Diff(a, b) {
			if kind := fact(d.Key); kind != "" {
				same = false
				s.differ(dir, tree, d.String(), kind)
			}
		}
		if same {
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

// fact is the kind of a difference, "" if stages may bring it about: order, and what follows from order.
func fact(key string) string {
	switch {
	case strings.HasPrefix(key, "order of "), strings.HasPrefix(key, "header "), strings.HasPrefix(key, "segment "),
		strings.HasSuffix(key, " offset"), strings.Contains(key, " string "):
		return ""
	}
	return named.ReplaceAllString(key, "$1*")
}

// stage is a source, or a relocatable link of several.
type stage struct {
	source link.Source
	of     []*stage
}

// grouping puts sources in random order into random groups, down to a depth.
func grouping(r *rand.Rand, sources []link.Source, depth int) *stage {
	if depth == 3 {
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
