package link

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/uidx"
	"github.com/culink/culink/linker/uidx/uidxtest"
	"github.com/google/go-cmp/cmp"
)

// unifiedSources reads objects of testdata/unified; the PTX that they were compiled from is beside them.
func unifiedSources(t testing.TB, names ...string) []Source {
	t.Helper()
	var sources []Source
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("testdata", "unified", name+".cubin"))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{Name: name + ".cubin", Data: b})
	}
	return sources
}

// unifiedTable is a table with records of these offsets; ids are made of pairs.
func unifiedTable(window uint64, records ...[3]uint64) uidx.Table {
	t := uidx.Table{Window: window}
	for _, r := range records {
		t.Records = append(t.Records, uidx.Record{ID: uidx.ID{r[0], r[1]}, Offset: r[2]})
	}
	return t
}

func linkUnified(t testing.TB, opts Options, functions, variables uidx.Table, names ...string) (*cubin.File, error) {
	t.Helper()
	u, err := uidx.Parse(uidxtest.Encode(1, functions, variables, 0), 130)
	if err != nil {
		t.Fatal(err)
	}
	opts.Toolkit, opts.Index = 130, u
	res, err := Run(context.Background(), opts, unifiedSources(t, names...), &diag.Collector{})
	if err != nil {
		return nil, err
	}
	f, err := cubin.Parse(res.Image)
	if err != nil {
		t.Fatal(err)
	}
	return f, nil
}

func definedSymbol(t *testing.T, f *cubin.File, name string) *cubin.Symbol {
	t.Helper()
	i := slices.IndexFunc(f.Symbols, func(y cubin.Symbol) bool { return y.Name == name })
	if i < 0 {
		t.Fatalf("no symbol %q in the image", name)
	}
	return &f.Symbols[i]
}

// entriesAgainst are the places of a section's entries by the names of their symbols.
func entriesAgainst(t *testing.T, f *cubin.File, section string) map[string][]uint64 {
	t.Helper()
	out := map[string][]uint64{}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Name != section {
			continue
		}
		symbols := f.Symbols
		if s.Mercury() {
			symbols = f.MercSymbols
		}
		for j := range s.NumRels() {
			r := s.RelAt(j)
			out[symbols[r.Sym].Name] = append(out[symbols[r.Sym].Name], r.Offset)
		}
	}
	return out
}

func TestCalleesOfUnifiedFunctionsStayBesideOneKernel(t *testing.T) {
	functions := unifiedTable(256, [3]uint64{0xab, 0xcd, 0}, [3]uint64{0x11, 0x12, 128})
	for _, sm := range []struct {
		sm   int
		name string
	}{{90, "callee-sm_90"}, {100, "callee-sm_100"}} {
		f, err := linkUnified(t, Options{SM: sm.sm}, functions, uidx.Table{}, sm.name)
		if err != nil {
			t.Fatal(err)
		}
		if y := definedSymbol(t, f, "pf"); y.Shndx == cubin.SHNUndef {
			t.Errorf("sm_%d: pf, which the unified function ud calls, is not defined", sm.sm)
		}
		if len(entriesAgainst(t, f, ".rela.text.ud")["pf"]) == 0 {
			t.Errorf("sm_%d: the call of pf in ud has no entry", sm.sm)
		}
	}
}

