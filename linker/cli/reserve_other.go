//go:build !linux

package cli

import "os"

// reserve does nothing: only Linux has a common call for it.
func reserve(*os.File, int64) error { return nil }
