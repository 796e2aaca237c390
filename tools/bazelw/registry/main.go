// Command registry writes a Bazel module registry of local paths, for machines that cannot reach the central one.
//
// It follows the bazel_dep calls from the workspace's MODULE.bazel, and from Bazel's own, to every module that
// resolution will ask for. Each module is one of three kinds:
//   - packaged: Debian ships the rule set; the registry points at the installed files;
//   - proxied: the rule set is a Go module as well; it is downloaded through the Go module proxy that the machine is
//     configured with, at the version that the workspace asks for;
//   - named: other modules mention it, nothing that this workspace builds loads it; it becomes an empty module, or
//     the few definitions of it that others load.
//
// All versions of a module resolve to the same files: the registry serves one workspace, not the world.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	var r registry
	flag.StringVar(&r.workspace, "workspace", "", "folder of the workspace's MODULE.bazel")
	flag.StringVar(&r.tree, "tree", "", "root of the Debian tree that Bazel runs in")
	flag.StringVar(&r.modules, "modules", "", "folder that keeps downloaded and made modules between runs")
	flag.StringVar(&r.out, "out", "", "folder to write the registry to")
	flag.Parse()
	if err := run(&r); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func run(r *registry) error {
	if r.workspace == "" || r.tree == "" || r.modules == "" || r.out == "" {
		return errors.New("--workspace, --tree, --modules and --out are all needed")
	}
	r.download, r.vendor = goModDownload, goModVendor
	return r.write()
}
