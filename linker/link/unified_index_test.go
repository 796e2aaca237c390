package link

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// indexFile makes an index file. Windows are those that the records ask for.
func indexFile(version uint32, functions, variables UnifiedTable, extra int) []byte {
	b := []byte(unifiedIndexMark)
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, 0)
	for _, t := range []UnifiedTable{functions, variables} {
		b = le.AppendUint64(le.AppendUint64(b, t.Window), uint64(len(t.Records)))
	}
	for _, t := range []UnifiedTable{functions, variables} {
		for _, r := range t.Records {
			for _, w := range []uint64{r.ID[0], r.ID[1], r.Offset} {
				b = le.AppendUint64(b, w)
			}
		}
	}
	return append(b, make([]byte, extra)...)
}

func TestIndexFilesAreReadAsTheReferenceReadsThem(t *testing.T) {
	functions := UnifiedTable{256, []UnifiedRecord{{UnifiedID{0x11, 0x12}, 0}, {UnifiedID{0xab, 0xcd}, 128}}}
	variables := UnifiedTable{4, []UnifiedRecord{{UnifiedID{1, 2}, 0}}}
	good := indexFile(1, functions, variables, 0)
	counts := func(at int, n uint64) []byte {
		b := append([]byte(nil), good...)
		binary.LittleEndian.PutUint64(b[at:], n)
		return b
	}
	for _, test := range []struct {
		name    string
		data    []byte
		toolkit int
		err     error
	}{
		{"version 1", good, 130, nil},
		{"version 0", indexFile(0, functions, variables, 0), 130, nil},
		{"nothing in it", indexFile(1, UnifiedTable{}, UnifiedTable{}, 0), 130, nil},
		{"version 2 has 16 bytes for each function", indexFile(2, functions, variables, 32), 130, nil},
		{"version 2 without them", indexFile(2, functions, variables, 0), 130, ErrMalformedUnifiedIndex},
		{"12.4 knows no versions", indexFile(2, functions, variables, 0), 124, nil},
		{"12.4 with the bytes of version 2", indexFile(2, functions, variables, 32), 124, ErrMalformedUnifiedIndex},
		{"cut", good[:len(good)-1], 130, ErrMalformedUnifiedIndex},
		{"longer", append(append([]byte(nil), good...), 0), 130, ErrMalformedUnifiedIndex},
		{"the mark alone", good[:8], 130, ErrMalformedUnifiedIndex},
		{"another mark", append([]byte("\x7fUFTINDY"), good[8:]...), 130, ErrNotUnifiedIndex},
		{"too short for the mark", good[:7], 130, ErrNotUnifiedIndex},
		{"empty", nil, 130, ErrNotUnifiedIndex},
		{"a count that overflows", counts(24, 1<<60), 130, ErrMalformedUnifiedIndex},
		{"counts that overflow together", counts(24, 1<<64-2), 130, ErrMalformedUnifiedIndex},
		{"a count of variables that overflows", counts(40, 1<<61+1), 130, ErrMalformedUnifiedIndex},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := ParseUnifiedIndex(test.data, test.toolkit); !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
		})
	}
	got, err := ParseUnifiedIndex(good, 130)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]UnifiedTable{functions, variables}, []UnifiedTable{got.Functions, got.Variables}); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
}

// FuzzParseUnifiedIndex asks that a file is refused or holds exactly what it was read as.
func FuzzParseUnifiedIndex(f *testing.F) {
	functions := UnifiedTable{128, []UnifiedRecord{{UnifiedID{3, 4}, 0}}}
	f.Add(indexFile(1, functions, UnifiedTable{4, []UnifiedRecord{{UnifiedID{1, 2}, 0}}}, 0), true)
	f.Add(indexFile(2, functions, UnifiedTable{}, 16), true)
	f.Add([]byte(unifiedIndexMark), false)
	f.Fuzz(func(t *testing.T, data []byte, newer bool) {
		toolkit := 124
		if newer {
			toolkit = 130
		}
		u, err := ParseUnifiedIndex(data, toolkit)
		if err != nil {
			return
		}
		version := le.Uint32(data[8:])
		extra := 0
		if newer && version > 1 {
			extra = unifiedIndexExtra * len(u.Functions.Records)
		}
		again := indexFile(version, u.Functions, u.Variables, extra)
		copy(again[12:16], data[12:16])
		copy(again[len(again)-extra:], data[len(data)-extra:])
		if d := cmp.Diff(data, again); d != "" {
			t.Errorf("written again (-want +got):\n%s", d)
		}
	})
}
