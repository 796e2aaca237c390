package input

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/nvinfo"
)

// What 13.0.88 notes of the options of its own compiler.
func TestArgumentsOfPtxasAreThoseOfTheReferencesCompiler(t *testing.T) {
	for _, test := range []struct {
		name    string
		o       Options
		options string
		want    string
	}{
		{"plain", Options{Target: arch.Arch{SM: 90}}, "--compile-only", "-m64 -c -arch=sm_90"},
		{"an accelerated target", Options{Target: arch.Arch{SM: 90, Suffix: arch.Accelerated}}, "", "-m64 -c -arch=sm_90a"},
		{"a family's target is compiled for as plain", Options{Target: arch.Arch{SM: 100, Suffix: arch.Family}}, "", "-m64 -c -arch=sm_100"},
		{"-g", Options{Target: arch.Arch{SM: 90}, DebugPTX: true}, "-lineinfo --compile-only", "-m64 -c -arch=sm_90 -g -lineinfo"},
	} {
		p := &ptxas{o: &test.o}
		got, err := p.arguments(&take{options: test.options})
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

func TestCompiledPTXForgetsFiles(t *testing.T) {
	const rest = "-g  -arch sm_90 -m 64 -c  "
	info := nvinfo.Tkinfo{Object: "elf.o", Tool: "ptxas", Release: "R", Build: "B"}
	for _, test := range []struct{ name, options, want string }{
		{"with debug information", "input.ptx -no-bb-merge  -ret-end  -g  -o elf.o -arch sm_90 -m 64 -c  ", "-no-bb-merge  -ret-end  -g  -arch sm_90 -m 64 -c  "},
		{"no names", rest, rest},
		{"another's names", "other.ptx " + rest, "other.ptx " + rest},
	} {
		given := info
		given.Options = test.options
		f := cubintest.New(90, 8)
		f.AddSection(cubintest.Section{Name: ".note.nv.tkinfo", Type: cubin.SHTNote, Align: 4, Data: given.Note().Append(nil)})
		f.AddSection(cubintest.Section{Name: ".text.k", Type: cubin.SHTProgbits, Flags: 6, Align: 128, Data: bytes.Repeat([]byte{7}, 128)})
		code := f.Encode()
		forgetFiles(code)
		got, err := cubin.Parse(code)
		if err != nil {
			t.Fatal(err)
		}
		want := info
		want.Options = test.want
		for i := range got.Sections {
			switch s := &got.Sections[i]; s.Name {
			case ".note.nv.tkinfo":
				if diff := cmp.Diff(want.Note().Append(nil), s.Data); diff != "" {
					t.Errorf("%s: note (-want +got):\n%s", test.name, diff)
				}
			case ".text.k":
				if !bytes.Equal(s.Data, bytes.Repeat([]byte{7}, 128)) {
					t.Errorf("%s: code changed", test.name)
				}
			}
		}
	}
	forgetFiles([]byte("no ELF file"))
}
