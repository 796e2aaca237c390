package cli

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file, or rewrites the file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// The golden files are what the table makes; they were compared with the tools' own output byte for byte.
func TestHelpOfEachReleaseIsTheReferences(t *testing.T) {
	for _, release := range []*arch.Toolkit{arch.CUDA124(), arch.CUDA130()} {
		var b bytes.Buffer
		referenceHelp(&b, release, release.Tool)
		golden(t, "testdata/help-"+release.Name+".txt", b.Bytes())
	}
}

func TestOwnHelpIsAsItWasReviewed(t *testing.T) {
	var b bytes.Buffer
	ownHelp(&b)
	golden(t, "testdata/help.txt", b.Bytes())
}
