package diag

import (
	"bufio"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/culink/culink/linker/diag/cuname"
)

// roles say what the arguments of a message are: the position of the symbol that it is about and of the file that it is
// found in, counted from 1; 0 where there is none.
type roles struct{ symbol, file int }

// rolesOf lists the messages with such arguments.
var rolesOf = [messageCount]roles{
	UndefinedReference: {1, 2}, MultipleDefinition: {1, 2}, SpaceMismatch: {1, 2}, ManagedMismatch: {1, 2}, SizeMismatch: {1, 2},
	NotGlobalEverywhere: {1, 0}, PrototypeMismatch: {1, 2}, DuplicateWeakParamBank: {1, 0}, CommonLarger: {1, 2}, TooMuchShared: {1, 0},
	TooMuchCompilerConstant: {1, 0}, ReservedSharedNotAllowed: {1, 0}, RegisterLimit: {1, 0}, StackSizeUnknown: {1, 0},
	AddressTakenUncalled: {1, 0}, TooManyTextures: {2, 0}, TooManySamplers: {2, 0}, TooManySurfaces: {2, 0}, CtaGroupConflict: {1, 0}, FunctionProperties: {1, 0}, CodeKept: {1, 0},
	NotIndexed: {1, 0}, WrongSlot: {1, 0}, SharedUuid: {1, 0},
	MissingCompatAttribute: {0, 3}, LimitedToArch: {0, 2}, ArchMismatch: {0, 1}, AbiMismatch: {0, 1}, NewerThanToolkit: {0, 1}, NewerThanKnown: {0, 1},
	RecompileToolkit: {0, 1}, Expected64Bit: {0, 1}, EwpObject: {0, 1}, MalformedInput: {0, 1}, UnsupportedInput: {0, 1},
	NoInputFile: {0, 1}, OutputIsInput: {0, 1}, NoFatbin: {0, 1}, ArchNotFound: {0, 2}, LostCode: {0, 1}, RescuedCode: {0, 1}, IgnoredInput: {0, 1}, NullPointers: {1, 2}, NoPtxas: {0, 1}, SizeMismatch64: {0, 1}, SizeMismatch32: {0, 1}, NotRelocatable: {0, 1}, LTOInput: {0, 1},
}

// otherSymbol says which argument, counted from 1, is a second symbol.
var otherSymbol = [messageCount]int{RegisterLimit: 3, SharedUuid: 2}

// consequences are messages that only say that earlier ones ended the link: culink leaves them out behind an error.
var consequences = [messageCount]bool{MergeElfFailed: true, ElfLinkInternal: true, FatbinaryError: true, NoCallgraphNode: true, NoRegisterCount: true}

// ownWords are texts that culink words differently from the reference. Arguments are those of the catalog's text.
var ownWords = [messageCount]string{
	StrayCharacter:           "unexpected end behind '%s'",
	UnknownOption:            "unknown option '-%s'",
	NoOutputFile:             "no output file",
	NoInputFiles:             "no input files",
	NoOutput:                 "cannot write '%s'",
	OutputCutShort:           "the output cannot be written to its end",
	NoInputFile:              "cannot read '%s'",
	NoOptionsFile:            "cannot read the options file '%s'",
	NoTimeFile:               "cannot write '%s'",
	UnknownArch:              "unknown architecture '%s'",
	TooMuchShared:            "kernel '%s' uses too much shared memory: %d bytes of at most %d",
	TooMuchConstant:          "too much constant data in all inputs together: %d bytes of at most %d",
	RegisterLimit:            "kernel '%s' with at most %d registers calls function '%s' with %d",
	NotGlobalEverywhere:      "'%s' is a kernel (__global__) in some inputs and none in others",
	ValueNotDefined:          "'%s' is not a value of --%s",
	ArchNotFound:             "no code for %s in '%s'",
	ArchMismatch:             "'%s' cannot be linked for %s",
	AbiMismatch:              "'%s' has another ABI than the release that is imitated",
	SizeMismatch64:           "'%s' is 32-bit device code",
	SizeMismatch32:           "'%s' is 64-bit device code",
	RecompileToolkit:         "'%s' was compiled before CUDA 12.0",
	MalformedInput:           "'%s' is damaged: %s",
	UnsupportedInput:         "'%s' cannot be linked: %s",
	FunctionProperties:       "properties of '%s'",
	Redefinition:             "option '%s' is given several times with different values: the last one counts",
	VirtualTarget:            "'%s' is no architecture to link for",
	PreserveRelocsIncomplete: "nvlink calls '--preserve-relocs' incomplete for '%s'; its output is reproduced as it is",
	NotUidx:                  "this is no index file",
	MalformedUidx:            "the index file is damaged",
	NoSuchUuid:               "the index file does not fit the program: unknown id",
	NoMatchingUuid:           "the index file does not fit the program: unknown id, similar to a known one",
	UuidTwice:                "the index file has an id twice",
	FunctionWindow:           "the index file does not fit the program: its function table has another size",
	DataWindow:               "the index file does not fit the program: its table of variables has another size",
	UnifiedWithoutIndex:      "unified functions and variables need an index file",
	CubinNotELF:              "a .cubin file is no ELF file", CubinNotDevice: "a .cubin file is no device code", FatbinFormat: "a .fatbin file is no fatbin",
}

