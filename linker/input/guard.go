package input

import (
	"errors"
	"runtime/debug"
)

// errCut is what reading a mapped file gives when another process has made it shorter meanwhile.
var errCut = errors.New("it was cut short while it was read")

// guarded calls f, which reads mapped files, and returns errCut if bytes of one of them are gone. Without it the process
// would end with SIGBUS. The goroutines that f starts are not guarded.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errCut
		default:
			panic(fault)
		}
	}()
	return f()
}
