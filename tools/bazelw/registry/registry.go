package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// packaged maps a module to the folder where Debian's packages install it, below the root of the tree.
var packaged = map[string]string{
	"bazel_features": "/usr/share/bazel/tools/features",
	"bazel_skylib":   "/usr/share/bazel/tools/skylib",
	"platforms":      "/usr/share/bazel/tools/platforms",
	"rules_cc":       "/usr/share/bazel/rules/cc",
	"rules_java":     "/usr/share/bazel/rules/java",
	"rules_license":  "/usr/share/bazel/rules/license",
	"rules_proto":    "/usr/share/bazel/rules/proto",
	"rules_python":   "/usr/share/bazel/rules/python",
	"rules_shell":    "/usr/share/bazel/rules/shell",
}

// bazelModule is the MODULE.bazel of Bazel itself (@bazel_tools), whose dependencies take part in every resolution.
const bazelModule = "/usr/share/bazel/embedded_tools/MODULE.bazel"

// builtin is what modules inside the Bazel binary, which have no file, depend on.
var builtin = []dependency{{"platforms", "0.0.7"}}

// proxied is a rule set that the Go module proxy serves.
type proxied struct {
	goModule string // path of the Go module
	repoName string // name by which the module calls itself in its own load statements
	edits    []edit
	drop     string // folder left out: packages that only make sense in the rule set's own tests
	vendor   bool   // its tools are built from vendor/, which module zips leave out
}

// edit replaces one text in a downloaded file; it is an error if the text is not there.
type edit struct{ file, old, new string }

var proxies = map[string]proxied{
	"rules_go": {
		goModule: "github.com/bazelbuild/rules_go",
		repoName: "io_bazel_rules_go",
		// The SDK archives are out of reach, so that every SDK that a MODULE.bazel asks for is the machine's own Go.
		edits: []edit{
			{
				file: "go/private/sdk.bzl",
				old:  "def _go_download_sdk_impl(ctx):\n",
				new:  "def _go_download_sdk_impl(ctx):\n    if True:\n        return _go_host_sdk_impl(ctx)\n",
			},
			{
				file: "go/private/extensions.bzl",
				old:  "update(fetch_sdks_by_version(ctx, allow_fail = True) or {",
				new:  "update({",
			},
		},
	},
	"gazelle": {
		goModule: "github.com/bazelbuild/bazel-gazelle",
		repoName: "bazel_gazelle",
		drop:     "tests",
		vendor:   true,
	},
}

// named holds the files of modules of the third kind that are not empty. gazelle writes a package_metadata target into
// each Go module that it fetches; what the target says about licences is not looked at here.
var named = map[string]map[string]string{
	"package_metadata": {
		"providers/BUILD.bazel":               "",
		"rules/BUILD.bazel":                   "",
		"providers/package_metadata_info.bzl": "PackageMetadataInfo = provider(fields = [\"metadata\", \"files\"])\n",
		"rules/package_metadata.bzl": `load("//providers:package_metadata_info.bzl", "PackageMetadataInfo")

def _package_metadata_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".package-metadata.json")
    ctx.actions.write(out, json.encode({"purl": ctx.attr.purl}))
    return [DefaultInfo(files = depset([out])), PackageMetadataInfo(metadata = out, files = depset([out]))]

_package_metadata = rule(
    implementation = _package_metadata_impl,
    attrs = {"attributes": attr.label_list(), "purl": attr.string()},
)

# The target describes its package; by default the package would describe the target as well.
def package_metadata(name, **kwargs):
    _package_metadata(name = name, applicable_licenses = [], **kwargs)
`,
	},
}

// dependency is one bazel_dep of a module.
type dependency struct{ name, version string }

// registry is one run: where it reads, where it writes, and what it has written so far.
type registry struct {
	workspace, tree, modules, out string

	// download fetches a Go module and returns the folder that holds it, read-only.
	download func(goModule, version string) (dir string, err error)
	// vendor writes the folder vendor of the Go module in dir.
	vendor func(dir string) error

	wanted  map[string]string // version of each module that the workspace itself names
	written map[dependency]bool
}

func (r *registry) write() error {
	root, err := os.ReadFile(filepath.Join(r.workspace, "MODULE.bazel"))
	if err != nil {
		return err
	}
	bazel, err := os.ReadFile(r.tree + bazelModule)
	if err != nil {
		return fmt.Errorf("the MODULE.bazel of Bazel itself: %w", err)
	}
	r.wanted, r.written = map[string]string{}, map[dependency]bool{}
	deps := dependencies(string(root), true)
	for _, d := range deps {
		r.wanted[d.name] = d.version
	}
	if err := writeFile(filepath.Join(r.out, "bazel_registry.json"), "{}\n"); err != nil {
		return err
	}
	deps = append(deps, builtin...)
	// The list grows while it is walked: each module adds its own dependencies.
	deps = append(deps, dependencies(string(bazel), false)...)
	for i := 0; i < len(deps); i++ {
		if r.written[deps[i]] {
			continue
		}
		r.written[deps[i]] = true
		more, err := r.add(deps[i])
		if err != nil {
			return fmt.Errorf("module %s %s: %w", deps[i].name, deps[i].version, err)
		}
		deps = append(deps, more...)
	}
	return nil
}