// Explanation is how culink presents messages under its own name.
type Explanation struct {
	// Color says that the output is for a terminal that shows colours.
	Color bool
	// References lists where a symbol is used, for messages about symbols without a definition: nil if not known.
	References func(symbol string) []string
	// Meant says what may be meant by a symbol without a definition, "" if nothing comes to mind: nil if not known.
	Meant func(symbol string) string
	// Target is named in every message when it is not empty (-report-arch).
	Target string
	// Unreadable says why a file cannot be read: "no such file". Nil if that is not known.
	Unreadable func(file string) string
	// Limit is how many symbols or files are shown with warnings, and how many with errors; 0 shows all.
	Limit int
}

// shownReferences is how many uses of an undefined symbol are listed.
const shownReferences = 3

// group are the messages about one symbol, or one message about none.
type group struct {
	symbol, file string
	messages     []*Message
	severity     Severity
}

// Print writes messages sorted and explained: information first, in the order of its reports; then warnings, then errors,
// each grouped by symbol, sorted by file and symbol, with names demangled, the first uses of what is missing, the likely
// cause and what to do about it; last a count.
func (x Explanation) Print(w io.Writer, messages []Message) error {
	p := &printer{Explanation: x, out: bufio.NewWriter(w), hinted: map[string]bool{}}
	var rest []*Message
	errors, warnings := 0, 0
	said := map[string]bool{}
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Raw != "":
			p.out.WriteString(m.Raw)
		case m.Severity() == Info:
			p.message(m)
		case consequences[m.ID] && errors > 0, said[m.Text()]: // the reference repeats itself, once per call path
		default:
			said[m.Text()] = true
			rest = append(rest, m)
			if m.Severity() == Warning {
				warnings++
			} else {
				errors++
			}
		}
	}
	p.groups(grouped(rest))
	if errors > 0 {
		p.line(Error, fmt.Sprintf("the link failed: %s", counted(errors, warnings)))
	}
	return p.out.Flush()
}

func counted(errors, warnings int) string {
	s := plural(errors, "error")
	if warnings > 0 {
		s += ", " + plural(warnings, "warning")
	}
	return s
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// grouped collects messages by symbol and sorts the groups. Messages about no symbol stay by themselves.
func grouped(messages []*Message) []*group {
	var out []*group
	bySymbol := map[string]*group{}
	for _, m := range messages {
		symbol, file := m.argument(rolesOf[m.ID].symbol), m.argument(rolesOf[m.ID].file)
		g := bySymbol[symbol]
		if g == nil || symbol == "" {
			g = &group{symbol: symbol, file: file, severity: m.Severity()}
			bySymbol[symbol] = g
			out = append(out, g)
		}
		g.severity = max(g.severity, m.Severity())
		g.messages = append(g.messages, m)
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		switch {
		case a.severity != b.severity:
			return a.severity < b.severity
		case a.file != b.file:
			return a.file < b.file
		}
		return a.symbol < b.symbol
	})
	return out
}

// argument is the n-th argument as text, "" for n = 0.
func (m *Message) argument(n int) string {
	if n == 0 || n > len(m.Args) {
		return ""
	}
	return fmt.Sprint(m.Args[n-1])
}

// printer writes the lines.
type printer struct {
	Explanation
	out *bufio.Writer
	// warnings and errors count the groups that are out.
	warnings, errors int
	// hinted are the explanations that are out already: each is given once.
	hinted map[string]bool
}

func (p *printer) groups(groups []*group) {
	hidden := 0
	for _, g := range groups {
		shown := &p.errors
		if g.severity == Warning {
			shown = &p.warnings
		}
		if p.Limit > 0 && *shown >= p.Limit {
			hidden += len(g.messages)
			continue
		}
		*shown++
		p.group(g)
	}
	if hidden > 0 {
		p.note(plural(hidden, "further message") + " not shown; --error-limit=0 shows all")
	}
}

