// Command run executes golden suites: as a Bazel test it compares, with -update it rewrites the expected files.
//
//	run -linker PATH -cases PATH          compare (culink_golden_test); the paths are those of runfiles
//	run -linker PATH -update [-with LINKER] SUITE...
//
// With -update, SUITE is a folder below the workspace that Bazel was started in, and the outcomes are those of LINKER, a
// reference linker, where one is given.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bazelbuild/rules_go/go/runfiles"

	"github.com/culink/culink/testing/golden"
)

func main() {
	linker := flag.String("linker", "", "runfiles path of the linker")
	cases := flag.String("cases", "", "runfiles path of cases.json")
	update := flag.Bool("update", false, "rewrite the expected files")
	with := flag.String("with", "", "linker that makes the expected files (default: the one that is tested)")
	flag.Parse()
	ok, err := false, error(nil)
	if *update {
		ok, err = true, rewrite(*linker, *with, flag.Args())
	} else {
		ok, err = compare(*linker, *cases)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// open prepares the suite with the given cases.json.
func open(linker, cases string) (*golden.Suite, error) {
	folders, err := golden.ReadCases(cases)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(os.Getenv("TEST_TMPDIR"), "golden")
	if err != nil {
		return nil, err
	}
	s := &golden.Suite{Root: filepath.Dir(cases), Folders: folders, Linker: linker, Scratch: scratch}
	return s, s.Prepare()
}

// compare is the test: this shard's links, each one case of the report.
func compare(linker, cases string) (bool, error) {
	linker, err := runfiles.Rlocation(linker)
	if err != nil {
		return false, err
	}
	if cases, err = runfiles.Rlocation(cases); err != nil {
		return false, err
	}
	s, err := open(linker, cases)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(s.Scratch)
	turn, err := newShard()
	if err != nil {
		return false, err
	}
	var r report
	if turn.first() {
		wrong, err := golden.Unaccounted(s.Root, s.Folders)
		if err != nil {
			return false, err
		}
		failure := ""
		for _, w := range wrong {
			failure += w + "\n"
		}
		r.add("every file belongs to a link", failure)
	}
	filter := os.Getenv("TESTBRIDGE_TEST_ONLY")
	for i := range s.Folders {
		f := &s.Folders[i]
		for k := range f.Links {
			name := f.Path + "/" + f.Links[k].Name
			if !turn.mine() || !matches(filter, name) {
				continue
			}
			failure, err := s.Check(f, &f.Links[k])
			if err != nil {
				return false, fmt.Errorf("%s: %w", name, err)
			}
			r.add(name, failure)
		}
	}
	return r.failed == 0, r.write(os.Getenv("XML_OUTPUT_FILE"))
}

// rewrite updates suites in the source tree.
func rewrite(linker, with string, suites []string) error {
	workspace := os.Getenv("BUILD_WORKSPACE_DIRECTORY")
	if workspace == "" {
		return errors.New("-update needs BUILD_WORKSPACE_DIRECTORY: start it by bazel run")
	}
	path := with
	if path == "" {
		var err error
		if path, err = runfiles.Rlocation(linker); err != nil {
			return err
		}
	}
	for _, suite := range suites {
		cases := filepath.Join(workspace, suite, golden.CasesFile)
		s, err := open(path, cases)
		if err != nil {
			return err
		}
		for i := range s.Folders {
			f := &s.Folders[i]
			for k := range f.Links {
				if err := s.Update(f, &f.Links[k]); err != nil {
					return fmt.Errorf("%s/%s: %w", f.Path, f.Links[k].Name, err)
				}
			}
		}
		if err := golden.WriteCases(cases, s.Folders); err != nil {
			return err
		}
		if err := os.RemoveAll(s.Scratch); err != nil {
			return err
		}
	}
	return nil
}
