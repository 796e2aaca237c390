// Command corpus links the jobs of a reference corpus in one process and says where images differ.
//
// A corpus is a folder with manifest.json files: each names the arguments of several links and what the reference
// linker returned; its image and text lie beside. Unlike a run of the command line per job this takes seconds for thousands of
// links, and it names the sections that differ.
//
//	go run ./testing/corpus [-match REGEXP] [-list N] [-toolkit 12.4|13.0] DIR
//	go run ./testing/corpus -stages N [-match REGEXP] [-list N] DIR
//	go run ./testing/corpus -pointers [-match REGEXP] [-list N] DIR
//
// The second form compares culink with itself: links in stages with one link of all inputs (see stages.go). The third needs no image to
// compare with: it asks whether the pointers in the inputs' data are in the image (see pointers.go).
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cli"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/link"
)

type manifest struct {
	Variants map[string]variant
}

type variant struct {
	Args            []string
	RC              int
	Finalized       []string `json:"finalized"`
	OnlyCodeDiffers bool     `json:"only_code_differs"`
	SettledEarly    int      `json:"settled_early"`
}

func main() {
	match := flag.String("match", "", "only jobs whose path (folder/variant) matches")
	list := flag.Int("list", 10, "how many jobs that differ are named")
	toolkit := flag.String("toolkit", "", "12.4 or 13.0 (default: from the path)")
	rounds := flag.Int("stages", 0, "instead link the inputs of each folder in this many random groupings, and compare with one link")
	data := flag.Bool("pointers", false, "instead ask of culink's own images whether they have all pointers in data")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	check := func() (bool, error) { return run(flag.Arg(0), *match, *toolkit, *list) }
	if *rounds > 0 {
		check = func() (bool, error) { return stages(flag.Arg(0), *match, *toolkit, *rounds, *list) }
	}
	if *data {
		check = func() (bool, error) { return pointers(flag.Arg(0), *match, *toolkit, *list) }
	}
	ok, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

type tally struct {
	jobs, same, failed, leftOut int
	sections                    map[string]int
	shown                       int
}

func run(dir, match, toolkit string, list int) (bool, error) {
	re, err := regexp.Compile(match)
	if err != nil {
		return false, err
	}
	t := tally{sections: map[string]int{}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "manifest.json" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var m manifest
		if err := json.Unmarshal(b, &m); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, name := range slices.Sorted(keys(m.Variants)) {
			job := filepath.Join(filepath.Dir(path), name)
			if re.MatchString(job) {
				t.job(filepath.Dir(path), name, m.Variants[name], toolkit, list)
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	var kinds []string
	for k, n := range t.sections {
		kinds = append(kinds, fmt.Sprintf("%6d %s", n, k))
	}
	slices.Sort(kinds)
	slices.Reverse(kinds)
	fmt.Printf("%d of %d images the same, %d links failed, %d images left out\n", t.same, t.jobs, t.failed, t.leftOut)
	for _, k := range kinds {
		fmt.Println(k)
	}
	return t.same == t.jobs, nil
}

func keys(m map[string]variant) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (t *tally) job(dir, name string, v variant, toolkit string, list int) {
	want, err := os.ReadFile(filepath.Join(dir, name+".cubin"))
	if err != nil || v.RC != 0 {
		return
	}
	opts, sources, ok := options(dir, name, v.Args, toolkit)
	if !ok {
		return
	}
	t.jobs++
	d := &diag.Collector{}
	show := func(what string) {
		if t.shown < list {
			t.shown++
			fmt.Printf("%s/%s: %s\n", dir, name, what)
		}
	}
	res, err := link.Run(context.Background(), opts, sources, d)
	if err != nil {
		t.failed++
		var texts []string
		for _, m := range d.Messages() {
			texts = append(texts, m.Text())
		}
		show(fmt.Sprintf("%v: %s", err, strings.Join(texts, "; ")))
		return
	}
	got := res.Image
	if v.OnlyCodeDiffers {
		got, want = blank(got, v.Finalized), blank(want, v.Finalized)
	} else if len(v.Finalized) > 0 || v.SettledEarly > 0 {
		t.leftOut++
		t.jobs--
		return
	}
	if bytes.Equal(got, want) {
		t.same++
		return
	}
	diff := differences(got, want)
	seen := map[string]bool{}
	for _, s := range diff {
		k := kindName(s)
		if !seen[k] {
			seen[k] = true
			t.sections[k]++
		}
	}
	show(strings.Join(diff[:min(len(diff), 8)], ", "))
}

var suffix = regexp.MustCompile(`^(\.text|\.nv\.info|\.rela?\.text|\.nv\.constant\d|\.nv\.capmerc\.text|\.nv\.merc\.nv\.info|\.nv\.merc\.rela\.text|\.nv\.shared|\.rela?\.nv\.constant\d|\.nv\.resolvedrela\.text)\..*`)

func kindName(s string) string {
	s, _, _ = strings.Cut(s, " ")
	return suffix.ReplaceAllString(s, "$1.*")
}

func blank(image []byte, names []string) []byte {
	f, err := cubin.Parse(image)
	if err != nil {
		return image
	}
	out := bytes.Clone(image)
	for i := range f.Sections {
		if s := &f.Sections[i]; slices.Contains(names, s.Name) && s.Data != nil {
			clear(out[s.Offset : s.Offset+s.Size])
		}
	}
	return out
}

// differences names the sections whose headers or bytes differ.
func differences(got, want []byte) []string {
	g, err := cubin.Parse(got)
	if err != nil {
		return []string{"unreadable: " + err.Error()}
	}
	w, err := cubin.Parse(want)
	if err != nil {
		return []string{"reference unreadable: " + err.Error()}
	}
	var out []string
	if len(g.Sections) != len(w.Sections) {
		out = append(out, fmt.Sprintf("(sections %d for %d)", len(g.Sections), len(w.Sections)))
	}
	type key struct {
		name string
		n    int
	}
	index := func(f *cubin.File) map[key]*cubin.Section {
		m, count := map[key]*cubin.Section{}, map[string]int{}
		for i := range f.Sections {
			n := f.Sections[i].Name
			m[key{n, count[n]}] = &f.Sections[i]
			count[n]++
		}
		return m
	}
	gi := index(g)
	for k, s := range index(w) {
		o := gi[k]
		switch {
		case o == nil:
			out = append(out, k.name+" (missing)")
		case o.Size != s.Size:
			out = append(out, fmt.Sprintf("%s (size %#x for %#x)", k.name, o.Size, s.Size))
		case !bytes.Equal(o.Data, s.Data):
			at := 0
			for at < len(s.Data) && o.Data[at] == s.Data[at] {
				at++
			}
			out = append(out, fmt.Sprintf("%s (byte %#x)", k.name, at))
		case len(out) == 0 && (o.Type != s.Type || o.Flags != s.Flags || o.Info != s.Info || o.Link != s.Link || o.Addralign != s.Addralign || o.Offset != s.Offset || o.NameOff != s.NameOff):
			out = append(out, fmt.Sprintf("%s (header: %s)", k.name, headerDiff(o, s)))
		}
		delete(gi, k)
	}
	for k := range gi {
		out = append(out, k.name+" (extra)")
	}
	slices.Sort(out)
	if len(out) == 0 {
		out = append(out, "(file header, segments or gaps)")
	}
	return out
}

func headerDiff(o, s *cubin.Section) string {
	var d []string
	add := func(name string, a, b uint64) {
		if a != b {
			d = append(d, fmt.Sprintf("%s %#x for %#x", name, a, b))
		}
	}
	add("name", uint64(o.NameOff), uint64(s.NameOff))
	add("type", uint64(o.Type), uint64(s.Type))
	add("flags", o.Flags, s.Flags)
	add("offset", o.Offset, s.Offset)
	add("link", uint64(o.Link), uint64(s.Link))
	add("info", uint64(o.Info), uint64(s.Info))
	add("align", o.Addralign, s.Addralign)
	return strings.Join(d, " ")
}

// options translates a job's arguments; ok is false for jobs that need more than cubins.
func options(dir, name string, args []string, toolkit string) (o link.Options, src []link.Source, ok bool) {
	if toolkit == "" {
		toolkit = "13.0"
		if strings.Contains(dir, "12.4") {
			toolkit = "12.4"
		}
	}
	o, inputs, err := cli.LinkOptions(toolkit, append(slices.Clip(args), "-o", name+".cubin"))
	if err != nil {
		return o, nil, false
	}
	for _, in := range inputs {
		b, err := os.ReadFile(filepath.Join(dir, in))
		if err != nil || filepath.Ext(in) != ".cubin" {
			return o, nil, false
		}
		src = append(src, link.Source{Name: in, Data: b})
	}
	return o, src, len(src) > 0
}
