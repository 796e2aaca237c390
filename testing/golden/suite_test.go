package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary stand in for a linker: it writes the text of its first argument as the image.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == linkerName || len(os.Args) > 1 && os.Args[1] == "diff" {
		os.Exit(standIn(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func standIn(args []string) int {
	if args[0] == "diff" {
		fmt.Println("section .text differs")
		return 1
	}
	if args[0] == "refuse" {
		fmt.Println("refused")
		return 1
	}
	if err := os.WriteFile(args[len(args)-1], []byte(args[0]), 0o644); err != nil {
		return 2
	}
	return 0
}

func suite(t *testing.T, files map[string]string) *Suite {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &Suite{Root: t.TempDir(), Linker: self, Scratch: t.TempDir()}
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.Root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestCheckComparesImageTextAndExitStatus(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		link  Link
		want  string // part of the difference; empty if there is none
	}{
		{"same image", map[string]string{"l.cubin": "image"}, Link{Args: []string{"image"}}, ""},
		{"other image", map[string]string{"l.cubin": "other"}, Link{Args: []string{"image"}}, "section .text differs"},
		{"image where none is expected", nil, Link{Args: []string{"image"}}, "an image where none is expected"},
		{"no image", map[string]string{"l.cubin": "image", "l.log": "refused\n"}, Link{Args: []string{"refuse"}, Fails: true}, "there is no image"},
		{"same refusal", map[string]string{"l.log": "refused\n"}, Link{Args: []string{"refuse"}, Fails: true}, ""},
		{"other text", map[string]string{"l.log": "no\n"}, Link{Args: []string{"refuse"}, Fails: true}, "the text differs"},
		{"unexpected failure", map[string]string{"l.log": "refused\n"}, Link{Args: []string{"refuse"}}, "failed: true, expected: false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.link.Name = "l"
			got, err := suite(t, test.files).Check(&Folder{Path: "."}, &test.link)
			if err != nil {
				t.Fatal(err)
			}
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want a text with %q", got, test.want)
			}
		})
	}
}

func TestUpdateMakesTheCheckPass(t *testing.T) {
	s := suite(t, map[string]string{"l.cubin": "stale", "r.log": "stale", "r.cubin": "stale"})
	f := &Folder{Path: ".", Links: []Link{{Name: "l", Args: []string{"image"}}, {Name: "r", Args: []string{"refuse"}}}}
	for i := range f.Links {
		if err := s.Update(f, &f.Links[i]); err != nil {
			t.Fatal(err)
		}
		if diff, err := s.Check(f, &f.Links[i]); diff != "" || err != nil {
			t.Errorf("%s: %s, %v", f.Links[i].Name, diff, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Root, "r.cubin")); err == nil {
		t.Error("the stale image of a link that fails is still there")
	}
}
