package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestVerboseNamesKernelsWhoseCodeTheReferenceMakesAnew(t *testing.T) {
	// With -g the reference generates every kernel anew that was not compiled with -G (observed).
	args := []string{"-arch=sm_100", "-v", "-g", "-r", "-o", filepath.Join(t.TempDir(), "out.cubin"), filepath.Join("testdata", "texture_objects-sm_100.cubin")}
	say := func(name string) string {
		var out, errs strings.Builder
		if code := Main(append([]string{name}, args...), &out, &errs, func(string) string { return "" }); code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, errs.String())
		}
		return out.String() + errs.String()
	}
	const text = "nvlink would generate it anew"
	if got := say("culink"); !strings.Contains(got, text) {
		t.Errorf("culink -v says nothing of it:\n%s", got)
	}
	if got := say("nvlink"); strings.Contains(got, text) {
		t.Errorf("under the name nvlink it says more than nvlink:\n%s", got)
	}
}
