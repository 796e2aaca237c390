package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

func TestOptionsFilesEndAtTheFirstNUL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "options")
	text := strings.Repeat("-la ", 20000)
	if err := os.WriteFile(name, []byte(text+"\x00-lb"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := readOptionsFile(name); err != nil || string(got) != text {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
	if got, err := readOptionsFile("/dev/zero"); err == nil && len(got) != 0 {
		t.Errorf("%d bytes of a device without end", len(got))
	}
	if got, err := readOptionsFile(t.TempDir()); err != nil || len(got) != 0 {
		t.Errorf("a folder reads as %q, %v", got, err)
	}
}

func TestManyPiecesOfAListAreJoinedOnce(t *testing.T) {
	const n = 50000
	var args, want []string
	for i := range n {
		want = append(want, fmt.Sprintf("folder%d", i))
		args = append(args, "-L"+want[i])
	}
	line, err := parse(arch.Newest(), args, readOptionsFile, &diag.Collector{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := line.text(optLibraryPath); got != strings.Join(want, ",") {
		t.Errorf("%d bytes of text", len(got))
	}
}
