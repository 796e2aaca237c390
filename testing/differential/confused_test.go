package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

func TestLikeNamedAreFunctionsWithTheNameOfALocalOne(t *testing.T) {
	dir := t.TempDir()
	const local, global = uint8(cubin.STBLocal)<<4 | uint8(cubin.STTFunc), uint8(cubin.STBGlobal)<<4 | uint8(cubin.STTFunc)
	write := func(name string, symbols ...cubintest.Symbol) {
		f := cubintest.New(100, 8)
		f.AddSection(cubintest.Section{Name: ".text.f", Type: cubin.SHTProgbits, Data: make([]byte, 16), Align: 16})
		f.Symbols = append(f.Symbols, symbols...)
		if err := os.WriteFile(filepath.Join(dir, name), f.Encode(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.cubin", cubintest.Symbol{Name: "f", Info: local, Shndx: 4}, cubintest.Symbol{Name: "g", Info: local, Shndx: 4}, cubintest.Symbol{Name: "h", Info: global, Shndx: 4})
	write("b.cubin", cubintest.Symbol{Name: "f", Info: global, Shndx: 4}, cubintest.Symbol{Name: "g", Info: global}, cubintest.Symbol{Name: "h", Info: global, Shndx: 4})
	got, err := likeNamed(dir, []string{"a.cubin", "b.cubin"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]bool{"f": true}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
