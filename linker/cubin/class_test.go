package cubin_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

// TestFieldsOfELF32RecordsLieWhereTheyBelong writes records whose fields are numbered and looks at the words.
func TestFieldsOfELF32RecordsLieWhereTheyBelong(t *testing.T) {
	le := binary.LittleEndian
	form := cubin.FormOf(cubin.Class32)
	record := func(sizes ...int) []byte { // field k has the value k+1
		var b []byte
		for k, n := range sizes {
			b = append(b, le.AppendUint64(nil, uint64(k+1))[:n]...)
		}
		return b
	}
	for _, tt := range []struct {
		name   string
		size   int
		put    func(b, record []byte)
		record []byte
		want   []byte
	}{
		// The order is that of the ELF64 record; ELF32 has st_info, st_other, st_shndx and p_flags further back.
		{"symbol", form.Sym, form.PutSym, record(4, 1, 1, 2, 8, 8), append(le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 1), 5), 6), 2, 3, 4, 0)},
		{"section header", form.Shdr, form.PutShdr, record(4, 4, 8, 8, 8, 8, 4, 4, 8, 8), cubintest.Words(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)},
		{"program header", form.Phdr, form.PutPhdr, record(4, 4, 8, 8, 8, 8, 8, 8), cubintest.Words(1, 3, 4, 5, 6, 7, 2, 8)},
		{"rel", form.Rel, func(b, _ []byte) { form.PutRel(b, &cubin.Rel{Offset: 0x20, Sym: 9, Type: 0x38}) }, nil, cubintest.Words(0x20, 0x938)},
		{"rela", form.Rela, func(b, _ []byte) {
			form.PutRel(b, &cubin.Rel{Offset: 0x20, Sym: 9, Type: 0x38, Addend: -2, HasAddend: true})
		}, nil, cubintest.Words(0x20, 0x938, 0xfffffffe)},
	} {
		b := make([]byte, tt.size)
		tt.put(b, tt.record)
		if diff := cmp.Diff(tt.want, b); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	header := make([]byte, form.Ehdr)
	form.PutEhdr(header, append(append([]byte("\x7fELF\x02\x01\x01\x33\x07"), make([]byte, 7)...), record(2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2)...))
	want := append([]byte("\x7fELF\x01\x01\x01\x33\x07"), make([]byte, 7)...)
	for _, v := range []uint16{1, 2, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 52, 9, 10, 40, 12, 13} {
		want = le.AppendUint16(want, v)
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("file header (-want +got):\n%s", diff)
	}
}

// TestNarrowFilesReadLikeTheWideOnesTheyAreMadeOf is the round trip: what is parsed from the ELF32 form of a file is what
// the ELF64 file says, but for offsets and the sizes of records.
func TestNarrowFilesReadLikeTheWideOnesTheyAreMadeOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		f := cubintest.New(80, 7)
		text := cubintest.Section{Name: ".text.k", Type: cubin.SHTProgbits, Flags: 6, Link: 3, Align: 128, Data: make([]byte, 16*(1+rng.IntN(9)))}
		code := f.AddSection(text)
		for range rng.IntN(20) {
			f.AddSymbol(cubintest.Symbol{Name: string(rune('a' + rng.IntN(26))), Info: uint8(rng.Uint32()), Other: uint8(rng.Uint32()),
				Shndx: uint16(rng.IntN(5)), Value: uint64(rng.Uint32()), Size: uint64(rng.Uint32())})
		}
		wide := cubin.FormOf(cubin.Class64)
		for _, typ := range []cubin.SectionType{cubin.SHTRel, cubin.SHTRela} {
			step := wide.Entry(typ)
			data := make([]byte, step*rng.IntN(9))
			for o := 0; o < len(data); o += step {
				wide.PutRel(data[o:], &cubin.Rel{Offset: uint64(rng.Uint32()), Sym: rng.Uint32N(1 << 24), Type: rng.Uint32N(256),
					Addend: int64(int32(rng.Uint32())), HasAddend: typ == cubin.SHTRela})
			}
			f.AddSection(cubintest.Section{Name: ".rel", Type: typ, Flags: cubin.SHFInfoLink, Link: 3, Info: uint32(code), Align: 8, Entsize: uint64(step), Data: data})
		}
		a, err := cubin.Parse(f.Encode())
		if err != nil {
			t.Fatal(err)
		}
		b, err := cubin.Parse(cubintest.Narrow(a))
		if err != nil {
			t.Fatal(err)
		}
		if a.Class != cubin.Class64 || b.Class != cubin.Class32 {
			t.Fatalf("classes %v and %v", a.Class, b.Class)
		}
		if diff := cmp.Diff(a.Symbols, b.Symbols); diff != "" {
			t.Fatalf("symbols (-wide +narrow):\n%s", diff)
		}
		for i := range a.Sections {
			s, n := &a.Sections[i], &b.Sections[i]
			if s.NumRels() != n.NumRels() {
				t.Fatalf("section %d: %d and %d entries", i, s.NumRels(), n.NumRels())
			}
			for k := range s.NumRels() {
				if s.RelAt(k) != n.RelAt(k) {
					t.Fatalf("section %d entry %d: %+v and %+v", i, k, s.RelAt(k), n.RelAt(k))
				}
			}
			ignore := []string{"Offset"}
			if wide.Entry(s.Type) != 0 {
				ignore = append(ignore, "Size", "Data", "Addralign", "Entsize")
			}
			if diff := cmp.Diff(*s, *n, cmpopts.IgnoreFields(cubin.Section{}, ignore...), cmpopts.IgnoreUnexported(cubin.Section{}), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("section %d (-wide +narrow):\n%s", i, diff)
			}
		}
	}
}
