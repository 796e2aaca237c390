package ar

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func header(name string, size int) string {
	return fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n", name, 0, 0, 0, 0o644, size)
}

func member(name, body string) string {
	s := header(name, len(body)) + body
	if len(body)%2 == 1 {
		s += "\n"
	}
	return s
}

type seen struct {
	Name, Path, Data string
	NameSize         int
	Thin, Short      bool
}

func walk(data []byte) ([]seen, error) {
	r, err := NewReader(data)
	if err != nil {
		return nil, err
	}
	var out []seen
	for {
		m, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, seen{m.Name, m.Path, string(m.Data), m.NameSize, m.Thin, m.Short})
	}
}

func TestNextReadsMembersAsTheReference(t *testing.T) {
	index := member("/", "\x00\x00\x00\x00")
	names := member("//", "a_rather_long_name.o/\nsub/dir/b.o/\n")
	for _, test := range []struct {
		name, data string
		want       []seen
		err        error
	}{
		{"no member", magicOrdinary, nil, nil},
		{"short names", magicOrdinary + index + member("a.o/", "abc") + member("b.o/", "de"),
			[]seen{{Name: "a.o", Path: "a.o", Data: "abc"}, {Name: "b.o", Path: "b.o", Data: "de"}}, nil},
		{"64-bit index", magicOrdinary + member("/SYM64/", "12345678") + member("a.o/", "x"), []seen{{Name: "a.o", Path: "a.o", Data: "x"}}, nil},
		{"long names", magicOrdinary + names + member("/0", "x"), []seen{{Name: "a_rather_long_name.o", Path: "a_rather_long_name.o", Data: "x"}}, nil},
		{"a name ends at its first slash", magicOrdinary + names + member("/22", "x"), []seen{{Name: "sub", Path: "sub/dir/b.o", Data: "x"}}, nil},
		{"thin", magicThin + names + header("/22", 1000) + header("c.o/", 7),
			[]seen{{Name: "sub", Path: "sub/dir/b.o", Thin: true}, {Name: "c.o", Path: "c.o", Thin: true}}, nil},
		{"BSD names", magicOrdinary + member("#1/8", "b.o\x00\x00\x00\x00\x00data"), []seen{{Name: "#1", Path: "b.o", Data: "b.o\x00\x00\x00\x00\x00data", NameSize: 8}}, nil},
		{"magic of a header is not checked", magicOrdinary + strings.Replace(member("a.o/", "xy"), "`\n", "??", 1), []seen{{Name: "a.o", Path: "a.o", Data: "xy"}}, nil},
		{"size beyond the end", magicOrdinary + header("a.o/", 99) + "xy", []seen{{Name: "a.o", Path: "a.o", Data: "xy", Short: true}}, nil},
		{"rest with a slash", magicOrdinary + member("a.o/", "xy") + "r/", []seen{{Name: "a.o", Path: "a.o", Data: "xy"}}, nil},
		{"rest without a slash", magicOrdinary + member("a.o/", "xy") + "rest", []seen{{Name: "a.o", Path: "a.o", Data: "xy"}}, ErrFormat},
		{"name without a slash", magicOrdinary + member("a.o", "xy"), nil, ErrFormat},
		{"no name table", magicOrdinary + member("/0", "xy"), nil, ErrNoNames},
		{"outside of the name table", magicOrdinary + names + member("/999", "xy"), nil, ErrName},
		{"negative size", magicOrdinary + strings.Replace(member("a.o/", "xy"), "2    ", "-2   ", 1), nil, ErrFormat},
		{"not an archive", "!<arch>", nil, ErrFormat},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := walk([]byte(test.data))
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorTellsTheOffset(t *testing.T) {
	_, err := walk([]byte(magicOrdinary + member("a.o/", "xy") + "rest of it"))
	var h *HeaderError
	if !errors.As(err, &h) || h.Offset != 8+62 {
		t.Errorf("error %v, want one at offset 0x46", err)
	}
}

// What binutils writes is what we read.
func TestArchivesOfGNUArAreRead(t *testing.T) {
	tool, err := exec.LookPath("ar")
	if err != nil {
		t.Skip("no ar on PATH")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := []string{"a.o", "a_name_of_more_than_fifteen_characters.o", "sub/b.o"}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("content of "+f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		mode string
		want []seen
	}{
		{"rc", []seen{{Name: "a.o", Path: "a.o", Data: "content of a.o"},
			{Name: "a_name_of_more_than_fifteen_characters.o", Path: "a_name_of_more_than_fifteen_characters.o", Data: "content of a_name_of_more_than_fifteen_characters.o"},
			{Name: "b.o", Path: "b.o", Data: "content of sub/b.o"}}},
		{"rcT", []seen{{Name: "a.o", Path: "a.o", Thin: true},
			{Name: "a_name_of_more_than_fifteen_characters.o", Path: "a_name_of_more_than_fifteen_characters.o", Thin: true},
			{Name: "sub", Path: "sub/b.o", Thin: true}}},
	} {
		out := filepath.Join(dir, test.mode+".a")
		cmd := exec.Command(tool, append([]string{test.mode, out}, files...)...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("ar %s: %v: %s", test.mode, err, text)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := walk(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("ar %s (-want +got):\n%s", test.mode, diff)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(magicOrdinary + member("/", "index") + member("//", "long.o/\n") + member("/0", "x") + member("a.o/", "xy")))
	f.Add([]byte(magicThin + member("//", "sub/long.o/\n") + header("/0", 4)))
	f.Add([]byte(magicOrdinary + member("#1/4", "a.o\x00data")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(data)
		if err != nil {
			return
		}
		last, total := int64(-1), 0
		for {
			m, err := r.Next()
			if err != nil {
				if _, again := r.Next(); again == nil {
					t.Fatalf("Next goes on after %v", err)
				}
				return
			}
			if m.Offset <= last {
				t.Fatalf("member at %d after one at %d", m.Offset, last)
			}
			last = m.Offset
			if total += len(m.Data); total > len(data) {
				t.Fatalf("members hold %d bytes of an archive of %d", total, len(data))
			}
		}
	})
}
