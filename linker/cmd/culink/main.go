// Command culink links relocatable CUDA device code into a device image. Started under the name nvlink it takes that
// tool's place.
package main

import (
	"os"
	"runtime/debug"

	"github.com/culink/culink/linker/cli"
)

func main() {
	tuneCollector(os.Getenv("GOGC"))
	os.Exit(cli.Main(os.Args, os.Stdout, os.Stderr, os.Getenv))
}

// tuneCollector lets the heap of this short-lived process grow far between collections: nearly all that a link allocates lives to
// its end, so that a collection finds next to nothing to free. For the same reason there is no limit of memory: near one, a link
// that needs more would collect all the time.
func tuneCollector(gogc string) {
	if gogc == "" { // the user may decide
		debug.SetGCPercent(1000)
	}
}
