package diag

import (
	"bufio"
	"io"
)

// classes are what the reference puts behind its name in a message of each class.
var classes = [...]string{Info: " info    : ", Warning: " warning : ", Error: " error   : ", Fatal: " fatal   : "}

// parserStage reports whether the message comes from reading the command line.
func (id ID) parserStage() bool { return id >= UnknownOption && id <= StrayCharacter }

// ReferenceForm is how the reference linker prints its messages.
type ReferenceForm struct {
	// Tool is what a line begins with: "nvlink" unless --tool-name says otherwise.
	Tool string
	// Target is empty or, with -report-arch, what is appended to every line: "sm_80".
	Target string
}

// Print writes messages as the reference linker does: one line each, in the order of their reports. Those of the parser of
// options neither name the target nor have another name than nvlink (observed).
func (f ReferenceForm) Print(w io.Writer, messages []Message) error {
	out := bufio.NewWriter(w)
	for i := range messages {
		m := &messages[i]
		if m.Raw != "" {
			out.WriteString(m.Raw)
			continue
		}
		tool := f.Tool
		if m.ID.parserStage() {
			tool = "nvlink"
		}
		out.WriteString(tool)
		out.WriteString(classes[m.Severity()])
		out.WriteString(m.Text())
		if f.Target != "" && !m.ID.parserStage() {
			out.WriteString(" (target: " + f.Target + ")")
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}
