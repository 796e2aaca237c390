package cli

import "runtime/debug"

const (
	// manyInputs and muchInput (bytes) are sizes of a link from which on memory is worth a thought: a smaller one ends before
	// the first garbage collection.
	manyInputs = 16
	muchInput  = 64 << 10
)

// tuneCollector lets the heap of this short-lived process grow far between collections: nearly all that a link allocates lives to
// its end, so that a collection finds next to nothing to free. For the same reason there is no limit of memory: near one, a link
// that needs more would collect all the time. It stops all goroutines for a moment, which small links need not wait for.
func (r *run) tuneCollector() {
	r.tuned.Do(func() {
		if r.env("GOGC") == "" { // the user may decide
			debug.SetGCPercent(1000)
		}
	})
}
