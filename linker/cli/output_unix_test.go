//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/culink/culink/linker/diag"
)

func TestNewFilesHaveTheModeThatTheProcessGivesToFiles(t *testing.T) {
	dir := t.TempDir()
	ours, others := filepath.Join(dir, "ours"), filepath.Join(dir, "others")
	for _, mask := range []int{0o022, 0o077, 0o007} {
		old := syscall.Umask(mask)
		errOurs, errOthers := writeFile(ours, []byte("x")), os.WriteFile(others, []byte("x"), 0o666)
		syscall.Umask(old)
		if err := errors.Join(errOurs, errOthers); err != nil {
			t.Fatal(err)
		}
		a, errA := os.Stat(ours)
		b, errB := os.Stat(others)
		if errA != nil || errB != nil || a.Mode() != b.Mode() {
			t.Errorf("mask %o: mode %v, want %v", mask, a.Mode(), b.Mode())
		}
		os.Remove(ours)
		os.Remove(others)
	}
}

func TestSignalsEndALinkWithTheExitCodeOfShells(t *testing.T) {
	ctx := newInterruptible()
	defer ctx.stop()
	ctx.listen()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	r := &run{diag: &diag.Collector{}, stderr: io.Discard, env: noEnv}
	if code := r.exit(context.Cause(ctx)); code != 128+15 {
		t.Errorf("exit code %d", code)
	}
}
