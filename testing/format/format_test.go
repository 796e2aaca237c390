// Package format_test holds the source tree to its formatters: gofmt for Go, buildifier for Starlark.
package format_test

import (
	"bytes"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bazelbuild/rules_go/go/runfiles"
	"github.com/google/go-cmp/cmp"
)

// sourceTree returns the root of the source tree. The tests run outside the sandbox, where go.mod among the runfiles is
// a link to the real one: what is checked is every file of the tree, and no list of files can go stale. Under plain go test
// the tree is where the test is.
func sourceTree(t *testing.T) string {
	t.Helper()
	mod, err := runfiles.Rlocation("_main/go.mod")
	if err != nil {
		mod = filepath.Join("..", "..", "go.mod")
	}
	mod, err = filepath.EvalSymlinks(mod)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(mod)
}

// sources returns the files of the source tree for which match holds, by their names relative to the root.
func sources(t *testing.T, root string, match func(name string) bool) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "bazel-") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() && match(name) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			names = append(names, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatalf("no file to check below %s", root)
	}
	return names
}

func TestGoSourcesAreFormatted(t *testing.T) {
	root := sourceTree(t)
	for _, name := range sources(t, root, func(name string) bool { return strings.HasSuffix(name, ".go") }) {
		have, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := format.Source(have)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(have, want) {
			t.Errorf("%s is not as gofmt writes it (-have +want):\n%s", name, cmp.Diff(string(have), string(want)))
		}
	}
}

func TestStarlarkSourcesAreFormatted(t *testing.T) {
	name, ok := os.LookupEnv("BUILDIFIER")
	if !ok {
		t.Skip("Bazel brings the formatter")
	}
	buildifier, err := runfiles.Rlocation(name)
	if err != nil {
		t.Fatal(err)
	}
	root := sourceTree(t)
	files := sources(t, root, func(name string) bool {
		switch name {
		case "BUILD.bazel", "MODULE.bazel", "WORKSPACE":
			return true
		}
		return strings.HasSuffix(name, ".bzl")
	})
	check := exec.Command(buildifier, append([]string{"-mode=check", "-lint=warn"}, files...)...)
	check.Dir = root
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("buildifier: %v (bazelw run //testing/format:buildifier rewrites the files)\n%s", err, out)
	}
}
