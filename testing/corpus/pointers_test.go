package main

import (
	"path/filepath"
	"testing"
)

func TestOwnImagesHaveAllPointersInData(t *testing.T) {
	p := &pointing{toolkit: "13.0", list: 10}
	eachOfSuite(t, func(dir, arch string, inputs []string) error {
		before := p.lost
		err := p.folder(dir, arch, inputs)
		if p.lost != before {
			t.Errorf("%s loses %d pointers", dir, p.lost-before)
		}
		return err
	})
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
