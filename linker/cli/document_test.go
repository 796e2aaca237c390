package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

const documentHead = `# Every option of nvlink, and what culink does with it

This page is made from the table of options in linker/cli/table.go (go test ./linker/cli -run Document -update).

culink takes the command lines of nvlink 12.4 and 13.0: the same names, forms of values, lists, options files and their
quoting, conflicts and order of checks. Started under a name that begins with nvlink it also prints the same texts and
ends with the same exit codes; differences.md lists where it does so although it could do better.

**same**: does what nvlink does. **better**: does that, and more. **no effect**: accepted; under its own name culink
says once that the option has no effect. **refused**: an error that says why.

`

var statusWords = map[status]string{
	statusSame: "same", statusBetter: "better", statusIgnored: "no effect", statusRefused: "refused",
}

// document is docs/options.md.
func document() []byte {
	var b bytes.Buffer
	b.WriteString(documentHead)
	table := func(title, head string, wanted func(*option) bool, row func(*option) string) {
		fmt.Fprintf(&b, "## %s\n\n%s\n", title, head)
		for id := range numOptions {
			if o := &options[id]; wanted(o) {
				b.WriteString(row(o))
			}
		}
		b.WriteByte('\n')
	}
	reference := func(o *option) string {
		since := "12.4, 13.0"
		switch {
		case o.Since > 0:
			since = "13.0"
		case o.RenamedIn > 0:
			since = fmt.Sprintf("12.4 (as --%s), 13.0", o.LongBefore)
		}
		return fmt.Sprintf("| %s | %s | %s | %s |\n", spelled(o), since, statusWords[o.Status], sentence(o))
	}
	head := "| Option | Releases | culink | |\n|---|---|---|---|"
	table("Options that nvlink --help lists", head, func(o *option) bool { return !o.Hidden && o.Status != statusOwn }, reference)
	table("Options that nvlink takes and does not list", head, func(o *option) bool { return o.Hidden }, reference)
	table("culink's own options", "Only `--toolkit` and `--ptxas` are taken under the name nvlink, too.\n\n| Option | |\n|---|---|",
		func(o *option) bool { return o.Status == statusOwn },
		func(o *option) string { return fmt.Sprintf("| %s | %s |\n", spelled(o), cell(o.Own)) })
	b.WriteString("## Subcommands and environment\n\n```\n" + ownUsage[strings.Index(ownUsage, "  culink"):strings.Index(ownUsage, "\nStarted")] + "\n" + ownEnvironment + "```\n")
	return b.Bytes()
}

// spelled is an option as code: `--output-file <file name>`, `-o`.
func spelled(o *option) string {
	s := "`--" + o.Long
	if o.Arg != "" {
		s += " " + o.Arg
	}
	s += "`"
	if o.Short != "" {
		s += ", `-" + o.Short + "`"
	}
	return cell(s)
}

func sentence(o *option) string {
	switch {
	case o.Own == "" || o.Status == statusIgnored || o.Status == statusRefused:
		return cell(o.Note)
	case o.Note == "":
		return cell(o.Own)
	}
	return cell(o.Own + "; " + o.Note)
}

// cell protects bars in a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func TestDocumentOfOptionsIsUpToDate(t *testing.T) {
	const name = "../../docs/options.md"
	if _, err := os.Stat(name); err != nil && !*update {
		t.Skip("the documentation is not among this test's files")
	}
	golden(t, name, document())
}
