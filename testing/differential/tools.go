package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// limit is the time that a tool may take. Programs are small: a link takes milliseconds.
const limit = 60 * time.Second

// tools are the programs that a run needs.
type tools struct {
	nvlink, ptxas string
	culink        string // a file whose name begins with nvlink
	own           string // the same program under its own name
	release       int    // of nvlink: 124, 130
}

var releaseLine = regexp.MustCompile(`release (\d+)\.(\d+)`)

// releaseOf asks nvlink for its release.
func releaseOf(ctx context.Context, nvlink string) (int, error) {
	text, err := exec.CommandContext(ctx, nvlink, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", nvlink, err)
	}
	m := releaseLine.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s --version names no release", nvlink)
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	return major*10 + minor, nil
}

// toolkit is the value of culink's --toolkit for a release.
func toolkit(release int) string { return fmt.Sprintf("%d.%d", release/10, release%10) }

// outcome is what a tool leaves behind.
type outcome struct {
	code    int // exit code; -1 if a signal ended it
	timeout bool
	text    string // stdout and stderr
	image   []byte // nil if there is none
}

// start runs a tool in a folder; its output file is read and removed.
func start(ctx context.Context, dir, tool string, args []string, output string) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Dir(tool), "TMPDIR=" + dir}
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return outcome{}, err
	}
	o := outcome{code: cmd.ProcessState.ExitCode(), timeout: errors.Is(ctx.Err(), context.DeadlineExceeded), text: text.String()}
	path := filepath.Join(dir, output)
	if o.image, err = os.ReadFile(path); err != nil {
		return o, ctxErr(ctx, nil)
	}
	return o, ctxErr(ctx, os.Remove(path))
}

// ctxErr lets the end of the whole run through, but not that of one tool.
func ctxErr(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return err
}

// compile writes and compiles the files of a program. It returns the names of the objects; a file that ptxas refuses is left
// out, and its message returned.
func (t *tools) compile(ctx context.Context, dir string, p *program) (objects, refused []string, err error) {
	for _, f := range p.files {
		source, object := f.name+".ptx", f.name+".cubin"
		if err := os.WriteFile(filepath.Join(dir, source), []byte(p.text(f)), 0o666); err != nil {
			return nil, nil, err
		}
		args := append([]string{"-c", "-arch=" + p.target.String()}, f.flags...)
		o, err := start(ctx, dir, t.ptxas, append(args, source, "-o", object), "")
		if err != nil {
			return nil, nil, err
		}
		if o.code != 0 {
			refused = append(refused, f.name+": "+o.text)
			continue
		}
		objects = append(objects, object)
	}
	return objects, refused, nil
}

// output is the name of every image: with debug information it is part of the image.
const output = "linked.cubin"

// codeKept has a function's name and, if that is not its symbol's, the symbol's.
var codeKept = regexp.MustCompile(`the compiler's code of '(.+)' is kept; nvlink would generate it anew(?: \[(.+)\])?`)

// keptSymbols lists the symbols of functions of whose code culink -v says that nvlink generates it anew.
func keptSymbols(text string) map[string]bool {
	out := make(map[string]bool)
	for _, m := range codeKept.FindAllStringSubmatch(text, -1) {
		out[cmp.Or(m[2], m[1])] = true
	}
	return out
}

// madeAnew asks culink for the functions whose code nvlink generates anew in a link.
func (t *tools) madeAnew(ctx context.Context, dir string, p *program, j job) (map[string]bool, error) {
	args := append(append([]string{"-arch=" + p.target.String(), "-v"}, j.args...), j.inputs...)
	o, err := start(ctx, dir, t.own, append(args, "-o", output, "--toolkit="+toolkit(t.release)), output)
	if err != nil {
		return nil, err
	}
	return keptSymbols(o.text), nil
}

// command is the command line of a job's last link.
func (j job) command(p *program) []string {
	return slices.Concat([]string{"-arch=" + p.target.String()}, j.args, j.inputs, []string{"-o", output})
}

// both links a job with both linkers. ok is false if nvlink does not even link a stage.
func (t *tools) both(ctx context.Context, dir string, p *program, j job) (want, got outcome, ok bool, err error) {
	arch := "-arch=" + p.target.String()
	for _, s := range j.stages {
		args := append(append([]string{arch}, s.args...), s.inputs...)
		o, err := start(ctx, dir, t.nvlink, append(args, "-o", s.output), output)
		if err != nil || o.code != 0 {
			return want, got, false, err
		}
	}
	args := j.command(p)
	if want, err = start(ctx, dir, t.nvlink, args, output); err != nil {
		return want, got, false, err
	}
	got, err = start(ctx, dir, t.culink, append(args, "--toolkit="+toolkit(t.release)), output)
	return want, got, true, err
}