func TestEntriesMoveWithUnifiedVariables(t *testing.T) {
	// The compiler puts uv first; the index file asks for the pointers up first.
	functions, variables := unifiedTable(128, [3]uint64{0xab, 0xcd, 0}), unifiedTable(28, [3]uint64{3, 4, 0}, [3]uint64{1, 2, 24})
	want := map[string][]uint64{"uv": {0}, "uf": {8}, "g": {16}}
	for _, sm := range []struct {
		sm       int
		sections []string
	}{{90, []string{".rela.nv.udt"}}, {100, []string{".rela.nv.udt", ".nv.merc.rela.nv.udt"}}} {
		name := map[int]string{90: "pointers-sm_90", 100: "pointers-sm_100"}[sm.sm]
		f, err := linkUnified(t, Options{SM: sm.sm}, functions, variables, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range sm.sections {
			if d := cmp.Diff(want, entriesAgainst(t, f, section)); d != "" {
				t.Errorf("sm_%d: places of entries of %s (-want +got):\n%s", sm.sm, section, d)
			}
		}
		if up, uv := definedSymbol(t, f, "up").Value, definedSymbol(t, f, "uv").Value; up != 0 || uv != 24 {
			t.Errorf("sm_%d: up is at %d, uv at %d, want 0 and 24", sm.sm, up, uv)
		}
		if b := f.Sections[f.Find(".nv.udt")].Data; len(b) != 28 || b[24] != 7 {
			t.Errorf("sm_%d: .nv.udt holds % x", sm.sm, b)
		}
	}
}

func TestWeakUnifiedFunctionsOfSeveralFilesShareTheirSlot(t *testing.T) {
	// The window counts every stub, as the reference has it; one slot is used.
	f, err := linkUnified(t, Options{SM: 90}, unifiedTable(256, [3]uint64{0xab, 0xcd, 0}), unifiedTable(4, [3]uint64{1, 2, 0}), "weak_a-sm_90", "weak_b-sm_90")
	if err != nil {
		t.Fatal(err)
	}
	if got := entriesAgainst(t, f, ".rela.nv.uft"); !cmp.Equal(got, map[string][]uint64{"uf": {0}}) {
		t.Errorf("entries of the table: %v", got)
	}
	entries := f.Sections[f.Find(".nv.uft.entry")].Data
	var flags []uint32
	for ; len(entries) >= unifiedEntrySize; entries = entries[unifiedEntrySize:] {
		flags = append(flags, le.Uint32(entries[4:]))
	}
	if d := cmp.Diff([]uint32{1 | entryMerged | entryUnplaced, 1 | entryMerged}, flags); d != "" {
		t.Errorf("flags of the entries (-want +got):\n%s", d)
	}
	for i := range f.Symbols {
		if y := &f.Symbols[i]; strings.HasPrefix(y.Name, stubPrefix) && y.Value != 0 {
			t.Errorf("a stub is at %#x, behind the table", y.Value)
		}
	}
}

func TestLikeNamedUnifiedFunctionsKeepTheirAddresses(t *testing.T) {
	f, err := linkUnified(t, Options{SM: 90}, unifiedTable(256, [3]uint64{0xab, 0xcd, 128}, [3]uint64{0x1b, 0x1d, 0}), uidx.Table{}, "local_a-sm_90", "local_b-sm_90")
	if err != nil {
		t.Fatal(err)
	}
	var functions, stubs []uint64
	for i := range f.Symbols {
		switch y := &f.Symbols[i]; y.Name {
		case "uf":
			functions = append(functions, y.Value)
		case stubPrefix + "uf":
			stubs = append(stubs, y.Value)
		}
	}
	if d := cmp.Diff([][]uint64{{0, 0}, {128, 0}}, [][]uint64{functions, stubs}); d != "" {
		t.Errorf("addresses of functions and of stubs (-want +got):\n%s", d)
	}
}

func TestIndexFilesOfAnotherProgramAreRefused(t *testing.T) {
	uf, ud, uv, up := [3]uint64{0xab, 0xcd, 0}, [3]uint64{0x11, 0x12, 128}, [3]uint64{1, 2, 24}, [3]uint64{3, 4, 0}
	both := []string{"callee-sm_90", "pointers-sm_90"}
	for _, test := range []struct {
		name                 string
		functions, variables uidx.Table
		inputs               []string
		want                 diag.ID
	}{
		{"window of functions", unifiedTable(128, uf), uidx.Table{}, both[:1], diag.FunctionWindow},
		{"window of variables", unifiedTable(128, uf), unifiedTable(32, up, uv), both[1:], diag.DataWindow},
		{"a stranger", unifiedTable(128, [3]uint64{8, 8, 0}), uidx.Table{}, both[1:], diag.NoSuchUuid},
		{"an id with the halves of another's", unifiedTable(128, [3]uint64{0xcd, 0xab, 0}), uidx.Table{}, both[1:], diag.NoMatchingUuid},
		{"an id twice", unifiedTable(256, uf, uf), uidx.Table{}, both[:1], diag.UuidTwice},
		{"a function is missing", unifiedTable(256, uf), uidx.Table{}, both[:1], diag.NotIndexed},
		{"a variable is missing", unifiedTable(128, uf), unifiedTable(24, up), both[1:], diag.NotIndexed},
		{"two functions in one slot", unifiedTable(256, uf, [3]uint64{0x11, 0x12, 0}), uidx.Table{}, both[:1], diag.WrongSlot},
		{"a function behind the window", unifiedTable(256, uf, [3]uint64{0x11, 0x12, 1 << 40}), uidx.Table{}, both[:1], diag.WrongSlot},
		{"an offset that overflows", unifiedTable(256, uf, [3]uint64{0x11, 0x12, 1<<64 - 8}), uidx.Table{}, both[:1], diag.WrongSlot},
		{"variables that overlap", unifiedTable(128, uf), unifiedTable(24, up, [3]uint64{1, 2, 8}), both[1:], diag.WrongSlot},
		{"more space than any table has", unifiedTable(128, uf), unifiedTable(1<<40+4, up, [3]uint64{1, 2, 1 << 40}), both[1:], diag.UnsupportedInput},
		{"a variable's offset that overflows", unifiedTable(128, uf), unifiedTable(24, up, [3]uint64{1, 2, 1<<64 - 2}), both[1:], diag.WrongSlot},
		{"one id of two functions", unifiedTable(256, uf), uidx.Table{}, []string{"same_id-sm_90", "weak_a-sm_90"}, diag.SharedUuid},
		{"fits", unifiedTable(256, uf, ud), uidx.Table{}, both[:1], -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := linkUnified(t, Options{SM: 90}, test.functions, test.variables, test.inputs...)
			if test.want < 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var fatal *diag.FatalError
			if !errors.As(err, &fatal) || fatal.Message.ID != test.want {
				t.Errorf("error %v, want message %d", err, test.want)
			}
		})
	}
}

