package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOwnImagesHaveAllPointersInData(t *testing.T) {
	const suite = "../golden/13.0"
	b, err := os.ReadFile(filepath.Join(suite, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var folders []struct {
		Path   string
		Inputs []string
	}
	if err := json.Unmarshal(b, &folders); err != nil {
		t.Fatal(err)
	}
	p := &pointing{toolkit: "13.0", list: 10}
	for _, f := range folders {
		arch, _, _ := strings.Cut(filepath.Base(f.Path), "-")
		before := p.lost
		if err := p.folder(filepath.Join(suite, f.Path), arch, f.Inputs); err != nil {
			t.Fatal(err)
		}
		if p.lost != before {
			t.Errorf("%s loses %d pointers", f.Path, p.lost-before)
		}
	}
	if p.pointers < 100 {
		t.Errorf("%d pointers were looked for; the suite has more", p.pointers)
	}
}

// The reference loses the pointers of the second file; what asks for them must see it.
func TestLostPointersAreSeen(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_100"} {
		dir := filepath.Join("../golden/13.0-rules/constant_tables", arch)
		o, sources, ok := options(dir, "tables", []string{"-arch=" + arch, "in/c.cubin", "in/d.cubin"}, "13.0")
		if !ok {
			t.Fatal("the inputs cannot be read")
		}
		for keep, want := range map[bool]int{true: 0, false: 3} {
			o.KeepPointers = keep
			image, text := linkOnce(o, sources)
			if image == nil {
				t.Fatal(text)
			}
			n, lost, err := lostPointers(image, sources)
			if err != nil || n != 6 || len(lost) != want {
				t.Errorf("%s, keeping %v: %d of %d pointers lost, want %d: %q, %v", arch, keep, len(lost), n, want, lost, err)
			}
		}
	}
}
