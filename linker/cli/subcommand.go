package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

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
	fmt.Fprintf(r.stderr, "culink: %v\n", err)
	return exitTrouble
}

// splitJSON takes --json out of the arguments of a subcommand. Any other option is an error.
func splitJSON(args []string) (files []string, asJSON bool, err error) {
	for _, a := range args {
		switch {
		case a == "--json" || a == "-json":
			asJSON = true
		case len(a) > 1 && a[0] == '-':
			return nil, false, fmt.Errorf("unknown option %s; the only one is --json", a)
		default:
			files = append(files, a)
		}
	}
	return files, asJSON, nil
}

// splitOutput takes -o FILE out of the arguments of a subcommand. The name is empty if there is none.
func splitOutput(args []string) (rest []string, output string, err error) {
	for i := 0; i < len(args); i++ {
		if args[i] != "-o" {
			rest = append(rest, args[i])
			continue
		}
		if i++; i == len(args) {
			return nil, "", fmt.Errorf("-o needs the name of a file")
		}
		output = args[i]
	}
	return rest, output, nil
}

// dump does "culink dump [--json] [-o OUTPUT] FILE...". A dump that fails leaves no output file.
func (r *run) dump(args []string) int {
	args, output, err := splitOutput(args)
	var files []string
	var asJSON bool
	if err == nil {
		files, asJSON, err = splitJSON(args)
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("usage: culink dump [--json] [-o OUTPUT] FILE [FILE...]")
	}
	if err != nil {
		return r.trouble(err)
	}
	out := r.stdout
	var text bytes.Buffer
	if output != "" {
		out = &text
	}
	var all []device
	for _, name := range files {
		found, err := devices(name)
		if err != nil {
			return r.trouble(err)
		}
		all = append(all, found...)
	}
	if err := writeDumps(out, all, asJSON); err != nil {
		return r.trouble(err)
	}
	if output != "" {
		return r.trouble(writeFile(output, text.Bytes()))
	}
	return exitOK
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

// diff does "culink diff [--json] A B".
func (r *run) diff(args []string) int {
	files, asJSON, err := splitJSON(args)
	if err == nil && len(files) != 2 {
		err = fmt.Errorf("usage: culink diff [--json] A B")
	}
	if err != nil {
		return r.trouble(err)
	}
	a, err := oneDevice(files[0])
	if err != nil {
		return r.trouble(err)
	}
	b, err := oneDevice(files[1])
	if err != nil {
		return r.trouble(err)
	}
	d := inspect.Diff(a, b)
	out := bufio.NewWriter(r.stdout)
	if asJSON {
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
			fmt.Fprintf(out, "%s\n  %s: %s\n  %s: %s\n", x.Key, files[0], x.A, files[1], x.B)
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
