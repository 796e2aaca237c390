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

// tuneCollector lets the heap of this short-lived process grow further between collections than a server's would: nearly
// all that a link allocates lives to its end. Above half a gigabyte memory counts more than time again.
func tuneCollector(gogc string) {
	if gogc != "" {
		return // the user decides
	}
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(512 << 20)
}
