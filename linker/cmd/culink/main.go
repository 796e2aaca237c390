// Command culink links relocatable CUDA device code into a device image. Started under the name nvlink it takes that
// tool's place.
package main

import (
	"os"

	"github.com/culink/culink/linker/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Stdout, os.Stderr, os.Getenv))
}
