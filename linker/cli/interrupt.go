package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruption is a signal that ended a link. Files that were not complete by then are gone.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string { return i.signal.String() }

// exitCode is what shells report of a process that the signal killed.
func (i interruption) exitCode() int { return 128 + int(i.signal) }

// interruptible returns a context that the first signal to end cancels, with an interruption as its cause; the second one kills the
// process. stop gives signals back their ordinary meaning.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
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
				cancel(interruption{s})
			}
		case <-ctx.Done():
		}
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}
