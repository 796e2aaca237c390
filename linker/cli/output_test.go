package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/diag"
)

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFilesAreReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	if err := writeFile(name, []byte("one")); err != nil || content(t, name) != "one" {
		t.Fatal(err)
	}
	// A reader that has the old file open keeps it.
	old, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(name, []byte("second")); err != nil || content(t, name) != "second" {
		t.Fatal(err)
	}
	b := make([]byte, 10)
	if n, _ := old.Read(b); string(b[:n]) != "one" {
		t.Errorf("the old file reads %q", b[:n])
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("the mode was lost", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Error("temporary files are left", left, err)
	}
}

func TestLinksAndDevicesStay(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, []byte("x")); err != nil || content(t, target) != "x" {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced", err)
	}
	if err := writeFile(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", dir, filepath.Join(dir, "missing", "x"), filepath.Join(target, "x")} {
		if writeFile(bad, nil) == nil {
			t.Errorf("%q was written", bad)
		}
	}
}

func TestLargeFilesHoldSignalsBackWhileTheyAreWritten(t *testing.T) {
	for size, held := range map[int64]bool{1: false, longWrite: true} {
		ctx := newInterruptible()
		o := &outputFile{name: filepath.Join(t.TempDir(), "out"), signals: ctx}
		if err := o.Reserve(size); err != nil {
			t.Fatal(err)
		}
		listens := true
		ctx.once.Do(func() { listens = false })
		if listens != held {
			t.Errorf("%d bytes: signals held back: %v", size, listens)
		}
		o.discard()
		ctx.stop()
	}
}

func TestReservedRoomDoesNotShow(t *testing.T) {
	dir := t.TempDir()
	o := &outputFile{name: filepath.Join(dir, "out")}
	if err := o.Reserve(1 << 20); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := o.commit(); err != nil || content(t, o.name) != "abc" {
		t.Errorf("%v, content %q", err, content(t, o.name))
	}
	// More than any file may have is refused before anything is written, and leaves nothing.
	o = &outputFile{name: filepath.Join(dir, "huge")}
	if err := o.Reserve(1<<63 - 1); err != nil {
		if o.commit() == nil {
			t.Error("the error was forgotten")
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Error("files are left", left, err)
		}
	}
	o.discard()
}

func TestTargetsOfLinksAreMade(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, []byte("x")); err != nil || content(t, filepath.Join(dir, "target")) != "x" {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced", err)
	}
}

func TestNamesMayBeAsLongAsTheFileSystemTakes(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := writeFile(name, []byte("x")); err != nil || content(t, name) != "x" {
		t.Error(err)
	}
}

func TestFullDisksAreNamed(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	o := &outputFile{name: full}
	o.Write([]byte("x"))
	if o.commit() == nil {
		t.Fatal("a full device took the file")
	}
	var d diag.Collector
	var fatal *diag.FatalError
	if !errors.As(o.report(&d), &fatal) || fatal.Error() != "Internal error: writing file" || !strings.HasPrefix(fatal.Message.Note, full+": ") {
		t.Errorf("%+v", fatal)
	}
}
