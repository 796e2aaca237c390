package diag

import (
	"bufio"
	"io"
)

// prefixes are what the reference puts in front of a message of each class.
var prefixes = [...]string{
	Info:    "nvlink info    : ",
	Warning: "nvlink warning : ",
	Error:   "nvlink error   : ",
	Fatal:   "nvlink fatal   : ",
}

// parserStage reports whether the message comes from reading the command line: such lines never name the target.
func (id ID) parserStage() bool { return id >= UnknownOption && id <= StrayCharacter }

// PrintReference writes messages as the reference linker does: one line each, in the order of their reports. target
// is empty or, with -report-arch, what is appended to every line: "sm_80".
func PrintReference(w io.Writer, messages []Message, target string) error {
	out := bufio.NewWriter(w)
	for i := range messages {
		m := &messages[i]
		if m.Raw != "" {
			out.WriteString(m.Raw)
			continue
		}
		out.WriteString(prefixes[m.Severity()])
		out.WriteString(m.Text())
		if target != "" && !m.ID.parserStage() {
			out.WriteString(" (target: " + target + ")")
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}
