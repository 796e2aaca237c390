package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Loop says how a loop is run. The zero value is ready: as many goroutines as processors, one item at a time.
type Loop struct {
	// Jobs limits the goroutines; 0 or less means GOMAXPROCS.
	Jobs int
	// Grain is how many neighbouring items a goroutine takes at once; a loop of no more items runs on the caller's goroutine. 0 means 1.
	Grain int
}

// Workers is the number of goroutines that Do uses for n items: the items' worker numbers are below it. It is 1 for no items.
func (l Loop) Workers(n int) int {
	jobs, grain := l.Jobs, max(l.Grain, 1)
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return max(min(jobs, (n+grain-1)/grain), 1)
}

// Do calls fn for every i from 0 to n-1, with the number of the goroutine that it runs on, and returns the error of the lowest i. Every
// call is made, whatever the others return.
func (l Loop) Do(n int, fn func(worker, i int) error) error {
	workers := l.Workers(n)
	var f failure
	if workers == 1 {
		for i := range n {
			f.note(i, fn(0, i))
		}
		return f.err
	}
	grain := max(l.Grain, 1)
	var (
		next atomic.Int64
		wg   sync.WaitGroup
	)
	for worker := range workers {
		wg.Go(func() {
			for {
				start := int(next.Add(int64(grain))) - grain
				if start >= n {
					return
				}
				for i := start; i < min(start+grain, n); i++ {
					f.note(i, fn(worker, i))
				}
			}
		})
	}
	wg.Wait()
	return f.err
}

// failure is the error of the lowest item that has one.
type failure struct {
	mu  sync.Mutex
	err error
	at  int
}

func (f *failure) note(i int, err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || i < f.at {
		f.err, f.at = err, i
	}
}
