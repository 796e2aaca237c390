// Command generate writes docs/rules.md from the docstrings of the rules.
//
//	bazel run //docs:update
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// sources are the files with public definitions, in the order of the page, and how a BUILD file loads them.
var sources = []struct{ file, load string }{
	{"rules/private/cuda_device_link.bzl", "@culink//rules:defs.bzl"},
	{"rules/private/cuda_device_library.bzl", "@culink//rules:defs.bzl"},
	{"rules/private/toolchain.bzl", "@culink//rules:defs.bzl"},
	{"rules/private/providers.bzl", "@culink//rules:defs.bzl"},
	{"testing/defs.bzl", "@culink//testing:defs.bzl"},
	{"rules/repositories.bzl", "@culink//rules:repositories.bzl"},
}

// page is the reference, relative to the root.
const page = "docs/rules.md"

func main() {
	root := os.Getenv("BUILD_WORKSPACE_DIRECTORY")
	if root == "" {
		root = "."
	}
	text, err := generate(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, page), text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
