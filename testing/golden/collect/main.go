// Command collect chooses the golden suite from a reference corpus.
//
//	go run ./testing/golden/collect CORPUS testing/golden
//
// A corpus is a folder TOOLKIT/PROGRAM/BUILD/ with manifest.json (links of one set of inputs: arguments and exit code),
// the inputs below in/, and per link the reference linker's image and text. The suite takes every program that holds none
// of the toolkit's own device code; of each, all links of one build and, for
// the newest toolkit, the plain link of one more, so that the builds
// (architectures, with and without debug information) are spread evenly over the programs. Links that the reference
// linker itself gets wrong, and those that need an assembler, are left out.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/testing/golden"
)

// notOurs names programs with device code of the toolkit: its headers' templates, its mathematics, its device runtime.
var notOurs = []string{
	"cooperative", "cub_blocks", "err_no_runtime", "math_slow_paths", "runtime_calls", "syscalls", "tensor_cores",
}

// notAlone names links whose outcome depends on the machine: on an assembler or host compiler, on the clock.
var notAlone = []string{"ghls", "nvcc_style", "ptx", "objects_110_ptx", "time"}

// The largest builds that are taken, in bytes: of cubins, and of host objects, whose many links share their inputs.
// Of a program with none so small, the
// plain link of its smallest build is taken.
const (
	maxCubins  = 95 << 10
	maxObjects = 300 << 10
)

type manifest struct {
	Variants map[string]variant `json:"variants"`
}

type variant struct {
	Args         []string        `json:"args"`
	RC           int             `json:"rc"`
	Finalized    json.RawMessage `json:"finalized"`
	OnlyCode     json.RawMessage `json:"only_code_differs"`
	SettledEarly json.RawMessage `json:"settled_early"`
}

// wanted reports whether a link belongs into the suite.
func (v variant) wanted(name string) bool {
	if v.Finalized != nil || v.OnlyCode != nil || v.SettledEarly != nil {
		return false
	}
	return !slices.ContainsFunc(notAlone, func(p string) bool { return name == p || strings.HasPrefix(name, p+"_") })
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: collect CORPUS SUITE")
		os.Exit(2)
	}
	if err := collect(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "collect:", err)
		os.Exit(1)
	}
}

func collect(corpus, suite string) error {
	toolkits, err := os.ReadDir(corpus)
	if err != nil {
		return err
	}
	for _, toolkit := range toolkits {
		if !toolkit.IsDir() || strings.HasPrefix(toolkit.Name(), ".") {
			continue
		}
		var all []golden.Folder
		programs, err := os.ReadDir(filepath.Join(corpus, toolkit.Name()))
		if err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(suite, toolkit.Name())); err != nil {
			return err
		}
		for i, program := range programs {
			if slices.Contains(notOurs, program.Name()) {
				continue
			}
			folders, err := choose(corpus, toolkit.Name()+"/"+program.Name(), suite, i)
			if err != nil {
				return err
			}
			all = append(all, folders...)
		}
		if err := golden.WriteCases(filepath.Join(suite, toolkit.Name(), golden.CasesFile), all); err != nil {
			return err
		}
	}
	return nil
}

// choose takes builds of the i-th program.
func choose(corpus, program, suite string, i int) ([]golden.Folder, error) {
	entries, err := os.ReadDir(filepath.Join(corpus, program))
	if err != nil {
		return nil, err
	}
	var builds []string
	smallest, least := "", int64(1)<<40
	for _, e := range entries {
		size, err := folderSize(filepath.Join(corpus, program, e.Name()))
		if err != nil {
			return nil, err
		}
		limit := int64(maxCubins)
		if strings.Contains(program, "-objects/") {
			limit = maxObjects
		}
		if size <= limit {
			builds = append(builds, e.Name())
		}
		if size < least {
			smallest, least = e.Name(), size
		}
	}
	var folders []golden.Folder
	large := len(builds) == 0
	if large {
		builds = []string{smallest}
	}
	n := len(builds)
	for k, name := range builds {
		turn := (k + n - 5*i%n) % n
		whole := turn == 0
		if !whole && (turn != n/2 || strings.HasPrefix(program, "12.")) {
			continue
		}
		f, err := take(filepath.Join(corpus, program, name), filepath.Join(suite, program, name), whole && !large)
		if err != nil {
			return nil, err
		}
		if len(f.Links) > 0 {
			f.Path = filepath.Base(program) + "/" + name
			folders = append(folders, f)
		}
	}
	return folders, nil
}

// take copies the links of one build with what they read.
func take(from, to string, whole bool) (golden.Folder, error) {
	b, err := os.ReadFile(filepath.Join(from, "manifest.json"))
	if err != nil {
		return golden.Folder{}, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return golden.Folder{}, fmt.Errorf("%s: %w", from, err)
	}
	var f golden.Folder
	for _, name := range slices.Sorted(maps.Keys(m.Variants)) {
		v := m.Variants[name]
		if !v.wanted(name) || !whole && name != "default" {
			continue
		}
		f.Links = append(f.Links, golden.Link{Name: name, Args: v.Args, Fails: v.RC != 0})
	}
	if len(f.Links) == 0 {
		return f, nil
	}
	inputs, err := filepath.Glob(filepath.Join(from, "in", "*"))
	if err != nil {
		return f, err
	}
	for _, in := range inputs {
		f.Inputs = append(f.Inputs, "in/"+filepath.Base(in))
	}
	files := slices.Clone(f.Inputs)
	for _, l := range f.Links {
		files = append(files, l.Name+".cubin", l.Name+".log")
		for _, arg := range l.Args {
			if !strings.HasPrefix(arg, "in/") && strings.HasSuffix(arg, ".cubin") {
				files = append(files, arg)
				if !slices.ContainsFunc(f.Links, func(l golden.Link) bool { return l.Name+".cubin" == arg }) && !slices.Contains(f.Inputs, arg) {
					f.Inputs = append(f.Inputs, arg)
				}
			}
			if reg, ok := strings.CutPrefix(arg, "--register-link-binaries="); ok {
				files = append(files, reg)
			}
		}
	}
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // a link that fails has no image
		}
		if err != nil {
			return f, err
		}
		if strings.HasSuffix(name, ".log") && len(b) == 0 {
			continue // nothing printed
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			return f, err
		}
		if err := os.WriteFile(filepath.Join(to, name), b, 0o644); err != nil {
			return f, err
		}
	}
	return f, nil
}

func folderSize(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
