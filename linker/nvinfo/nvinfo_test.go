package nvinfo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTableOfAttributesIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	for i := range attributes {
		a := &attributes[i]
		if a.Name == "" {
			if *a != (Attribute{}) {
				t.Errorf("%#x has no name but %+v", i, a)
			}
			continue
		}
		if seen[a.Name] {
			t.Errorf("%s twice", a.Name)
		}
		seen[a.Name] = true
		if a.Symbols != NoSymbols && a.Format != SVAL {
			t.Errorf("%s has symbols in format %v", a.Name, a.Format)
		}
		switch a.Payload {
		case SymbolValue, SymbolBank:
			if a.Symbols != FirstWord {
				t.Errorf("%s: %+v", a.Name, a)
			}
		case SymbolList:
			if a.Symbols != AllWords {
				t.Errorf("%s: %+v", a.Name, a)
			}
		case None:
			if a.Format != NVAL {
				t.Errorf("%s: %+v", a.Name, a)
			}
		}
	}
}

// TestCodesThatNameSymbols holds the list that the reference linker was observed to renumber.
func TestCodesThatNameSymbols(t *testing.T) {
	want := map[Symbols][]Code{
		FirstWord:       {0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12, 0x13, 0x14, 0x23, 0x26, 0x2f, 0x3b},
		FirstWordOrZero: {0x17, 0x45},
		AllWords:        {0x0f},
	}
	got := map[Symbols][]Code{}
	for c := range 256 {
		if s := Lookup(Code(c)).Symbols; s != NoSymbols {
			got[s] = append(got[s], Code(c))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCodesAreNamedOrShownAsNumbers(t *testing.T) {
	for c, want := range map[Code]string{
		Regcount: "EIATTR_REGCOUNT", AtEntryFragments: "EIATTR_AT_ENTRY_FRAGMENTS", MercuryISAVersion: "EIATTR_MERCURY_ISA_VERSION",
		0x6d: "EIATTR_PREEXIT_USED", 0x56: "attribute 0x56", 0xff: "attribute 0xff",
	} {
		if got := c.String(); got != want {
			t.Errorf("%#x is %s, want %s", uint8(c), got, want)
		}
	}
	if got := CompatISAClass.String(); got != "EICOMPAT_ATTR_ISA_CLASS" {
		t.Error(got)
	}
	for _, c := range []CompatCode{0x08, 0x0d, 0x11, 0xff} {
		if got := c.String(); got[:4] == "EICO" {
			t.Errorf("%#x is %s", uint8(c), got)
		}
	}
}

func TestRecordsKeepUnknownCodesAndFormats(t *testing.T) {
	section := []byte{4, 0x2f, 8, 0, 7, 0, 0, 0, 32, 0, 0, 0, 3, 0x1b, 0xff, 0, 9, 0xee, 0x34, 0x12, 1, 4, 0, 0, 4, 0xf0, 3, 0, 1, 2, 3}
	type row struct {
		format Format
		code   Code
		field  uint16
		offset int
		size   int
	}
	want := []row{{SVAL, Regcount, 8, 0, 12}, {HVAL, MaxregCount, 255, 12, 4}, {9, 0xee, 0x1234, 16, 4}, {NVAL, CtaidzUsed, 0, 20, 4}, {SVAL, 0xf0, 3, 24, 7}}
	var got []row
	var out []byte
	r := Read(section)
	for r.Next() {
		got = append(got, row{r.Format, r.Code, r.Field, r.Offset, r.Size()})
		out = r.Append(out)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(row{})); d != "" {
		t.Error(d)
	}
	if !bytes.Equal(out, section) {
		t.Errorf("written back: %x", out)
	}
}

func TestWordsOfARecordAreReadAndSet(t *testing.T) {
	section := []byte{4, 0x2f, 8, 0, 7, 0, 0, 0, 32, 0, 0, 0}
	r := Read(section)
	if !r.Next() {
		t.Fatal(r.Err())
	}
	if sym, ok := r.Symbol(); !ok || sym != 7 {
		t.Errorf("symbol %d, %v", sym, ok)
	}
	if r.Words() != 2 || r.Word(1) != 32 || r.Word(2) != 0 || r.Word(-1) != 0 {
		t.Errorf("%d words, %d", r.Words(), r.Word(1))
	}
	r.SetWord(0, 9)
	r.SetWord(2, 1)
	r.SetWord(-1, 1)
	if d := cmp.Diff([]byte{4, 0x2f, 8, 0, 9, 0, 0, 0, 32, 0, 0, 0}, section); d != "" {
		t.Error(d)
	}
	for _, r := range []Record{
		{Format: SVAL, Code: Regcount, Payload: []byte{1, 2, 3}},
		{Format: HVAL, Code: Regcount, Field: 3},
		{Format: SVAL, Code: CrsStackSize, Payload: make([]byte, 4)},
	} {
		if sym, ok := r.Symbol(); ok {
			t.Errorf("%+v names symbol %d", r, sym)
		}
	}
}

func TestTruncatedRecordsAreErrorsWithTheirOffset(t *testing.T) {
	for _, c := range []struct {
		section []byte
		at      int
	}{
		{[]byte{1}, 0},
		{[]byte{1, 4, 0, 0, 1, 4, 0}, 4},
		{[]byte{3, 0x1b, 9, 0, 4, 0x2f, 8, 0, 1, 2, 3, 4, 5, 6, 7}, 4},
		{[]byte{4, 0x2f, 0xff, 0xff}, 0},
	} {
		r := Read(c.section)
		for r.Next() {
		}
		var e *FormatError
		if !errors.As(r.Err(), &e) || e.Offset != c.at {
			t.Errorf("%x: %v, want an error at %d", c.section, r.Err(), c.at)
		}
		if r.Next() {
			t.Errorf("%x: the walk goes on after an error", c.section)
		}
	}
}

func TestRecordsOfTheCallGraphStandInGroups(t *testing.T) {
	type row struct {
		e    Edge
		a, b uint32
	}
	want := []row{{Calls, 13, 14}, {AddressTaken, 18, 1}, {AddressTaken, 19, 1}, {TakesAddress, 14, 18}, {TakesAddress, 3, 0}}
	var section []byte
	i := 0
	for _, e := range Edges() {
		section = AppendMarker(section, e)
		for ; i < len(want) && want[i].e == e; i++ {
			section = AppendPair(section, want[i].a, want[i].b)
		}
	}
	var got []row
	g := ReadGraph(section)
	for g.Next() {
		got = append(got, row{g.Edge, g.A, g.B})
	}
	if g.Err() != nil {
		t.Fatal(g.Err())
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(row{})); d != "" {
		t.Error(d)
	}
}

func TestRecordsOfUnknownGroupsArePassedOver(t *testing.T) {
	for name, head := range map[string][]byte{
		"no marker":                   AppendPair(nil, 1, 2),
		"unknown marker":              AppendPair(AppendPair(nil, 0, 0xfffffffb), 1, 2),
		"marker 0":                    AppendPair(AppendPair(nil, 0, 0), 1, 2),
		"a group ends with the next":  AppendPair(AppendPair(nil, 0, 5), 1, 2),
		"the greatest of all markers": AppendPair(AppendPair(nil, 0, 1<<31), 1, 2),
	} {
		g := ReadGraph(AppendPair(AppendMarker(head, TakesAddress), 3, 4))
		if !g.Next() || g.Edge != TakesAddress || g.A != 3 || g.B != 4 || g.Next() || g.Err() != nil {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

func TestMalformedGraphsAreErrorsWithTheirOffset(t *testing.T) {
	marker := AppendMarker(nil, Calls)
	for name, section := range map[string][]byte{
		"short record": append(bytes.Clone(marker), 1, 2, 3),
	} {
		g := ReadGraph(section)
		for g.Next() {
		}
		var e *FormatError
		if !errors.As(g.Err(), &e) || e.Offset != len(section)/9*8 {
			t.Errorf("%s: %v", name, g.Err())
		}
	}
	p := ReadPrototypes([]byte{1, 0, 0, 0, 2, 0, 0, 0, 3})
	if !p.Next() || p.Symbol != 1 || p.String != 2 || p.Next() || p.Err() == nil {
		t.Errorf("%+v", p)
	}
}

func TestTkinfoHasTheReferencesBytes(t *testing.T) {
	k := Tkinfo{"", "nvlink", "Cuda compilation tools, release 13.0, V13.0.88", "Build cuda_13.0.r13.0/compiler.36424714_0", "-arch sm_100 "}
	want := "\x0c\x00\x00\x00\x88\x00\x00\x00\xd0\x07\x00\x00NVIDIA Corp\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x08\x00\x00\x007\x00\x00\x00a\x00\x00\x00" +
		"\x00nvlink\x00Cuda compilation tools, release 13.0, V13.0.88\x00Build cuda_13.0.r13.0/compiler.36424714_0\x00-arch sm_100 \x00\x00"
	got := k.Note().Append(nil)
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	n := ReadNotes(got)
	if !n.Next() || n.Type != NoteTkinfo || !bytes.Equal(n.Raw, got) {
		t.Fatalf("%+v", n)
	}
	back, err := DecodeTkinfo(n.Desc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(k, back); d != "" {
		t.Error(d)
	}
}

func TestCuinfoHasTheReferencesBytes(t *testing.T) {
	got := Cuinfo{Version: CuinfoVersion, VirtualSM: 100, Toolkit: 130}.Note().Append(nil)
	if d := cmp.Diff("\x0c\x00\x00\x00\x08\x00\x00\x00\xe8\x03\x00\x00NVIDIA Corp\x00\x02\x00d\x00\x82\x00\x00\x00", string(got)); d != "" {
		t.Error(d)
	}
}

func TestMalformedNotesAreErrors(t *testing.T) {
	good := Cuinfo{2, 90, 130, 0}.Note().Append(nil)
	for i := 1; i < len(good); i++ {
		n := ReadNotes(good[:i])
		if n.Next() || n.Err() == nil {
			t.Errorf("%d of %d bytes are taken", i, len(good))
		}
	}
	huge := bytes.Clone(good)
	binary.LittleEndian.PutUint32(huge, 0xffffffff)
	binary.LittleEndian.PutUint32(huge[4:], 0xffffffff)
	n := ReadNotes(huge)
	if n.Next() || n.Err() == nil {
		t.Error("sizes of 4 GiB are taken")
	}
	desc := Tkinfo{Tool: "t"}.Note().Desc
	for name, edit := range map[string]func([]byte) []byte{
		"version":     func(b []byte) []byte { b[0] = 3; return b },
		"offset":      func(b []byte) []byte { binary.LittleEndian.PutUint32(b[8:], 0xfffffff0); return b },
		"end":         func(b []byte) []byte { return append(b, 'x')[:len(b)+1] },
		"short":       func(b []byte) []byte { return b[:20] },
		"empty":       func([]byte) []byte { return nil },
		"string only": func(b []byte) []byte { return b[:24] },
	} {
		b := edit(bytes.Clone(desc))
		if name == "end" {
			binary.LittleEndian.PutUint32(b[20:], uint32(len(b)-tkinfoHeader-1))
		}
		if _, err := DecodeTkinfo(b); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := DecodeCuinfo(make([]byte, 7)); err == nil {
		t.Error("7 bytes of CUDA information are taken")
	}
}

func TestReadersDoNotAllocate(t *testing.T) {
	info := bytes.Repeat([]byte{4, 0x2f, 8, 0, 7, 0, 0, 0, 32, 0, 0, 0, 3, 0x1b, 0xff, 0}, 100)
	graph := AppendPair(AppendMarker(nil, Calls), 1, 2)
	notes := Cuinfo{2, 90, 130, 0}.Note().Append(nil)
	if n := testing.AllocsPerRun(10, func() {
		r := Read(info)
		for r.Next() {
		}
		g := ReadGraph(graph)
		for g.Next() {
		}
		k := ReadNotes(notes)
		for k.Next() {
		}
		p := ReadPrototypes(graph)
		for p.Next() {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{4, 0x2f, 8, 0, 7, 0, 0, 0, 32, 0, 0, 0, 3, 0x1b, 0xff, 0})
	f.Add([]byte{4, 0x0f, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, section []byte) {
		var out []byte
		r := Read(section)
		for r.Next() {
			if r.Offset != len(out) {
				t.Fatalf("record at %d, want %d", r.Offset, len(out))
			}
			out = r.Append(out)
			_ = r.Code.String()
			_, _ = r.Symbol()
		}
		if !bytes.HasPrefix(section, out) || (r.Err() == nil) != (len(out) == len(section)) {
			t.Fatalf("%x is written back as %x: %v", section, out, r.Err())
		}
	})
}

func FuzzReadGraph(f *testing.F) {
	f.Add(AppendPair(AppendMarker(nil, AddressTaken), 1, 2))
	f.Add(AppendPair(nil, 0, 0xfffffff0))
	f.Fuzz(func(t *testing.T, section []byte) {
		g := ReadGraph(section)
		for n := 0; g.Next(); n++ {
			if n > len(section)/pairSize || g.Edge >= 0 || g.Edge < TakesAddress {
				t.Fatalf("record %d: %+v", n, g)
			}
		}
		p := ReadPrototypes(section)
		var out []byte
		for p.Next() {
			out = AppendPair(out, p.Symbol, p.String)
		}
		if !bytes.HasPrefix(section, out) || (p.Err() == nil) != (len(out) == len(section)) {
			t.Fatalf("%x is written back as %x: %v", section, out, p.Err())
		}
	})
}

func FuzzReadNotes(f *testing.F) {
	f.Add(Tkinfo{"o", "nvlink", "r", "b", "-arch sm_90 "}.Note().Append(nil))
	f.Add(Cuinfo{2, 90, 130, 0}.Note().Append(nil))
	f.Fuzz(func(t *testing.T, section []byte) {
		var out []byte
		n := ReadNotes(section)
		for n.Next() {
			out = append(out, n.Raw...)
			if k, err := DecodeTkinfo(n.Desc); err == nil {
				again, err := DecodeTkinfo(k.Note().Desc)
				if err != nil || again != k {
					t.Fatalf("%+v becomes %+v: %v", k, again, err)
				}
			}
			if c, err := DecodeCuinfo(n.Desc); err == nil && !bytes.Equal(c.Note().Desc, n.Desc[:cuinfoSize]) {
				t.Fatalf("%+v", c)
			}
		}
		if !bytes.HasPrefix(section, out) || (n.Err() == nil) != (len(out) == len(section)) {
			t.Fatalf("%x is read as %x: %v", section, out, n.Err())
		}
	})
}
