package uidx_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/culink/culink/linker/uidx"
	"github.com/culink/culink/linker/uidx/uidxtest"
	"github.com/google/go-cmp/cmp"
)

var le = binary.LittleEndian

func TestIndexFilesAreReadAsTheReferenceReadsThem(t *testing.T) {
	functions := uidx.Table{256, []uidx.Record{{uidx.ID{0x11, 0x12}, 0}, {uidx.ID{0xab, 0xcd}, 128}}}
	variables := uidx.Table{4, []uidx.Record{{uidx.ID{1, 2}, 0}}}
	good := uidxtest.Encode(1, functions, variables, 0)
	counts := func(at int, n uint64) []byte {
		b := append([]byte(nil), good...)
		le.PutUint64(b[at:], n)
		return b
	}
	for _, test := range []struct {
		name    string
		data    []byte
		toolkit int
		err     error
	}{
		{"version 1", good, 130, nil},
		{"version 0", uidxtest.Encode(0, functions, variables, 0), 130, nil},
		{"nothing in it", uidxtest.Encode(1, uidx.Table{}, uidx.Table{}, 0), 130, nil},
		{"version 2 has 16 bytes for each function", uidxtest.Encode(2, functions, variables, 32), 130, nil},
		{"version 2 without them", uidxtest.Encode(2, functions, variables, 0), 130, uidx.ErrMalformed},
		{"12.4 knows no versions", uidxtest.Encode(2, functions, variables, 0), 124, nil},
		{"12.4 with the bytes of version 2", uidxtest.Encode(2, functions, variables, 32), 124, uidx.ErrMalformed},
		{"cut", good[:len(good)-1], 130, uidx.ErrMalformed},
		{"longer", append(append([]byte(nil), good...), 0), 130, uidx.ErrMalformed},
		{"the mark alone", good[:8], 130, uidx.ErrMalformed},
		{"another mark", append([]byte("\x7fUFTINDY"), good[8:]...), 130, uidx.ErrNotIndex},
		{"too short for the mark", good[:7], 130, uidx.ErrNotIndex},
		{"empty", nil, 130, uidx.ErrNotIndex},
		{"a count that overflows", counts(24, 1<<60), 130, uidx.ErrMalformed},
		{"counts that overflow together", counts(24, 1<<64-2), 130, uidx.ErrMalformed},
		{"a count of variables that overflows", counts(40, 1<<61+1), 130, uidx.ErrMalformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := uidx.Parse(test.data, test.toolkit); !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
		})
	}
	got, err := uidx.Parse(good, 130)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]uidx.Table{functions, variables}, []uidx.Table{got.Functions, got.Variables}); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
}

// FuzzParse asks that a file is refused or holds exactly what it was read as.
func FuzzParse(f *testing.F) {
	functions := uidx.Table{128, []uidx.Record{{uidx.ID{3, 4}, 0}}}
	f.Add(uidxtest.Encode(1, functions, uidx.Table{4, []uidx.Record{{uidx.ID{1, 2}, 0}}}, 0), true)
	f.Add(uidxtest.Encode(2, functions, uidx.Table{}, 16), true)
	f.Add([]byte("\x7fUFTINDX"), false)
	f.Fuzz(func(t *testing.T, data []byte, newer bool) {
		toolkit := 124
		if newer {
			toolkit = 130
		}
		u, err := uidx.Parse(data, toolkit)
		if err != nil {
			return
		}
		version := le.Uint32(data[8:])
		extra := 0
		if newer && version > 1 {
			extra = 16 * len(u.Functions.Records)
		}
		again := uidxtest.Encode(version, u.Functions, u.Variables, extra)
		copy(again[12:16], data[12:16])
		copy(again[len(again)-extra:], data[len(data)-extra:])
		if d := cmp.Diff(data, again); d != "" {
			t.Errorf("written again (-want +got):\n%s", d)
		}
	})
}
