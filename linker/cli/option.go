package cli

import "github.com/culink/culink/linker/arch"

// form says what value an option takes.
type form uint8

const (
	formSwitch form = iota // none
	formValue              // a text; only the last one counts
	formList               // texts, split at commas; every one counts
	formNumber             // 32-bit integer, decimal or 0x
	formBool               // true or false
)

// status says how culink treats an option of the reference.
type status uint8

const (
	statusSame    status = iota // does what the reference does
	statusBetter                // does what the reference does, and more; Note says what
	statusIgnored               // accepted; has no effect, in the reference either without link-time optimisation
	statusRefused               // refused with an error that says why
	statusOwn                   // culink's own
)

// optionID is the position of an option in the table.
type optionID int

// option is everything that is known about one option. Facts about the reference's options are observed.
type option struct {
	// Long is written with two dashes, Short with one; either may be empty. There is no mixing and no abbreviation.
	Long, Short string
	Form        form
	// Glued lets a value follow the short name directly (-ldev).
	Glued bool
	// Since is the first toolkit that has the option, 0 for all. RenamedIn is the toolkit from which on it has its long
	// name; LongBefore is the long name in those below.
	Since, RenamedIn int
	LongBefore       string
	// Hidden options are not in --help.
	Hidden bool
	// Arg is what --help shows for the value: "<file name>".
	Arg string
	// Allowed lists the values that are taken, OwnAllowed those that are taken under the name culink besides, Default the
	// one that --help shows.
	Allowed    []string
	OwnAllowed []string
	Default    string
	// Implied is the value when none follows: the next argument is an option, or there is none.
	Implied string
	// Help is the reference's text in --help, paragraphs separated by newlines; Own is culink's.
	Help string
	Own  string
	// Status and Note say what culink does with the option.
	Status status
	Note   string
}

// has reports whether the toolkit knows the option.
func (o *option) has(t *arch.Toolkit) bool { return t.Word >= o.Since }

// longIn is the long name that the toolkit knows.
func (o *option) longIn(t *arch.Toolkit) string {
	if t.Word < o.RenamedIn {
		return o.LongBefore
	}
	return o.Long
}

// messageName is the name that messages about a value use: the long one.
func (o *option) messageName() string {
	if o.Long != "" {
		return o.Long
	}
	return o.Short
}
