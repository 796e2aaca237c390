package link

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
)

// testFiles reads inputs from testdata.
func testFiles(t *testing.T, names ...string) []Source {
	t.Helper()
	var out []Source
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Source{Name: name, Data: b})
	}
	return out
}

func linkSources(t *testing.T, opts Options, src []Source) []byte {
	t.Helper()
	d := &diag.Collector{}
	res, err := Run(context.Background(), opts, src, d)
	if err != nil {
		t.Fatalf("%v: %v", err, texts(d))
	}
	return res.Image
}

// narrowed rewrites sources as ELF32.
func narrowed(t *testing.T, src []Source) []Source {
	t.Helper()
	out := make([]Source, len(src))
	for i := range src {
		f, err := cubin.Parse(src[i].Data)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = Source{Name: src[i].Name, Data: cubintest.Narrow(f)}
	}
	return out
}

func encoded(programs []program) []Source {
	var out []Source
	for i, p := range programs {
		p.SM, p.ABI = 80, 7
		out = append(out, Source{Name: fmt.Sprintf("%c.cubin", 'a'+i), Data: p.Encode()})
	}
	return out
}

// contents describes a section without its place, whatever the class.
func contents(f *cubin.File, i int) string {
	s := &f.Sections[i]
	var b strings.Builder
	fmt.Fprintf(&b, "%s type %#x flags %#x link %d info %#x", s.Name, s.Type, s.Flags, s.Link, s.Info)
	switch n := s.NumRels(); {
	case n > 0:
		for k := range n {
			fmt.Fprintf(&b, " %+v", s.RelAt(k))
		}
	case s.Type == cubin.SHTSymtab:
		for k := range f.Symbols {
			fmt.Fprintf(&b, " %+v", f.Symbols[k])
		}
	default:
		fmt.Fprintf(&b, " align %d size %#x %x", s.Addralign, s.Size, s.Data)
	}
	return b.String()
}

func allContents(t *testing.T, image []byte) []string {
	t.Helper()
	f, err := cubin.Parse(image)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range f.Sections {
		out = append(out, contents(f, i))
	}
	return out
}

func TestELF32InputsGiveTheContentsOfTheELF64Link(t *testing.T) {
	for n := range 5 {
		for _, opts := range []Options{{SM: 80, Toolkit: 124}, {SM: 80, Toolkit: 124, PreserveRelocs: true}, {SM: 80, Toolkit: 124, Debug: true}} {
			wide := encoded(manyPrograms(n + 1))
			want := allContents(t, linkSources(t, opts, wide))
			opts.Class = cubin.Class32
			image := linkSources(t, opts, narrowed(t, wide))
			if diff := cmp.Diff(want, allContents(t, image)); diff != "" {
				t.Errorf("%d programs, %+v (-ELF64 +ELF32):\n%s", n+1, opts, diff)
			}
		}
	}
}

func TestELF32ImagesHaveNarrowHeadersAndSegments(t *testing.T) {
	image := linkSources(t, Options{SM: 80, Toolkit: 124, Class: cubin.Class32}, testFiles(t, "elf32/a.cubin", "elf32/b.cubin"))
	le := binary.LittleEndian
	shoff, shnum := le.Uint32(image[32:]), uint32(le.Uint16(image[48:]))
	for _, field := range []struct {
		name      string
		got, want uint32
	}{
		{"EI_CLASS", uint32(image[4]), 1},
		{"e_flags without the 64-bit bit", le.Uint32(image[36:]) & 0x400, 0},
		{"e_ehsize", uint32(le.Uint16(image[40:])), 52},
		{"e_phentsize", uint32(le.Uint16(image[42:])), 32},
		{"e_phnum", uint32(le.Uint16(image[44:])), 4},
		{"e_shentsize", uint32(le.Uint16(image[46:])), 40},
		{"e_phoff: behind the section headers", le.Uint32(image[28:]), shoff + 40*shnum},
		{"the file's end: behind the program headers", uint32(len(image)), shoff + 40*shnum + 4*32},
	} {
		if field.got != field.want {
			t.Errorf("%s is %#x, not %#x", field.name, field.got, field.want)
		}
	}
	phoff := le.Uint32(image[28:])
	table := cubintest.Words(6, phoff, 0, 0, 4*32, 4*32, 5, 4) // PT_PHDR
	if diff := cmp.Diff(table, image[phoff:phoff+32]); diff != "" {
		t.Errorf("first program header (-want +got):\n%s", diff)
	}
	le.PutUint32(table, 1) // PT_LOAD
	if diff := cmp.Diff(table, image[phoff+96:phoff+128]); diff != "" {
		t.Errorf("last program header (-want +got):\n%s", diff)
	}
	f, err := cubin.Parse(image)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if n := map[cubin.SectionType]uint64{cubin.SHTSymtab: 16, cubin.SHTRel: 8, cubin.SHTRela: 12}[s.Type]; n != 0 && (s.Entsize != n || s.Addralign != 4) {
			t.Errorf("%s has entries of %d bytes and alignment %d", s.Name, s.Entsize, s.Addralign)
		}
	}
}

