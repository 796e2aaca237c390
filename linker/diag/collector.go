package diag

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// Severity orders messages; the reference linker knows these four classes (observed).
type Severity uint8

// The classes of messages, in ascending weight.
const (
	Info Severity = iota
	Warning
	Error
	Fatal
)

// Message is one thing that a link has to say.
type Message struct {
	ID   ID
	Args []any // arguments of the catalog's texts, in their order
	// Promoted is set when -Werror made an error of a warning.
	Promoted bool
	// Note says what to do, where that depends on the case; printed under culink's own name only, before the catalog's hint.
	Note string
	// Cause says in what way: why a file cannot be written, what code it has instead. Shown behind the text under culink's own name
	// only; "" for none.
	Cause string
	// Raw is verbatim text that is printed as it is instead of a catalog text (dumps, output of ptxas).
	Raw string
}

// Severity is the class of the message after promotion.
func (m *Message) Severity() Severity {
	s := catalog[m.ID].Severity
	if m.Promoted && s == Warning {
		return Error
	}
	return s
}

// Text is the message in the reference linker's words, without the "nvlink error   : " in front.
func (m *Message) Text() string {
	if m.Raw != "" {
		return m.Raw
	}
	return fmt.Sprintf(catalog[m.ID].Format, m.Args...)
}

// FatalError ends a link: the message that ended it has been collected.
type FatalError struct{ Message Message }

func (e *FatalError) Error() string { return e.Message.Text() }

// Collector keeps messages in the order of their reports. The zero value is ready for use; it is safe for
// concurrent use, though ordered output needs ordered reports.
type Collector struct {
	// WarningsAsErrors is -Werror; NoWarnings drops warnings (after promotion is decided by the caller's rules).
	WarningsAsErrors bool
	NoWarnings       bool

	mu       sync.Mutex
	messages []Message
	errors   int
}

// Report adds a message.
func (c *Collector) Report(id ID, args ...any) {
	c.add(Message{ID: id, Args: args})
}

// Add adds a message of any class. A fatal one comes back as an error that ends the link.
func (c *Collector) Add(m Message) error {
	c.add(m)
	if catalog[m.ID].Severity == Fatal {
		return &FatalError{m}
	}
	return nil
}

// Raw adds verbatim text, which may have several lines and is printed without a prefix.
func (c *Collector) Raw(text string) {
	c.add(Message{ID: RawText, Raw: text})
}

func (c *Collector) add(m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if catalog[m.ID].Severity == Warning {
		if c.NoWarnings {
			return
		}
		m.Promoted = c.WarningsAsErrors && !catalog[m.ID].KeepWarning
	}
	if m.Severity() >= Error {
		c.errors++
	}
	c.messages = append(c.messages, m)
}

// Fatal adds a fatal message and returns it as an error that ends the link.
func (c *Collector) Fatal(id ID, args ...any) error {
	return c.Add(Message{ID: id, Args: args})
}

// FatalNote is Fatal for a message with a note.
func (c *Collector) FatalNote(note string, id ID, args ...any) error {
	return c.Add(Message{ID: id, Args: args, Note: note})
}

// FatalCause is Fatal for a file that the system cannot read or write.
func (c *Collector) FatalCause(cause error, id ID, args ...any) error {
	m := Message{ID: id, Args: args}
	var path *fs.PathError
	switch {
	case errors.As(cause, &path):
		m.Cause = path.Err.Error() // the message names the file
	case cause != nil:
		m.Cause = cause.Error()
	}
	return c.Add(m)
}

// Append adds the messages of another collector, which has applied its own rules, leaving out those that are here word for
// word already: links of the same inputs for several architectures have much to say twice.
func (c *Collector) Append(other *Collector) {
	fresh := other.Messages()
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := make(map[string]bool, len(c.messages))
	for i := range c.messages {
		seen[c.messages[i].Text()] = true
	}
	for _, m := range fresh {
		if seen[m.Text()] {
			continue
		}
		if m.Severity() >= Error {
			c.errors++
		}
		c.messages = append(c.messages, m)
	}
}

// Errors is the number of errors and fatal messages so far.
func (c *Collector) Errors() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errors
}

// Messages returns what was collected, in order of report.
func (c *Collector) Messages() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Message(nil), c.messages...)
}