// group writes the messages about one symbol, each with what explains it unless that has been said before.
func (p *printer) group(g *group) {
	for _, m := range g.messages {
		p.message(m)
		if m.ID == UndefinedReference && p.References != nil && p.references(g.symbol) {
			continue
		}
		for _, h := range []string{m.Note, catalog[m.ID].Hint} {
			if h != "" && !p.hinted[h] {
				p.hinted[h] = true
				p.note(h)
			}
		}
	}
}

// references writes where an undefined symbol is used and what may be meant by it. known reports whether that is said.
func (p *printer) references(symbol string) (known bool) {
	all := p.References(symbol)
	for i, r := range all {
		if i == shownReferences {
			fmt.Fprintf(p.out, "    and %s\n", plural(len(all)-i, "further use"))
			break
		}
		fmt.Fprintf(p.out, "    used by %s\n", r)
	}
	if p.Meant == nil {
		return false
	}
	text := p.Meant(symbol)
	if text != "" {
		p.note(text)
	}
	return text != ""
}

// words is a message as culink words it, with its symbol demangled.
func (m *Message) words() string {
	if special := m.specialWords(); special != "" {
		return special
	}
	format := ownWords[m.ID]
	if format == "" {
		format = catalog[m.ID].Format
	}
	args := append([]any(nil), m.Args...)
	for _, n := range [...]int{rolesOf[m.ID].symbol, otherSymbol[m.ID]} {
		if n > 0 {
			args[n-1] = Plain(m.argument(n))
		}
	}
	text := lower(strings.TrimSuffix(fmt.Sprintf(format, args...), "."))
	if symbol := m.Subject(); symbol != Plain(symbol) {
		text += " [" + symbol + "]"
	}
	return text
}

// specialWords are the words of messages whose arguments do not make sense to people; empty for all others.
func (m *Message) specialWords() string {
	switch second, needs := strings.CutPrefix(m.argument(2), "no "); {
	case m.ID == NewerThanToolkit:
		return fmt.Sprintf("'%s' was compiled by CUDA %s, which is newer than CUDA %s", m.argument(1), release(m.Args[1]), release(m.Args[2]))
	case m.ID == NewerThanKnown:
		return fmt.Sprintf("'%s' was compiled by CUDA %s and is linked as CUDA %s would", m.argument(1), release(m.Args[1]), release(m.Args[2]))
	case m.ID == UnknownArch && m.argument(1) == "(null)":
		return "no architecture to link for"
	case m.ID == ConflictingOptions && needs:
		return "option " + m.argument(1) + " needs " + second
	}
	return ""
}

// release is a version word, ten times the version, as people write it: "13.0".
func release(word any) string {
	if n, ok := word.(int); ok && n >= 0 {
		return fmt.Sprintf("%d.%d", n/10, n%10)
	}
	return fmt.Sprint(word)
}

// lower makes the first letter small unless the word is in capitals.
func lower(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] < 'A' || s[1] > 'Z') {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}

func (p *printer) message(m *Message) {
	text := m.words()
	why := m.Cause
	if m.ID == NoInputFile && p.Unreadable != nil {
		why = p.Unreadable(m.argument(1))
	}
	if why != "" {
		text += ": " + why
	}
	if m.Promoted {
		text += " [-Werror]"
	}
	if p.Target != "" {
		text += " (target: " + p.Target + ")"
	}
	p.line(m.Severity(), text)
}

// Escape sequences of ANSI terminals.
const (
	red, magenta, cyan, bold, plain = "\x1b[1;31m", "\x1b[1;35m", "\x1b[36m", "\x1b[1m", "\x1b[0m"
)

var labels = [...]struct{ name, color string }{Info: {"info", cyan}, Warning: {"warning", magenta}, Error: {"error", red}, Fatal: {"error", red}}

// line writes "culink: error: text".
func (p *printer) line(s Severity, text string) {
	if p.Color {
		fmt.Fprintf(p.out, "%sculink:%s %s%s:%s %s\n", bold, plain, labels[s].color, labels[s].name, plain, text)
		return
	}
	fmt.Fprintf(p.out, "culink: %s: %s\n", labels[s].name, text)
}

// note writes an explanation below a message.
func (p *printer) note(text string) {
	if p.Color {
		fmt.Fprintf(p.out, "    %s%s%s\n", cyan, text, plain)
		return
	}
	fmt.Fprintf(p.out, "    %s\n", text)
}

// Subject is the symbol that the message is about, "" for none.
func (m *Message) Subject() string { return m.argument(rolesOf[m.ID].symbol) }

// Plain is a symbol's name as people wrote it: demangled if it is mangled.
func Plain(symbol string) string { return cuname.Readable(symbol) }
