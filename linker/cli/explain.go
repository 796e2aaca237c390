package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/culink/culink/linker/diag"
)

// explanation is how culink words its messages under its own name.
func (r *run) explanation() diag.Explanation {
	x := diag.Explanation{Limit: 20, Color: r.color(), Unreadable: unreadable}
	if r.line != nil && r.line.given(optErrorLimit) {
		x.Limit = int(r.line.values[optErrorLimit].Number)
	}
	if r.line != nil && r.line.given(optReportArch) {
		x.Target = r.line.text(optArch)
	}
	if u := r.undefined; u != nil {
		x.References = func(symbol string) []string { return u.uses[symbol] }
		x.Meant = u.meant
	}
	return x
}

// unreadable says why a file cannot be an input.
func unreadable(name string) string {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case err != nil:
		return ""
	case info.IsDir():
		return "it is a folder"
	case !info.Mode().IsRegular():
		return "it is no regular file"
	case !opens(name):
		return "no permission"
	}
	return "it is too short to be code"
}

// color reports whether messages are coloured: as --color says, or when they go to a terminal that shows colours
// (NO_COLOR and TERM=dumb are heeded).
func (r *run) color() bool {
	if r.line != nil && r.line.given(optColor) && r.line.text(optColor) != "auto" {
		return r.line.text(optColor) == "always"
	}
	return r.env("NO_COLOR") == "" && r.env("TERM") != "dumb" && isTerminal(r.stderr)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// sayIgnored tells once of each option that was given and has no effect. The reference is silent about them.
func (r *run) sayIgnored() {
	if r.reference {
		return
	}
	for id := range numOptions {
		if o := &options[id]; o.Status == statusIgnored && r.line.given(id) {
			r.diag.Report(diag.IgnoredOption, "--"+o.messageName(), o.Note)
		}
	}
}
