package cubin_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

func sample() []byte {
	p := cubintest.Program{SM: 80, ABI: 8, Functions: []cubintest.Function{
		{Name: "k", Bind: cubin.STBGlobal, Kernel: true, Registers: 16, Calls: []string{"f", "g"}, Globals: []string{"x"}},
		{Name: "f", Bind: cubin.STBWeak, Registers: 8},
	}, Variables: []cubintest.Variable{{Name: "x", Bind: cubin.STBGlobal, Size: 8}}}
	return p.Encode()
}

func TestParseReadsHeaderSectionsAndSymbols(t *testing.T) {
	f, err := cubin.Parse(sample())
	if err != nil {
		t.Fatal(err)
	}
	if f.ABI() != 8 || f.SM() != 80 || f.Header.Mercury() {
		t.Errorf("ABI %d, SM %d, Mercury %v", f.ABI(), f.SM(), f.Header.Mercury())
	}
	text := &f.Sections[f.Find(".text.k")]
	if text.Size != cubintest.CodeSize || text.Info>>24 != 16 || f.Symbols[text.TextIndex()].Name != "k" || !f.Symbols[text.TextIndex()].Entry() {
		t.Errorf(".text.k: %+v", text)
	}
	rel := &f.Sections[f.Find(".rel.text.k")]
	var calls []string
	for i := range rel.NumRels() {
		if r := rel.RelAt(i); r.Type == cubintest.RelCall {
			calls = append(calls, f.Symbols[r.Sym].Name)
		}
	}
	if got := strings.Join(calls, " "); got != "f g" {
		t.Errorf("calls %q", got)
	}
}

func TestABIDialectsKeepTheArchitectureInDifferentBits(t *testing.T) {
	for _, abi := range []int{7, 8} {
		f, err := cubin.Parse(cubintest.New(90, abi).Encode())
		if err != nil {
			t.Fatal(err)
		}
		if f.ABI() != abi || f.SM() != 90 {
			t.Errorf("ABI %d SM %d, want %d and 90", f.ABI(), f.SM(), abi)
		}
	}
}

func TestParseNamesWhatIsWrongAndWhere(t *testing.T) {
	le := binary.LittleEndian
	shoff := func(b []byte) uint64 { return le.Uint64(b[40:]) }
	tests := []struct {
		name   string
		damage func([]byte) []byte
		want   string
	}{
		{"empty", func(b []byte) []byte { return nil }, "not a little-endian ELF file"},
		{"unknown class", func(b []byte) []byte { b[4] = 3; return b }, "not a little-endian ELF file"},
		{"records of the other class", func(b []byte) []byte { b[4] = 1; return b }, "e_shentsize is 0, not 40"},
		{"another machine", func(b []byte) []byte { b[18] = 62; return b }, "e_machine is 62"},
		{"truncated header table", func(b []byte) []byte { return b[:len(b)-1] }, "section header table reaches beyond the end"},
		{"no sections", func(b []byte) []byte { le.PutUint16(b[60:], 0); return b }, "no section headers"},
		{"contents outside the file", func(b []byte) []byte { le.PutUint64(b[shoff(b)+64+32:], 1<<40); return b }, "contents reach beyond the end of the file"},
		{"size that wraps around", func(b []byte) []byte { le.PutUint64(b[shoff(b)+64+24:], ^uint64(0)); return b }, "contents reach beyond the end of the file"},
		{"name outside its table", func(b []byte) []byte { le.PutUint32(b[shoff(b)+64:], 1<<30); return b }, "sh_name lies outside"},
		{"symbols cut in a record", func(b []byte) []byte { le.PutUint64(b[shoff(b)+3*64+32:], 25); return b }, "no multiple of its records"},
		{"link to nowhere", func(b []byte) []byte { le.PutUint32(b[shoff(b)+3*64+40:], 9999); return b }, "sh_link names no section"},
		{"alignment of more than 2 GiB", func(b []byte) []byte { le.PutUint64(b[shoff(b)+3*64+48:], 1<<32); return b }, "larger than 2 GiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := cubin.Parse(tt.damage(sample()))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			var fe *cubin.FormatError
			if !errors.As(err, &fe) && !errors.Is(err, cubin.ErrNotELF) {
				t.Errorf("error of type %T", err)
			}
		})
	}
}

func TestBankOfReadsTheNumberInTheName(t *testing.T) {
	for name, want := range map[string]int{
		".nv.constant3": 3, ".nv.constant0.k": 0, ".nv.constant2.f.g": 2, ".nv.constant.user": -1, ".nv.constant": -1,
		".nv.constant1x": -1, ".nv.constant99999999999": -1, ".text.k": -1,
	} {
		if got := cubin.BankOf(name); got != want {
			t.Errorf("BankOf(%q) = %d, want %d", name, got, want)
		}
	}
}

// FuzzParse asks that any bytes give a file whose accessors stay in bounds, or an error; that entries that are read are
// written back as they were; and that memory is in proportion to the file.
func FuzzParse(f *testing.F) {
	f.Add(sample())
	f.Add(cubintest.New(90, 7).Encode())
	f.Add([]byte("\x7fELF"))
	wide, err := cubin.Parse(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(cubintest.Narrow(wide))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := cubin.Parse(data)
		if err != nil {
			return
		}
		if n := len(file.Sections)*file.Form.Shdr + (len(file.Symbols)+len(file.MercSymbols))*file.Form.Sym; n > 3*len(data) {
			t.Errorf("sections and symbols of %d bytes in a file of %d", n, len(data))
		}
		for i := range file.Sections {
			s := &file.Sections[i]
			if s.Data != nil && uint64(len(s.Data)) != s.Size {
				t.Errorf("section %d has %d bytes for a size of %d", i, len(s.Data), s.Size)
			}
			if s.Owned() && int(s.TextIndex()) >= len(file.Sections) {
				t.Errorf("section %d belongs to section %d of %d", i, s.TextIndex(), len(file.Sections))
			}
			step := file.Form.Entry(s.Type)
			back := make([]byte, step)
			for k := range s.NumRels() {
				r := s.RelAt(k)
				file.Form.PutRel(back, &r)
				if !bytes.Equal(back, s.Data[k*step:(k+1)*step]) {
					t.Fatalf("section %d entry %d is written back as %x", i, k, back)
				}
			}
		}
		for i := range int(file.Phnum) {
			if _, ok := file.Phdr(i); ok && file.Phoff+uint64((i+1)*file.Form.Phdr) > uint64(len(data)) {
				t.Errorf("program header %d is not in the file", i)
			}
		}
		for _, syms := range [][]cubin.Symbol{file.Symbols, file.MercSymbols} {
			for i := range syms {
				if n := syms[i].Shndx; n < cubin.SHNLoRes && int(n) >= len(file.Sections) {
					t.Errorf("symbol %d names section %d of %d", i, n, len(file.Sections))
				}
			}
		}
	})
}
