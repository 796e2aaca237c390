package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bazelbuild/buildtools/build"
	"github.com/bazelbuild/rules_go/go/runfiles"
	"github.com/google/go-cmp/cmp"
)

// root is the folder with the sources: that of the runfiles under Bazel, else that of the source tree.
func root(t *testing.T) string {
	t.Helper()
	if os.Getenv("TEST_SRCDIR") == "" {
		return "../.."
	}
	path, err := runfiles.Rlocation("_main/" + page)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(path))
}

func TestThePageIsUpToDate(t *testing.T) {
	root := root(t)
	want, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(have)); d != "" {
		t.Errorf("bazelw run //docs:update rewrites %s (-want +have)\n%s", page, d)
	}
}

func TestAttributesAndFieldsMustBeDescribed(t *testing.T) {
	for name, source := range map[string]string{
		"rule":      "r = rule(implementation = _r, attrs = {})",
		"attribute": "r = rule(doc = \"d\", attrs = {\"a\": attr.string()})",
		"provider":  "P = provider(fields = {\"f\": \"d\"})",
		"fields":    "P = provider(doc = \"d\", fields = [\"f\"])",
		"macro":     "def m(name):\n    pass\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, s := range sources {
				path := filepath.Join(dir, s.file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := generate(dir); err == nil {
				t.Error("a definition without a description was taken")
			}
		})
	}
}

func TestStringsAreJoined(t *testing.T) {
	f, err := build.ParseBzl("x.bzl", []byte("x = \"a \" +\\\n    \"b\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := text(f.Stmt[0].(*build.AssignExpr).RHS)
	if err != nil || got != "a b" {
		t.Errorf("got %q, %v", got, err)
	}
}
