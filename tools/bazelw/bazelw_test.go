// Package bazelw_test runs the script bazelw against stand-ins for what it starts.
package bazelw_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bazelbuild/rules_go/go/runfiles"
)

// tools are the machine's commands that the script may use. No others can be found: a bazel of the machine must not be.
var tools = []string{"bash", "cat", "chmod", "cp", "dirname", "mkdir", "mktemp", "mv", "rm", "sh", "sha256sum", "tee", "tr"}

// place is a copy of the script with a cache and a folder of all commands that can be found.
type place struct {
	root, cache, bin string
	env              []string
}

func script(t *testing.T) string {
	t.Helper()
	if os.Getenv("TEST_SRCDIR") == "" {
		return "../../bazelw"
	}
	path, err := runfiles.Rlocation("_main/bazelw")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{root: dir + "/root", cache: dir + "/cache", bin: dir + "/bin"}
	text, err := os.ReadFile(script(t))
	if err != nil {
		t.Fatal(err)
	}
	p.put(t, p.root+"/bazelw", string(text))
	p.put(t, p.root+"/.bazelversion", "1.2.3\n")
	p.put(t, p.root+"/tools/bazelw/private.sh", "#!/bin/sh\nshift 3\necho private: \"$@\"\n")
	if err := os.Mkdir(p.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range tools {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(p.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.put(t, p.bin+"/uname", "#!/bin/sh\ncase $1 in -s) echo Linux;; *) echo x86_64;; esac\n")
	p.command(t, "curl", "exit 6") // no network
	return p
}

func (p *place) put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (p *place) command(t *testing.T, name, body string) {
	t.Helper()
	p.put(t, filepath.Join(p.bin, name), "#!/bin/sh\n"+body+"\n")
}

func (p *place) run(args ...string) (string, error) {
	cmd := exec.Command("bash", append([]string{p.root + "/bazelw"}, args...)...)
	cmd.Env = append([]string{"PATH=" + p.bin, "HOME=" + p.cache, "BAZELW_CACHE=" + p.cache}, p.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// release makes curl serve a release binary; digest is what the release says of it.
func (p *place) release(t *testing.T, digest string) {
	t.Helper()
	p.put(t, p.cache+"/served/bazel-1.2.3-linux-x86_64", binary)
	p.put(t, p.cache+"/served/bazel-1.2.3-linux-x86_64.sha256", digest+"  bazel-1.2.3-linux-x86_64\n")
	p.command(t, "curl", `out=; for a; do [ "$last" != -o ] || out=$a; last=$a; done
[ "$out" = /dev/null ] && exit 0
cp "`+p.cache+`/served/${last##*/}" "$out"`)
}

const binary = "#!/bin/sh\necho downloaded: \"$@\"\n"

func expect(t *testing.T, p *place, want string, args ...string) {
	t.Helper()
	got, err := p.run(args...)
	if err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestTheGivenBazelIsStartedWithNothingAdded(t *testing.T) {
	p := newPlace(t)
	p.command(t, "mine", `echo mine: "$@"`)
	p.env = []string{"BAZELW_BAZEL=" + p.bin + "/mine"}
	expect(t, p, "mine: test //...\n", "test", "//...")
}

func TestOnAnOpenNetworkTheInstalledOneIsStarted(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"BAZELW_NETWORK=open"}
	p.command(t, "bazel", `echo bazel: "$@"`)
	expect(t, p, "bazel: build //a:b\n", "build", "//a:b")
	p.command(t, "bazelisk", `echo bazelisk: "$@"`)
	expect(t, p, "bazelisk: build //a:b\n", "build", "//a:b")
}

func TestOnAnOpenNetworkTheReleaseIsDownloadedOnce(t *testing.T) {
	p := newPlace(t)
	p.release(t, fmt.Sprintf("%x", sha256.Sum256([]byte(binary))))
	expect(t, p, "bazelw: downloading Bazel 1.2.3 (once)\ndownloaded: version\n", "version")
	p.command(t, "curl", "exit 6")
	expect(t, p, "downloaded: version\n", "version")
}

func TestADownloadWithAnotherDigestIsNotStarted(t *testing.T) {
	p := newPlace(t)
	p.release(t, strings.Repeat("0", 64))
	got, err := p.run("version")
	if err == nil || !strings.Contains(got, "could not download") || strings.Contains(got, "downloaded:") {
		t.Errorf("got %q, %v", got, err)
	}
	if left, _ := filepath.Glob(p.cache + "/bazel-*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestWithoutANetworkThePrivateTreeIsUsedAndRemembered(t *testing.T) {
	p := newPlace(t)
	expect(t, p, "private: test //...\n", "test", "//...")
	p.command(t, "curl", "echo asked again; exit 0")
	expect(t, p, "private: test //...\n", "test", "//...")
	p.command(t, "bazelisk", `echo bazelisk: "$@"`)
	p.env = []string{"BAZELW_NETWORK=open"}
	expect(t, p, "bazelisk: version\n", "version")
}

func TestAnUnknownNetworkIsAnError(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"BAZELW_NETWORK=closed"}
	got, err := p.run("version")
	if err == nil || !strings.Contains(got, "'open' or 'registries'") {
		t.Errorf("got %q, %v", got, err)
	}
}
