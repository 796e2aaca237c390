package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDependenciesAreTheCallsThatResolutionFollows(t *testing.T) {
	const text = `module(name = "m")
bazel_dep(name = "a", version = "1.0")
# bazel_dep(name = "commented", version = "1.0")
bazel_dep(name = "b", version = "2.0", repo_name = "other_b")
bazel_dep(
    name = "c",
    version = "3.0",
)
bazel_dep(name = "d", version = "4.0", dev_dependency = True)
bazel_dep(name = "overridden")
`
	want := []dependency{{"a", "1.0"}, {"b", "2.0"}, {"c", "3.0"}}
	if d := cmp.Diff(want, dependencies(text, false), cmp.AllowUnexported(dependency{})); d != "" {
		t.Errorf("of a dependency (-want +got)\n%s", d)
	}
	want = append(want, dependency{"d", "4.0"})
	if d := cmp.Diff(want, dependencies(text, true), cmp.AllowUnexported(dependency{})); d != "" {
		t.Errorf("of the workspace (-want +got)\n%s", d)
	}
}

func TestRenamedModulesCarryNameAndVersion(t *testing.T) {
	got, err := renamed("\"\"\"doc\"\"\"\nmodule(\n    name = \"x\",\n    version = \"\",\n)\nbazel_dep(name = \"a\")\n", dependency{"x", "1.2"}, "repo_x")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\"\"\"doc\"\"\"\nmodule(name = \"x\", version = \"1.2\", repo_name = \"repo_x\")\nbazel_dep(name = \"a\")\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := renamed("bazel_dep(name = \"a\")\n", dependency{"x", "1"}, ""); err == nil {
		t.Error("a file without a module call was taken")
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := writeFile(path, text); err != nil {
		t.Fatal(err)
	}
}

// inputs lays out a workspace, a tree and a Go module, and returns a registry over them.
func inputs(t *testing.T, workspace string) *registry {
	t.Helper()
	dir := t.TempDir()
	r := &registry{workspace: dir + "/w", tree: dir + "/tree", modules: dir + "/modules", out: dir + "/out"}
	put(t, r.workspace+"/MODULE.bazel", workspace)
	put(t, r.tree+bazelModule, "module(name = \"bazel_tools\")\nbazel_dep(name = \"platforms\", version = \"0.9\")\n")
	put(t, r.tree+packaged["platforms"]+"/MODULE.bazel", "module(name = \"platforms\")\n")
	put(t, dir+"/gazelle/MODULE.bazel", "module(name = \"gazelle\")\nbazel_dep(name = \"stub\", version = \"5\")\n")
	put(t, dir+"/gazelle/run.sh", "#!/bin/sh\n")
	put(t, dir+"/gazelle/tests/x.go", "package x\n")
	r.download = func(path, version string) (string, error) {
		if path != "github.com/bazelbuild/bazel-gazelle" || version != "v7" {
			return "", errors.New("unexpected module " + path + " " + version)
		}
		return dir + "/gazelle", nil
	}
	r.vendor = func(dir string) error { return os.Mkdir(dir+"/vendor", 0o755) }
	return r
}

func TestEveryModuleOfTheGraphIsInTheRegistry(t *testing.T) {
	r := inputs(t, "bazel_dep(name = \"gazelle\", version = \"7\")\n")
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	for module, at := range map[string]string{
		"gazelle/7":       r.modules + "/gazelle-7",
		"stub/5":          r.modules + "/stub",
		"platforms/0.9":   packaged["platforms"],
		"platforms/0.0.7": packaged["platforms"],
	} {
		source, err := os.ReadFile(filepath.Join(r.out, "modules", module, "source.json"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(source), `"`+at+`"`) {
			t.Errorf("%s: %s does not name %s", module, source, at)
		}
		if _, err := os.Stat(filepath.Join(r.out, "modules", module, "MODULE.bazel")); err != nil {
			t.Error(err)
		}
	}
}

func TestProxiedModulesAreMadeUsable(t *testing.T) {
	r := inputs(t, "bazel_dep(name = \"gazelle\", version = \"7\")\n")
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	at := r.modules + "/gazelle-7"
	if info, err := os.Stat(at + "/run.sh"); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the script cannot be started: %v, %v", info, err)
	}
	if _, err := os.Stat(at + "/tests"); !errors.Is(err, os.ErrNotExist) {
		t.Error("the rule set's own tests were copied")
	}
	if _, err := os.Stat(at + "/vendor"); err != nil {
		t.Error(err)
	}
}

func TestAModuleWhoseVersionIsNotSaidIsRefused(t *testing.T) {
	r := inputs(t, "bazel_dep(name = \"above\", version = \"1\")\n")
	put(t, r.tree+packaged["platforms"]+"/MODULE.bazel", "module(name = \"platforms\")\nbazel_dep(name = \"gazelle\", version = \"7\")\n")
	if err := r.write(); err == nil || !strings.Contains(err.Error(), "gazelle") {
		t.Errorf("got %v, want an error that names the module", err)
	}
}

func TestAnEditThatDoesNotFitIsAnError(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/f.bzl", "one\none\n")
	for _, old := range []string{"none", "one"} {
		if err := (edit{"f.bzl", old, "two"}).apply(dir); err == nil {
			t.Errorf("replacing %q, which is not there once, passed", old)
		}
	}
	if err := (edit{"f.bzl", "one\none", "two"}).apply(dir); err != nil {
		t.Error(err)
	}
}
