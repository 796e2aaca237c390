package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/linker/arch"
)

// Measures of the reference's --help (observed).
const (
	helpNames  = 52 // width of the column of long names
	helpShort  = 28 // width of the column of short names
	helpIndent = 8
	helpWidth  = 80 // a line ends with the first word that reaches it
)

// help prints what --help asks for.
func (r *run) help() error {
	out := bufio.NewWriter(r.stdout)
	if r.reference {
		referenceHelp(out, r.line.Toolkit, r.line.toolName())
	} else {
		ownHelp(out)
	}
	return out.Flush()
}

// referenceHelp writes the reference's help for a release: all its options that are not hidden, sorted by name.
func referenceHelp(w io.Writer, t *arch.Toolkit, tool string) {
	fmt.Fprintf(w, "\nUsage  : %s [options] <objects>\n\nOptions\n=======\n\n", tool)
	for id := range numOptions {
		o := &options[id]
		if o.Hidden || o.Status == statusOwn || !o.has(t) || o.longIn(t) != o.Long {
			continue
		}
		names := "--" + o.Long
		if o.Arg != "" {
			names += " " + o.Arg
		}
		short := "(-" + o.Short + ")"
		if o.Short == "" {
			short = names + "  "
		}
		writeFilled(w, fmt.Sprintf("%-*s%-*s", helpNames, names, helpShort, short), 0)
		text := o.Help
		if a := o.allowedIn(t); len(a) > 0 {
			text += "\nAllowed values for this option:  " + o.quote(a, ",") + "."
		}
		if o.Default != "" {
			text += "\nDefault value:  " + o.quote([]string{o.Default}, "") + "."
		}
		for line := range strings.SplitSeq(text, "\n") {
			writeFilled(w, line, helpIndent)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// allowedIn lists the values of an option.
func (o *option) allowedIn(t *arch.Toolkit) []string {
	if o != &options[optArch] {
		return o.Allowed
	}
	return archNames(t)
}

// quote joins values in quotes; numbers go without.
func (o *option) quote(values []string, sep string) string {
	if o.Form == formNumber {
		return strings.Join(values, sep)
	}
	return "'" + strings.Join(values, "'"+sep+"'") + "'"
}

// writeFilled writes text in lines that begin at column indent. A line is broken behind the first word that reaches
// column helpWidth, words being separated by blanks or ended by commas (observed), and continues at helpIndent.
func writeFilled(w io.Writer, text string, indent int) {
	column := indent
	fmt.Fprintf(w, "%*s", indent, "")
	for text != "" {
		n := strings.IndexAny(text, " ,") + 1
		if n == 0 {
			n = len(text)
		}
		word := text[:n]
		text = text[n:]
		column += n
		if word == " " || text == "" || len(strings.TrimSuffix(word, " "))+column-n < helpWidth {
			io.WriteString(w, word)
			continue
		}
		fmt.Fprintf(w, "%s\n%*s", strings.TrimSuffix(word, " "), helpIndent, "")
		column = helpIndent
	}
	fmt.Fprintln(w)
}