// TestELF32ImageIsWhatCUDA11Writes compares with the image of nvlink 11.8 -m32, but for what later releases do otherwise in
// ELF64, too: edges and string offsets in .nv.callgraph and .nv.prototype, .nv.rel.action, the order of .strtab,
// SHF_INFO_LINK, register counts of callees in sh_info.
func TestELF32ImageIsWhatCUDA11Writes(t *testing.T) {
	view := func(image []byte) []string {
		f, err := cubin.Parse(image)
		if err != nil {
			t.Fatal(err)
		}
		out := []string{fmt.Sprintf("class %v type %d machine %d flags %#x phnum %d", f.Class, f.Type, f.Machine, f.Flags, f.Phnum)}
		for i := range f.Symbols {
			f.Symbols[i].NameOff = 0
		}
		starts := map[uint64]int{f.Phoff: -1}
		for i := range f.Sections {
			s := &f.Sections[i]
			starts[s.Offset] = i
			s.Flags &^= cubin.SHFInfoLink
			switch {
			case s.Name == ".nv.callgraph", s.Name == ".nv.prototype", s.Name == ".nv.rel.action", s.Name == ".strtab":
				out = append(out, s.Name)
				continue
			case strings.HasPrefix(s.Name, ".text."):
				s.Info &= 0xffffff
			}
			out = append(out, contents(f, i))
		}
		for i := range int(f.Phnum) {
			p, ok := f.Phdr(i)
			if !ok {
				t.Fatalf("program header %d is not in the file", i)
			}
			out = append(out, fmt.Sprintf("segment %d %d from section %d align %d extra %d", p.Type, p.Flags, starts[p.Offset], p.Align, p.Memsz-p.Filesz))
		}
		return out
	}
	got := linkSources(t, Options{SM: 80, Toolkit: 124, Class: cubin.Class32}, testFiles(t, "elf32/a.cubin", "elf32/b.cubin"))
	want := testFiles(t, "elf32/image-11.8.cubin")[0].Data
	if diff := cmp.Diff(view(want), view(got)); diff != "" {
		t.Errorf("(-nvlink 11.8 +got):\n%s", diff)
	}
}

func TestClassesDoNotMix(t *testing.T) {
	wide := encoded(manyPrograms(2))
	narrow := narrowed(t, wide)
	for _, tt := range []struct {
		class cubin.Class
		src   []Source
		want  string
	}{
		{0, []Source{wide[0], narrow[1]}, "Input file 'b.cubin' size does not match target '-m64'"},
		{cubin.Class32, []Source{narrow[0], wide[1]}, "Input file 'b.cubin' size does not match target '-m32'"},
	} {
		d := &diag.Collector{}
		_, err := Run(context.Background(), Options{SM: 80, Toolkit: 124, Class: tt.class}, tt.src, d)
		if diff := cmp.Diff([]string{tt.want}, texts(d)); err == nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	}
}

// withoutInfoLink rewrites a file as toolkits up to CUDA 11 wrote it: no section has SHF_INFO_LINK.
func withoutInfoLink(src Source) Source {
	b := append([]byte(nil), src.Data...)
	le := binary.LittleEndian
	shoff := le.Uint64(b[40:])
	for i := range uint64(le.Uint16(b[60:])) {
		flags := b[shoff+64*i+8:]
		le.PutUint64(flags, le.Uint64(flags)&^cubin.SHFInfoLink)
	}
	return Source{Name: src.Name, Data: b}
}

// TestSectionsNeedNoFlagToNameTheirOwners: only parameter banks show that the flag was missing (observed).
func TestSectionsNeedNoFlagToNameTheirOwners(t *testing.T) {
	for _, toolkit := range []int{124, 130} {
		src := encoded(manyPrograms(4))
		opts := Options{SM: 80, Toolkit: toolkit}
		want := allContents(t, linkSources(t, opts, src))
		for i := range src {
			src[i] = withoutInfoLink(src[i])
		}
		got := allContents(t, linkSources(t, opts, src))
		for i := range want {
			if strings.HasPrefix(want[i], ".nv.constant0.") {
				want[i] = strings.Replace(want[i], "flags 0x42", "flags 0x2", 1)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("toolkit %d (-flagged +unflagged):\n%s", toolkit, diff)
		}
	}
}

// TestObjectsFromBeforeCUDA10AreToldOf: the image has one record, whatever the number of such inputs (observed).
func TestObjectsFromBeforeCUDA10AreToldOf(t *testing.T) {
	record := []byte{1, 0x2c, 0, 0}
	for _, tt := range []struct {
		versions [2]uint32
		want     int
	}{{[2]uint32{124, 118}, 0}, {[2]uint32{124, 100}, 0}, {[2]uint32{99, 124}, 1}, {[2]uint32{75, 99}, 1}} {
		src := encoded(manyPrograms(2))
		for i, v := range tt.versions {
			binary.LittleEndian.PutUint32(src[i].Data[20:], v)
		}
		f, err := cubin.Parse(linkSources(t, Options{SM: 80, Toolkit: 124}, src))
		if err != nil {
			t.Fatal(err)
		}
		info := f.Sections[f.Find(".nv.info")].Data
		if got := strings.Count(string(info), string(record)); got != tt.want {
			t.Errorf("versions %v: %d records", tt.versions, got)
		}
		part := linkSources(t, Options{SM: 80, Toolkit: 130, Relocatable: true}, src)
		if f, err = cubin.Parse(part); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(f.Sections[f.Find(".nv.info")].Data), string(record)) {
			t.Errorf("versions %v: a relocatable link tells of them", tt.versions)
		}
	}
}
