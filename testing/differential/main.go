package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/culink/culink/linker/cli"
)

func main() {
	if name := filepath.Base(os.Args[0]); strings.HasPrefix(name, linkerName) || name == ownName {
		os.Exit(cli.Main(os.Args, os.Stdout, os.Stderr, os.Getenv))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := command(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "differential:", err)
	}
	os.Exit(code)
}

// linkerName is the name that culink is started under to say what nvlink says, ownName the one to say more.
const (
	linkerName = "nvlink"
	ownName    = "culink"
)

// settings are the flags of a run.
type settings struct {
	nvlink, ptxas, culink string
	seed                  uint64
	count, jobs, links    int
	arch, without         string
	keep                  string
	shrink, print         bool
}

func parseFlags(args []string, out io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("differential", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&s.nvlink, "nvlink", "", "the nvlink to compare with")
	f.StringVar(&s.ptxas, "ptxas", "", "the ptxas of the same toolkit")
	f.StringVar(&s.culink, "culink", "", "a culink executable to test (default: the one built in)")
	f.Uint64Var(&s.seed, "seed", 1, "first seed")
	f.IntVar(&s.count, "count", 100, "number of programs")
	f.IntVar(&s.jobs, "jobs", 1, "programs at a time")
	f.IntVar(&s.links, "links", 12, "links of each program")
	f.StringVar(&s.arch, "arch", "", "architectures to draw from, as sm_90,sm_100a (default: all of the toolkit)")
	f.StringVar(&s.without, "without", "", "features and options to leave out, separated by commas")
	f.StringVar(&s.keep, "keep", "", "store the first case of each group in this folder")
	f.BoolVar(&s.shrink, "shrink", false, "make stored cases smaller")
	f.BoolVar(&s.print, "print", false, "print the program of the seed and link nothing")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	switch {
	case f.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case s.nvlink == "" || s.ptxas == "" && !s.print:
		return s, errors.New("-nvlink and -ptxas are needed")
	case s.count < 1 || s.jobs < 1 || s.links < 1:
		return s, errors.New("-count, -jobs and -links start at 1")
	case s.shrink && s.keep == "":
		return s, errors.New("-shrink needs -keep")
	}
	return s, nil
}

// command runs the program and returns its exit code: 0 if all links are the same, 1 if some differ, 2 for trouble.
func command(ctx context.Context, args []string, out io.Writer) (int, error) {
	s, err := parseFlags(args, out)
	if err != nil {
		return 2, err
	}
	r, err := newRun(ctx, s, out)
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(r.scratch)
	if s.print {
		p := r.program(s.seed)
		for _, f := range p.files {
			fmt.Fprintf(out, "// %s.ptx %s\n%s\n", f.name, strings.Join(f.flags, " "), p.text(f))
		}
		return 0, nil
	}
	if err := r.all(ctx); err != nil {
		return 2, err
	}
	r.report.write(out)
	if r.report.differing() > 0 {
		return 1, nil
	}
	return 0, nil
}
