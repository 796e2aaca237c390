package link

import "github.com/culink/culink/linker/parallel"

// grain is how many sections or files a goroutine takes at once: handing out work costs little beside so many.
const grain = 16

func (l *link) loop() parallel.Loop { return parallel.Loop{Jobs: l.Jobs, Grain: grain} }

// parallel runs fn(i) for 0 <= i < n on up to Jobs goroutines and returns the error of the lowest i, so that the result
// does not depend on timing. Every fn runs, whatever the others return.
func (l *link) parallel(n int, fn func(i int) error) error {
	return l.loop().Do(n, func(_, i int) error { return fn(i) })
}

// ranges runs fn over runs of neighbours that together make 0 to n-1, for work that is a few instructions per item.
func (l *link) ranges(n int, fn func(lo, hi int)) {
	const run = 1024
	loop := parallel.Loop{Jobs: l.Jobs}
	_ = loop.Do((n+run-1)/run, func(_, i int) error {
		fn(i*run, min((i+1)*run, n))
		return nil
	})
}
