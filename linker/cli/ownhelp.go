package cli

import (
	"fmt"
	"io"
)

func ownHelp(w io.Writer) { fmt.Fprintln(w, "culink") }