func TestGapsBetweenUnifiedVariablesAreZero(t *testing.T) {
	f, err := linkUnified(t, Options{SM: 90}, unifiedTable(128, [3]uint64{0xab, 0xcd, 0}), unifiedTable(132, [3]uint64{3, 4, 0}, [3]uint64{1, 2, 128}), "pointers-sm_90")
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 132)
	want[128] = 7
	if d := cmp.Diff(want, f.Sections[f.Find(".nv.udt")].Data); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestStubValuesInMercuryImagesAreThoseOfTheReference(t *testing.T) {
	// st_value and st_size as an image with nine unified functions has them.
	l := &link{Secs: []*section{{}, {ID: 1, Size: 10 * unifiedSlot}}}
	var got [][2]uint64
	for i := range uint64(9) {
		value, size := l.placedStub(&symbol{Sec: 1, Value: i * unifiedSlot})
		got = append(got, [2]uint64{value, size})
	}
	want := [][2]uint64{{0, 1280}, {96, 96}, {192, 96}, {288, 112}, {400, 112}, {512, 96}, {608, 96}, {704, 96}, {800, 480}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// FuzzLinkUnified asks that any index file and any damage to an object give an image or a message.
func FuzzLinkUnified(f *testing.F) {
	functions, variables := unifiedTable(128, [3]uint64{0xab, 0xcd, 0}), unifiedTable(28, [3]uint64{3, 4, 0}, [3]uint64{1, 2, 24})
	index := uidxtest.Encode(1, functions, variables, 0)
	for i, name := range []string{"pointers-sm_90", "pointers-sm_100"} {
		f.Add(unifiedSources(f, name)[0].Data, index, uint8(i))
		f.Add(unifiedSources(f, name)[0].Data, index, uint8(i|2))
	}
	f.Fuzz(func(t *testing.T, object, index []byte, flags uint8) {
		u, err := uidx.Parse(index, 130)
		if err != nil {
			return
		}
		opts := Options{SM: 90, Toolkit: 130, Index: u, Relocatable: flags&2 != 0, Debug: flags&4 != 0, PreserveRelocs: flags&8 != 0}
		if flags&1 != 0 {
			opts.SM = 100
		}
		if flags&16 != 0 {
			opts.Toolkit = 124
		}
		res, err := Run(context.Background(), opts, []Source{{Name: "a.cubin", Data: object}}, &diag.Collector{})
		if err != nil {
			return
		}
		if _, err := cubin.Parse(res.Image); err != nil {
			t.Errorf("the image cannot be parsed: %v", err)
		}
	})
}
