package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interruption is a signal that ended a link. Files that were not complete by then are gone.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string { return i.signal.String() }

// exitCode is what shells report of a process that the signal killed.
func (i interruption) exitCode() int { return 128 + int(i.signal) }

// interruptible is a context that the first signal to end cancels, with an interruption as its cause; the second one kills the
// process. It takes signals over only when something has to be cleaned up after them: from the first call of Done, as by whoever starts
// another process, or of listen. Until then a signal kills the process at once. Go needs two more threads to receive signals, a tenth of
// a millisecond, which is a lot next to a link of a few small files.
type interruptible struct {
	context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
}

func newInterruptible() *interruptible {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &interruptible{Context: ctx, cancel: cancel}
}

// Done takes signals over.
func (i *interruptible) Done() <-chan struct{} {
	i.listen()
	return i.Context.Done()
}

// listen takes signals over until stop is called.
func (i *interruptible) listen() {
	i.once.Do(func() {
		signals := make(chan os.Signal, 1)
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if !signal.Ignored(s) { // as of a process in the background of a script
				signal.Notify(signals, s)
			}
		}
		go func() {
			select {
			case s := <-signals:
				if s, ok := s.(syscall.Signal); ok {
					i.cancel(interruption{s})
				}
			case <-i.Context.Done():
			}
			signal.Stop(signals)
		}()
	})
}

// stop gives signals back their ordinary meaning.
func (i *interruptible) stop() { i.cancel(nil) }
