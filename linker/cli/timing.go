package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/culink/culink/linker/diag"
)

// timeHeader is the first line of a new file of -time (observed).
const timeHeader = "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n"

// timeTable is the destination of -time: a table that grows at its end.
type timeTable struct {
	w     io.Writer
	close func() error
}

// openTime opens the file of -time, or stdout for "-", and writes the header if the file is empty.
func (r *run) openTime() error {
	name := r.line.text(optTime)
	if !r.line.given(optTime) {
		return nil
	}
	t := &timeTable{w: r.stdout, close: func() error { return nil }}
	fresh := true
	if name != "-" {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return r.diag.FatalCause(err, diag.NoTimeFile, name)
		}
		info, err := f.Stat()
		fresh = err == nil && info.Size() == 0
		t.w, t.close = f, f.Close
	}
	if fresh {
		if _, err := io.WriteString(t.w, timeHeader); err != nil {
			return r.diag.FatalCause(err, diag.NoTimeFile, name)
		}
	}
	r.times = t
	return nil
}

// add writes the line of one step: source is the file, phase the step's name, tool who did it, target the architecture.
func (t *timeTable) add(source, phase, tool, target string, d time.Duration) {
	if t != nil {
		fmt.Fprintf(t.w, "%s , %s , %s ,  , %s , %s , %.4f , ms\n", source, phase, source, target, tool, float64(d)/float64(time.Millisecond))
	}
}

// finish closes the table.
func (t *timeTable) finish() error {
	if t == nil {
		return nil
	}
	return t.close()
}
