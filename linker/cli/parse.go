package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// value is what a command line says about one option.
type value struct {
	Given bool
	// Text is the value as it counts: the last one, or the pieces of a list joined by commas.
	Text string
	// Pieces are the values of a list option after splitting.
	Pieces []string
	Number int32
	Bool   bool
}

// commandLine is a parsed command line.
type commandLine struct {
	Toolkit *arch.Toolkit
	Inputs  []string
	values  [numOptions]value
}

func (c *commandLine) given(id optionID) bool  { return c.values[id].Given }
func (c *commandLine) text(id optionID) string { return c.values[id].Text }

// names maps every way of writing an option, without its first dash, to its row. Started as nvlink, --toolkit and --ptxas
// are the only ones of culink's own.
func names(t *arch.Toolkit, reference bool) map[string]optionID {
	m := make(map[string]optionID, 2*numOptions)
	for id := range numOptions {
		o := &options[id]
		if !o.has(t) || reference && o.Status == statusOwn && id != optToolkit && id != optPtxas {
			continue
		}
		if long := o.longIn(t); long != "" {
			m["-"+long] = id
		}
		if o.Short != "" {
			m[o.Short] = id
		}
	}
	return m
}

// parser reads a command line from left to right. Under the reference's name the first error ends it (observed); culink reports
// all of them.
type parser struct {
	line  *commandLine
	names map[string]optionID
	read  func(name string) ([]byte, error)
	// frames are the token sources that are open: the command line, and options files above it.
	frames []frame
	files  int
	diag   *diag.Collector
	// anyArch takes any value for --arch: the toolkit is not chosen yet.
	anyArch bool
	// reference takes what the reference takes: one architecture, and of culink's own options only --toolkit and --ptxas.
	reference bool
}

// frame is a source of tokens; depth counts the options files around it.
type frame struct {
	tokens []string
	depth  int
}

// parse reads args (without the program's name) as toolkit t does. read opens options files. The error is a
// *diag.FatalError that d has.
func parse(t *arch.Toolkit, args []string, read func(string) ([]byte, error), d *diag.Collector, reference bool) (*commandLine, error) {
	p := &parser{reference: reference, line: &commandLine{Toolkit: t}, names: names(t, reference), read: read, frames: []frame{{tokens: args}}, diag: d}
	var first error
	p.all(func(err error) bool {
		if reference || endsParsing(err) {
			first = err
			return false
		}
		if first == nil {
			first = err
		}
		return true
	})
	return p.line, first
}

// all reads every token, and goes on behind an error as long as more says so.
func (p *parser) all(more func(error) bool) {
	defer p.line.joinLists()
	for {
		arg, depth, ok := p.next()
		if !ok {
			return
		}
		if len(arg) < 2 || arg[0] != '-' {
			p.line.Inputs = append(p.line.Inputs, arg)
		} else if err := p.option(arg, depth); err != nil && !more(err) {
			return
		}
	}
}

// endsParsing reports whether an error is the last: options files that name each other in a circle give no end of them.
func endsParsing(err error) bool {
	var fatal *diag.FatalError
	return errors.As(err, &fatal) && fatal.Message.ID == diag.TooManyOptionsFiles
}

// joinLists sets the texts of list options: once, since there may be thousands of pieces.
func (c *commandLine) joinLists() {
	for id := range c.values {
		if v := &c.values[id]; v.Pieces != nil {
			v.Text = strings.Join(v.Pieces, ",")
		}
	}
}

// next takes one token off the innermost source that has any.
func (p *parser) next() (token string, depth int, ok bool) {
	for len(p.frames) > 0 {
		top := &p.frames[len(p.frames)-1]
		if len(top.tokens) > 0 {
			token, top.tokens = top.tokens[0], top.tokens[1:]
			return token, top.depth, true
		}
		p.frames = p.frames[:len(p.frames)-1]
	}
	return "", 0, false
}

// value takes the token behind an option, which must be in the same source (observed).
func (p *parser) value(o *option) (token string, ok bool) {
	top := &p.frames[len(p.frames)-1]
	if o.Implied != "" && (len(top.tokens) == 0 || len(top.tokens[0]) > 1 && top.tokens[0][0] == '-') {
		return o.Implied, true
	}
	if len(top.tokens) == 0 {
		return "", false
	}
	token, top.tokens = top.tokens[0], top.tokens[1:]
	return token, true
}

