package cli

import (
	"bytes"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

func TestCodeThatTheReferenceMakesAnewIsNotCompared(t *testing.T) {
	image := func(k, other byte) *cubin.File {
		f := cubintest.New(100, 8)
		f.AddSection(cubintest.Section{Name: ".text.k", Type: cubin.SHTProgbits, Align: 128, Data: bytes.Repeat([]byte{k}, 16)})
		f.AddSection(cubintest.Section{Name: ".text.other", Type: cubin.SHTProgbits, Align: 128, Data: bytes.Repeat([]byte{other}, 16)})
		parsed, err := cubin.Parse(f.Encode())
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	same := func(a, b *cubin.File) bool {
		return bytes.Equal(withoutCode(a, []string{"k"}), withoutCode(b, []string{"k"}))
	}
	if !same(image(1, 3), image(2, 3)) {
		t.Error("images that differ in k alone do not pass")
	}
	if same(image(1, 3), image(1, 4)) {
		t.Error("images that differ in another function pass")
	}
}
