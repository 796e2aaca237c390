//go:build !linux

package slab

import "unsafe"

// advise does nothing: only Linux has huge pages on request.
func advise(unsafe.Pointer, uintptr) {}
