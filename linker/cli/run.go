package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/link"
)

// Exit codes (observed).
const (
	exitOK    = 0
	exitFatal = 1
	exitError = 255
)

// run is one start of the program.
type run struct {
	// reference is set when the program was started as nvlink.
	reference      bool
	stdout, stderr io.Writer
	env            func(string) string
	diag           *diag.Collector
	line           *commandLine
	times          *timeTable
	// printed counts the messages that are out already.
	printed int
}

// Main runs culink with the arguments args, of which the first is the name that it was started under, and returns the
// exit code. Output goes to stdout and stderr; env looks up environment variables.
func Main(args []string, stdout, stderr io.Writer, env func(string) string) int {
	name := "culink"
	if len(args) > 0 {
		name, args = filepath.Base(args[0]), args[1:]
	}
	r := &run{reference: strings.HasPrefix(name, "nvlink"), stdout: stdout, stderr: stderr, env: env, diag: &diag.Collector{}}
	if !r.reference {
		if code, ok := r.subcommand(args); ok {
			return code
		}
	}
	return r.exit(r.link(args))
}

// errOutput says that messages could not be written.
var errOutput = errors.New("writing messages failed")

// flush prints the messages so far.
func (r *run) flush() error {
	target := ""
	if r.line != nil && r.line.given(optReportArch) {
		target = r.line.text(optArch)
	}
	all := r.diag.Messages()
	fresh := all[r.printed:]
	r.printed = len(all)
	return diag.PrintReference(r.stderr, fresh, target)
}

// exit prints the messages and turns the outcome into an exit code.
func (r *run) exit(err error) int {
	if r.flush() != nil {
		return exitFatal
	}
	var fatal *diag.FatalError
	switch {
	case errors.As(err, &fatal):
		return exitFatal
	case errors.Is(err, link.ErrFailed):
		return exitError
	case err != nil:
		io.WriteString(r.stderr, "culink: "+err.Error()+"\n")
		return exitFatal
	case r.diag.Errors() > 0:
		return exitError
	}
	return exitOK
}

// link does what a command line asks for, in the reference's order of checks.
func (r *run) link(args []string) error {
	toolkit, err := chooseToolkit(args)
	if err != nil {
		return err
	}
	if r.line, err = parse(toolkit, args, readOptionsFile, r.diag); err != nil {
		return err
	}
	c := r.line
	switch {
	case (c.given(optHelp) || c.given(optVersion)) && r.flush() != nil:
		return errOutput
	case c.given(optHelp):
		return r.help()
	case c.given(optVersion):
		return r.version()
	}
	r.applyWarningRules()
	if done, err := r.checks(); done || err != nil {
		return err
	}
	opts := r.options()
	sources, err := r.load()
	if err != nil {
		return err
	}
	res, err := link.Run(context.Background(), opts, sources, r.diag)
	if err != nil {
		return err
	}
	if r.diag.Errors() > 0 {
		return link.ErrFailed
	}
	if err := writeFile(c.text(optOutputFile), res.Image); err != nil {
		return r.diag.Fatal(diag.NoOutput, c.text(optOutputFile))
	}
	return nil
}

// applyWarningRules sets what becomes of warnings. Up to 12.4, -w drops them; from 13.0 on -w does nothing and
// -disable-infos drops them (observed). Under culink's own name both do.
func (r *run) applyWarningRules() {
	c := r.line
	r.diag.WarningsAsErrors = c.given(optWerror)
	r.diag.NoWarnings = c.given(optDisableInfos) || c.given(optDisableWarnings) && (!r.reference || c.Toolkit.Word < arch.CUDA130().Word)
}

// load reads the inputs.
func (r *run) load() ([]link.Source, error) {
	var out []link.Source
	for _, name := range r.line.Inputs {
		data, err := os.ReadFile(name)
		if err != nil || len(data) > 0 && len(data) < 56 {
			return nil, r.diag.Fatal(diag.NoInputFile, name)
		}
		if len(data) == 0 {
			continue
		}
		out = append(out, link.Source{Name: name, Data: data, Cudadevrt: strings.Contains(name, "cudadevrt")})
	}
	return out, nil
}
