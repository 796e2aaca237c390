package link

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel runs fn(i) for 0 <= i < n on up to Jobs goroutines and returns the error of the lowest i, so that the result
// does not depend on timing. Every fn runs, whatever the others return.
func (l *Link) parallel(n int, fn func(i int) error) error {
	jobs := l.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	// A goroutine takes a run of neighbours, so that handing out work costs little beside small items.
	const grain = 16
	if jobs = min(jobs, (n+grain-1)/grain); jobs <= 1 {
		for i := range n {
			if err := fn(i); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		next   atomic.Int64
		mu     sync.Mutex
		first  error
		firstI = n
		wg     sync.WaitGroup
	)
	for range jobs {
		wg.Go(func() {
			for {
				start := int(next.Add(grain)) - grain
				if start >= n {
					return
				}
				for i := start; i < min(start+grain, n); i++ {
					if err := fn(i); err != nil {
						mu.Lock()
						if i < firstI {
							first, firstI = err, i
						}
						mu.Unlock()
					}
				}
			}
		})
	}
	wg.Wait()
	return first
}
