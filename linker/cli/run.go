package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/link"
	"github.com/culink/culink/linker/uidx"
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
	args           []string
	times          *timeTable
	// files are the inputs that were opened; the process keeps them to its end.
	files input.Cache
	// printed counts the messages that are out already.
	printed int
	// signals is what ends a link early, nil before it begins.
	signals *interruptible
	// fixed is set when the release to imitate was asked for.
	fixed bool
	// undefined is what is known of symbols without a definition, nil if there are none.
	undefined *undefined
	// tuned is done once the collector is set for a link that is not small.
	tuned sync.Once
	// index is the index file of unified functions and variables, nil if none was named.
	index *uidx.Index
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
	all := r.diag.Messages()
	fresh := all[r.printed:]
	r.printed = len(all)
	if !r.reference {
		return r.explanation().Print(r.stderr, fresh)
	}
	form := diag.ReferenceForm{Tool: r.line.toolName()}
	if r.line != nil && r.line.given(optReportArch) {
		form.Target = r.line.text(optArch)
	}
	return form.Print(r.stderr, fresh)
}

// toolName is what the reference calls itself: with --tool-name its value without folder and extension (observed).
func (c *commandLine) toolName() string {
	if c == nil || !c.given(optToolName) {
		return arch.Newest().Tool
	}
	value := c.text(optToolName)
	name := value[strings.LastIndexByte(value, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[:i]
	}
	return name
}

// exit prints the messages and turns the outcome into an exit code.
func (r *run) exit(err error) int {
	if r.flush() != nil {
		return exitFatal
	}
	var fatal *diag.FatalError
	var interrupted interruption
	switch {
	case errors.As(err, &interrupted):
		return interrupted.exitCode()
	case errors.As(err, &fatal):
		return exitFatal
	case errors.Is(err, link.ErrFailed), errors.Is(err, input.ErrFailed):
		return exitError
	case err != nil:
		io.WriteString(r.stderr, "culink: error: "+err.Error()+"\n")
		return exitFatal
	case r.diag.Errors() > 0:
		return exitError
	}
	return exitOK
}

// link does what a command line asks for, in the reference's order of checks. When an input turns out to be newer
// than the release that its header promised, a later release is tried.
func (r *run) link(args []string) error {
	r.args = args
	toolkit, err := r.chooseToolkit(args)
	if err != nil {
		return err
	}
	for {
		err = r.linkAs(toolkit, args)
		next := laterThan(toolkit)
		if next == nil || r.fixed || !tooNew(err) || r.printed > 0 {
			return err
		}
		toolkit, r.diag = next, &diag.Collector{}
	}
}

// tooNew reports whether a link ended because of an input that is newer than the release imitated.
func tooNew(err error) bool {
	var fatal *diag.FatalError
	return errors.As(err, &fatal) && fatal.Message.ID == diag.NewerThanToolkit
}

// linkAs does what a command line asks for as a release does it.
func (r *run) linkAs(toolkit *arch.Toolkit, args []string) (err error) {
	if r.line, err = parse(toolkit, args, readOptionsFile, r.diag, r.reference); err != nil {
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
	defer func() { err = errors.Join(err, r.times.finish()) }()
	r.sayIgnored()
	r.signals = newInterruptible()
	defer r.signals.stop()
	if err = r.linkTargets(r.signals); errors.As(context.Cause(r.signals), &interruption{}) && err != nil {
		return context.Cause(r.signals)
	}
	return err
}

// applyWarningRules sets what becomes of warnings. Up to 12.4, -w drops them; from 13.0 on -w does nothing and
// -disable-infos drops them (observed). Under culink's own name both do.
func (r *run) applyWarningRules() {
	c := r.line
	r.diag.WarningsAsErrors = c.given(optWerror)
	r.diag.NoWarnings = c.given(optDisableInfos) || c.given(optDisableWarnings) && (!r.reference || c.Toolkit.Word < arch.CUDA130().Word)
}
