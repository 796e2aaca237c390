package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/inspect"
)

// shownDifferences bounds how many differences from the reference are listed.
const shownDifferences = 20

// compare links the same inputs with the reference linker (CULINK_REFERENCE) and reports every difference in the outcome
// as an error. outcome is culink's own.
func (r *run) compare(ctx context.Context, reference string, l *linked, outcome error) error {
	dir, err := os.MkdirTemp("", "culink")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// With -g the image names its output, so the base name stays.
	output := filepath.Join(dir, filepath.Base(r.line.text(optOutputFile)))
	cmd := referenceCommand(ctx, reference, r.referenceArgs(dir, output)...)
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return fmt.Errorf("CULINK_REFERENCE: %w", err)
	}
	want, readErr := os.ReadFile(output)
	switch ok := cmd.ProcessState.Success() && readErr == nil; {
	case ok != (outcome == nil):
		return r.differs(fmt.Sprintf("its exit code is %d, and it says:\n%s", cmd.ProcessState.ExitCode(), said))
	case !ok || bytes.Equal(want, l.res.Image):
		return nil
	}
	a, errA := cubin.Parse(want)
	b, errB := cubin.Parse(l.res.Image)
	if errA != nil || errB != nil {
		return r.differs(fmt.Sprintf("%v, %v", errA, errB))
	}
	anew := l.res.AnewCandidates
	if len(anew) > 0 && bytes.Equal(withoutCode(a, anew), withoutCode(b, anew)) {
		return nil
	}
	var text strings.Builder
	if len(anew) > 0 {
		fmt.Fprintf(&text, "  nvlink makes the code of some kernels anew, so they differ in any case: %s\n", strings.Join(anew, " "))
	}
	differences := inspect.Diff(a, b)
	for i, d := range differences {
		if i == shownDifferences {
			fmt.Fprintf(&text, "  and %d more\n", len(differences)-i)
			break
		}
		fmt.Fprintf(&text, "  %s\n    reference: %s\n    culink: %s\n", d.Key, d.A, d.B)
	}
	return r.differs(text.String())
}

// withoutCode is a file's bytes with the code of some functions set to zero. From sm_100 on nvlink makes the code of some
// kernels anew where culink keeps the compiler's; often nothing else differs.
func withoutCode(f *cubin.File, functions []string) []byte {
	out := bytes.Clone(f.Data)
	for i := range f.Sections {
		s := &f.Sections[i]
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok && s.Data != nil && slices.Contains(functions, name) {
			clear(out[s.Offset : s.Offset+s.Size])
		}
	}
	return out
}

// referenceCommand runs the linker to compare with. If that is another culink, it does not compare in its turn.
func referenceCommand(ctx context.Context, reference string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, reference, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CULINK_REFERENCE=") })
	return cmd
}

// differs reports a difference from the reference, which fails the link.
func (r *run) differs(how string) error {
	return r.diag.Fatal(diag.ReferenceDiffers, strings.TrimRight(how, "\n"))
}

// referenceArgs are the arguments for the reference: those of this run without culink's own options, and with outputs of its
// own. The later value of an option counts; the warning about it does not matter here.
func (r *run) referenceArgs(dir, output string) []string {
	var out []string
	for i := 0; i < len(r.args); i++ {
		name, _, hasValue := strings.Cut(r.args[i], "=")
		own := false
		for id := range numOptions {
			own = own || options[id].Status == statusOwn && name == "--"+options[id].Long
		}
		switch {
		case own && !hasValue:
			i++
		case !own:
			out = append(out, r.args[i])
		}
	}
	out = append(out, "-o", output)
	if r.line.given(optRegister) {
		out = append(out, "--register-link-binaries", filepath.Join(dir, "register"))
	}
	if r.line.given(optTime) {
		out = append(out, "-time", filepath.Join(dir, "time"))
	}
	return out
}