// add writes the registry's entry for one module and returns the module's own dependencies.
func (r *registry) add(d dependency) ([]dependency, error) {
	at, text, err := r.source(d)
	if err != nil {
		return nil, err
	}
	source, err := json.Marshal(map[string]string{"type": "local_path", "path": at})
	if err != nil {
		return nil, err
	}
	entry := filepath.Join(r.out, "modules", d.name, d.version)
	if err := writeFile(filepath.Join(entry, "MODULE.bazel"), text); err != nil {
		return nil, err
	}
	return dependencies(text, false), writeFile(filepath.Join(entry, "source.json"), string(source)+"\n")
}

// source returns the folder of a module, as Bazel sees it, and the MODULE.bazel to serve for it.
func (r *registry) source(d dependency) (at, text string, err error) {
	if at, ok := packaged[d.name]; ok {
		b, err := os.ReadFile(r.tree + at + "/MODULE.bazel")
		if err != nil {
			return "", "", err
		}
		text, err := renamed(string(b), d, "")
		return at, text, err
	}
	if p, ok := proxies[d.name]; ok {
		at, err := r.proxy(d.name, p)
		if err != nil {
			return "", "", err
		}
		b, err := os.ReadFile(filepath.Join(at, "MODULE.bazel"))
		if err != nil {
			return "", "", err
		}
		text, err := renamed(string(b), d, p.repoName)
		return at, text, err
	}
	at = filepath.Join(r.modules, d.name)
	text = fmt.Sprintf("module(name = %q, version = %q)\n", d.name, d.version)
	files := map[string]string{"MODULE.bazel": text, "BUILD.bazel": ""}
	for name, body := range named[d.name] {
		files[name] = body
	}
	for name, body := range files {
		if err := writeFile(filepath.Join(at, name), body); err != nil {
			return "", "", err
		}
	}
	return at, text, nil
}

// proxy returns the folder of a rule set from the Go module proxy, fetching it the first time.
func (r *registry) proxy(name string, p proxied) (string, error) {
	version, ok := r.wanted[name]
	if !ok {
		return "", fmt.Errorf("a dependency needs it, but MODULE.bazel does not say which version")
	}
	to := filepath.Join(r.modules, name+"-"+version)
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	from, err := r.download(p.goModule, "v"+version)
	if err != nil {
		return "", err
	}
	part := to + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := copyModule(part, from, p.drop); err != nil {
		return "", err
	}
	for _, e := range p.edits {
		if err := e.apply(part); err != nil {
			return "", err
		}
	}
	if p.vendor {
		if err := r.vendor(part); err != nil {
			return "", err
		}
	}
	return to, os.Rename(part, to)
}

func (e edit) apply(dir string) error {
	path := filepath.Join(dir, e.file)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.Count(string(b), e.old) != 1 {
		return fmt.Errorf("%s does not hold the text to replace once: %q", e.file, e.old)
	}
	return writeFile(path, strings.Replace(string(b), e.old, e.new, 1))
}

var (
	moduleCall  = regexp.MustCompile(`(?s)\bmodule\(.*?\)\n?`)
	depCall     = regexp.MustCompile(`(?s)\bbazel_dep\((.*?)\)`)
	nameArg     = regexp.MustCompile(`\bname = "([^"]+)"`)
	versionArg  = regexp.MustCompile(`\bversion = "([^"]+)"`)
	lineComment = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// renamed returns the MODULE.bazel text with its module call saying the name and version under which the registry
// serves it: development versions carry none.
func renamed(text string, d dependency, repoName string) (string, error) {
	at := moduleCall.FindStringIndex(text)
	if at == nil {
		return "", fmt.Errorf("its MODULE.bazel has no module call")
	}
	call := fmt.Sprintf("module(name = %q, version = %q", d.name, d.version)
	if repoName != "" {
		call += fmt.Sprintf(", repo_name = %q", repoName)
	}
	return text[:at[0]] + call + ")\n" + text[at[1]:], nil
}

// dependencies returns the bazel_dep calls of a MODULE.bazel, in its order. Development dependencies count in the
// root module only. A call without a version depends on an override and needs no registry.
func dependencies(text string, root bool) []dependency {
	var deps []dependency
	for _, call := range depCall.FindAllStringSubmatch(lineComment.ReplaceAllString(text, ""), -1) {
		if !root && strings.Contains(call[1], "dev_dependency = True") {
			continue
		}
		name, version := nameArg.FindStringSubmatch(call[1]), versionArg.FindStringSubmatch(call[1])
		if name != nil && version != nil {
			deps = append(deps, dependency{name[1], version[1]})
		}
	}
	return deps
}

// goModDownload asks the go command, which knows the machine's proxy, for a module.
func goModDownload(goModule, version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", goModule+"@"+version)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	var reply struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &reply); jsonErr != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w", goModule, version, errorOr(err, jsonErr))
	}
	if reply.Error != "" {
		return "", fmt.Errorf("go mod download %s@%s: %s", goModule, version, reply.Error)
	}
	return reply.Dir, nil
}

// goModVendor copies what a Go module imports into its folder vendor.
func goModVendor(dir string) error {
	cmd := exec.Command("go", "mod", "vendor")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod vendor: %w\n%s", err, out)
	}
	return nil
}

func errorOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// copyModule copies a module out of the read-only module cache. Module zips carry no file modes, so the scripts that
// Bazel starts get their execute bit back. The folder drop is left out.
func copyModule(to, from, drop string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if drop != "" && rel == drop {
				return filepath.SkipDir
			}
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		if err := writeFile(dest, string(b)); err != nil {
			return err
		}
		if strings.HasSuffix(rel, ".sh") {
			return os.Chmod(dest, 0o755)
		}
		return nil
	})
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
