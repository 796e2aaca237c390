package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/linker/inspect"
)

// Exit codes of diff: like those of diff(1).
const (
	exitSame      = 0
	exitDifferent = 1
	exitTrouble   = 2
)

// subcommand runs dump, diff or help. ok is false if args do not start with one.
func (r *run) subcommand(args []string) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case "dump":
		return r.dump(args[1:]), true
	case "diff":
		return r.diff(args[1:]), true
	case "help":
		out := bufio.NewWriter(r.stdout)
		ownHelp(out)
		return r.trouble(out.Flush()), true
	}
	return 0, false
}

// trouble reports an error of a subcommand.
func (r *run) trouble(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(r.stderr, "culink: error: %v\n", err)
	return exitTrouble
}

// What the subcommands take.
const (
	dumpUsage = "culink dump [--json] [-o OUT] FILE..."
	diffUsage = "culink diff [--json] A B"
)

// subArgs are the arguments of a subcommand.
type subArgs struct {
	files        []string
	output       string // of -o, empty if there is none
	asJSON, help bool
}

// readSubArgs reads the arguments of a subcommand, which takes -o only if its usage says so.
func readSubArgs(args []string, usage string) (subArgs, error) {
	var a subArgs
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--json" || arg == "-json":
			a.asJSON = true
		case arg == "--help" || arg == "-h":
			a.help = true
		case arg == "-o" && strings.Contains(usage, " [-o "):
			if i++; i == len(args) {
				return a, errors.New("-o needs the name of a file")
			}
			a.output = args[i]
		case len(arg) > 1 && arg[0] == '-':
			return a, fmt.Errorf("unknown option %s; usage: %s", arg, usage)
		default:
			a.files = append(a.files, arg)
		}
	}
	return a, nil
}

// dump does "culink dump". A dump that fails leaves no output file.
func (r *run) dump(args []string) int {
	a, err := readSubArgs(args, dumpUsage)
	switch {
	case err != nil:
		return r.trouble(err)
	case a.help:
		return r.usage(dumpUsage)
	case len(a.files) == 0:
		return r.trouble(fmt.Errorf("no file to show; usage: %s", dumpUsage))
	}
	out := r.stdout
	var text bytes.Buffer
	if a.output != "" {
		out = &text
	}
	var all []device
	for _, name := range a.files {
		found, err := devices(name)
		if err != nil {
			return r.trouble(err)
		}
		all = append(all, found...)
	}
	if err := writeDumps(out, all, a.asJSON); err != nil {
		return r.trouble(err)
	}
	if a.output != "" {
		return r.trouble(writeFile(a.output, text.Bytes()))
	}
	return exitOK
}

// usage prints what a subcommand takes.
func (r *run) usage(text string) int {
	_, err := fmt.Fprintf(r.stdout, "usage: %s\n", text)
	return r.trouble(err)
}

// writeDumps describes device ELFs one after the other. With several of them each text is headed by a name.
func writeDumps(out io.Writer, all []device, asJSON bool) error {
	for i, d := range all {
		im := inspect.Describe(d.file)
		if asJSON {
			e := json.NewEncoder(out)
			e.SetIndent("", "  ")
			if err := e.Encode(im); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		if len(all) > 1 {
			fmt.Fprintf(out, "%s:\n", d.name)
		}
		if err := im.WriteText(out); err != nil {
			return err
		}
	}
	return nil
}

// shownByDiff is how many differences diff lists as text; --json lists all.
const shownByDiff = 100

// diff does "culink diff".
func (r *run) diff(args []string) int {
	in, err := readSubArgs(args, diffUsage)
	switch {
	case err != nil:
		return r.trouble(err)
	case in.help:
		return r.usage(diffUsage)
	case len(in.files) != 2:
		return r.trouble(fmt.Errorf("diff compares two files, not %d; usage: %s", len(in.files), diffUsage))
	}
	a, err := oneDevice(in.files[0])
	if err != nil {
		return r.trouble(err)
	}
	b, err := oneDevice(in.files[1])
	if err != nil {
		return r.trouble(err)
	}
	d := inspect.Diff(a, b)
	out := bufio.NewWriter(r.stdout)
	if in.asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if d == nil {
			d = []inspect.Difference{}
		}
		err = e.Encode(d)
	} else {
		for i, x := range d {
			if i == shownByDiff {
				fmt.Fprintf(out, "and %d more (--json lists all)\n", len(d)-i)
				break
			}
			fmt.Fprintf(out, "%s\n  %s: %s\n  %s: %s\n", x.Key, in.files[0], x.A, in.files[1], x.B)
		}
	}
	if e := out.Flush(); err == nil {
		err = e
	}
	switch {
	case err != nil:
		return r.trouble(err)
	case len(d) > 0:
		return exitDifferent
	}
	return exitSame
}
