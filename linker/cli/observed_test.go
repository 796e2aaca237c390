package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

// twoFiles are a cubin with a kernel that calls an undefined function, and one that defines it.
func twoFiles(abi int) (a, b []byte) {
	kernel := cubintest.Program{SM: 90, ABI: abi, Functions: []cubintest.Function{
		{Name: "_Z4kernPi", Bind: cubin.STBGlobal, Kernel: true, Registers: 24, Calls: []string{"_Z6helperi"}},
	}}
	helper := cubintest.Program{SM: 90, ABI: abi, Functions: []cubintest.Function{{Name: "_Z6helperi", Bind: cubin.STBGlobal, Registers: 24}}}
	return kernel.Encode(), helper.Encode()
}

// inFolder makes a folder with files and goes there.
func inFolder(t *testing.T, files map[string][]byte) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func noEnv(string) string { return "" }

// observedCases splits a file of observations: "$ arguments", the lines that nvlink printed, "exit N".
func observedCases(t *testing.T, name string) [][3]string {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][3]string
	for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		head, rest, _ := strings.Cut(block+"\n", "\n")
		said, code, ok := strings.Cut("\n"+rest, "\nexit ")
		if !ok || !strings.HasPrefix(head, "$ ") {
			t.Fatalf("%s: not a case: %q", name, block)
		}
		if said = strings.TrimPrefix(said, "\n"); said != "" {
			said += "\n"
		}
		out = append(out, [3]string{head[2:], said, strings.TrimSpace(code)})
	}
	return out
}

// The files of observations hold what nvlink printed for each argument list over two small cubins.
func TestCommandLinesSayWhatTheReferenceSays(t *testing.T) {
	for _, release := range []struct {
		name string
		abi  int
	}{{"12.4", 7}, {"13.0", 8}} {
		cases := observedCases(t, "testdata/observed-"+release.name+".txt")
		a, b := twoFiles(release.abi)
		t.Run(release.name, func(t *testing.T) {
			inFolder(t, map[string][]byte{"a.cubin": a, "b.cubin": b})
			for _, c := range cases {
				var stdout, stderr bytes.Buffer
				args := append([]string{"nvlink", "--toolkit=" + release.name}, strings.Fields(c[0])...)
				code := Main(args, &stdout, &stderr, noEnv)
				got := [2]string{stderr.String(), fmt.Sprint(code)}
				if d := cmp.Diff([2]string{c[1], c[2]}, got); d != "" {
					t.Errorf("%s: %s", c[0], d)
				}
				// The register file is written behind the image, which stays when that fails.
				if code != 0 && !strings.Contains(c[0], "--register-link-binaries") {
					for _, f := range []string{"x", "y"} {
						if _, err := os.Stat(f); err == nil {
							t.Errorf("%s: left %s", c[0], f)
						}
					}
				}
				os.Remove("x")
				os.Remove("y")
			}
		})
	}
}