// option reads one option and its value.
func (p *parser) option(arg string, depth int) error {
	name, text, hasValue := strings.Cut(arg[1:], "=")
	id, ok := p.names[name]
	if !ok {
		id, ok = p.names[arg[1:2]]
		if !ok || !options[id].Glued {
			return p.diag.FatalNote(p.suggest(name), diag.UnknownOption, name)
		}
		name, text, hasValue = arg[1:2], arg[2:], true
	}
	o := &options[id]
	if o.Form == formSwitch {
		if hasValue {
			return p.diag.Fatal(diag.NoArgumentExpected, "-"+name)
		}
		p.line.values[id].Given = true
		return nil
	}
	if !hasValue {
		if text, ok = p.value(o); !ok {
			return p.diag.Fatal(diag.ArgumentExpected, "-"+name)
		}
	}
	if id == optOptionsFile {
		p.line.values[id].Given = true
		return p.optionsFiles(splitList(text), depth)
	}
	return p.set(id, text)
}

// set checks a value and keeps it.
func (p *parser) set(id optionID, text string) error {
	o, v := &options[id], &p.line.values[id]
	switch o.Form {
	case formList:
		v.Given = true
		v.Pieces = append(v.Pieces, splitList(text)...)
		return nil
	case formNumber:
		n, err := number(text)
		if err != nil {
			return p.numberError(o, text, err)
		}
		if !allowed(p.line.Toolkit, id, strconv.Itoa(int(n)), p.reference) {
			return p.diag.FatalNote(o.values(p.line.Toolkit, text), diag.ValueNotDefined, text, o.messageName())
		}
		text = strconv.Itoa(int(n))
		v.Number = n
	case formBool:
		if text != "true" && text != "false" {
			return p.diag.FatalNote(o.asValue(), diag.ExpectedBool, text)
		}
		v.Bool = text == "true"
	default:
		if !allowed(p.line.Toolkit, id, text, p.reference) && !(p.anyArch && id == optArch) {
			return p.diag.FatalNote(o.values(p.line.Toolkit, text), diag.ValueNotDefined, text, o.messageName())
		}
	}
	if v.Given && v.Text != text {
		p.diag.Report(diag.Redefinition, o.messageName())
	}
	v.Given, v.Text = true, text
	return nil
}

// allowed reports whether an option takes a value.
func allowed(t *arch.Toolkit, id optionID, text string, reference bool) bool {
	if id == optArch {
		for name := range strings.SplitSeq(text, ",") {
			if _, err := t.Parse(name); err != nil {
				return false
			}
		}
		return !reference || !strings.Contains(text, ",")
	}
	if len(options[id].Allowed) == 0 {
		return true
	}
	return slices.Contains(options[id].Allowed, text) || !reference && slices.Contains(options[id].OwnAllowed, text)
}

// number reads a 32-bit integer: decimal or 0x, with a sign; the empty text is 0 (observed).
func number(text string) (int32, error) {
	if text == "" {
		return 0, nil
	}
	s := strings.TrimLeft(text, " \t\n\v\f\r")
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') && digits[2] != '-' && digits[2] != '+' {
		n, err := strconv.ParseInt(s[:len(s)-len(digits)]+digits[2:], 16, 32)
		return int32(n), err
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int32(n), err
}

func (p *parser) numberError(o *option, text string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return p.diag.FatalNote(o.asValue(), diag.NumberOutOfRange, text)
	}
	return p.diag.FatalNote(o.asValue(), diag.ExpectedNumber, text)
}

// splitList cuts a list value at commas. A pair of double quotes protects commas and is removed; blanks around a piece
// and empty pieces are dropped (observed).
func splitList(text string) []string {
	var out []string
	var piece strings.Builder
	quoted := false
	flush := func() {
		if s := strings.TrimSpace(piece.String()); s != "" {
			out = append(out, s)
		}
		piece.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			flush()
		default:
			piece.WriteByte(c)
		}
	}
	flush()
	return out
}
