package offload

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pack writes a binary of a version with an entry for each image (version 1: the first).
func pack(v uint32, images ...Image) []byte {
	if v < manyEntries {
		images = images[:1]
	}
	head := uint64(headerSize)
	if v >= compressible {
		head += 8
	}
	u64 := binary.LittleEndian.AppendUint64
	stringSize := uint64(16)
	if v >= manyEntries {
		stringSize = 24
	}
	var entries, strings, tail []byte
	stringsAt := head + uint64(len(images))*entrySize
	tailAt := stringsAt + uint64(len(images))*2*stringSize
	add := func(s string) (at uint64) {
		at = tailAt + uint64(len(tail))
		tail = append(append(tail, s...), 0)
		return at
	}
	for _, img := range images {
		at := stringsAt + uint64(len(strings))
		for _, s := range [][2]string{{"arch", img.Arch}, {"triple", img.Triple}} {
			strings = u64(u64(strings, add(s[0])), add(s[1]))
			if v >= manyEntries {
				strings = u64(strings, uint64(len(s[1])))
			}
		}
		entries = append(entries, 1, 0, 2, 0, 0, 0, 0, 0)
		entries = u64(u64(u64(u64(entries, at), 2), add(string(img.Data))), uint64(len(img.Data)))
	}
	out := binary.LittleEndian.AppendUint32(append([]byte(nil), magic[:]...), v)
	out = u64(u64(out, tailAt+uint64(len(tail))), head)
	if v < manyEntries {
		out = u64(out, entrySize)
	} else {
		out = u64(out, uint64(len(images)))
	}
	if v >= compressible {
		out = u64(out, 0)
	}
	return append(append(append(out, entries...), strings...), tail...)
}

var two = []Image{
	{Triple: "nvptx64-nvidia-cuda", Arch: "sm_80", Data: []byte("one")},
	{Triple: "amdgcn-amd-amdhsa", Arch: "gfx90a", Data: []byte("other")},
}

func TestSectionOfClangIsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/clang22.bin")
	if err != nil {
		t.Fatal(err)
	}
	images, err := Parse(data)
	if err != nil || len(images) != 2 {
		t.Fatal(len(images), err)
	}
	for i, arch := range []string{"sm_80", "sm_90a"} {
		img := &images[i]
		if img.Arch != arch || !img.CUDA() || !strings.HasPrefix(string(img.Data), "\x7fELF") {
			t.Errorf("image %d: %s for %s, %.4q", i, img.Triple, img.Arch, img.Data)
		}
	}
}

func TestBinariesStandBehindEachOther(t *testing.T) {
	var data []byte
	for _, img := range two {
		data = append(data, pack(1, img)...)
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
	}
	got, err := Parse(data)
	if diff := cmp.Diff(two, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestLaterVersionsHaveSeveralEntries(t *testing.T) {
	for v := uint32(manyEntries); v <= newest; v++ {
		got, err := Parse(pack(v, two...))
		if diff := cmp.Diff(two, got); err != nil || diff != "" {
			t.Errorf("version %d: %v %s", v, err, diff)
		}
	}
}

func TestNothingButPaddingIsNothing(t *testing.T) {
	for _, data := range [][]byte{nil, make([]byte, 24)} {
		if got, err := Parse(data); err != nil || got != nil {
			t.Error(got, err)
		}
	}
}

func TestDamagedBinariesAreRefused(t *testing.T) {
	put := func(v uint32, at int, value uint64) []byte {
		b := pack(v, two...)
		binary.LittleEndian.PutUint64(b[at:], value)
		return b
	}
	whole := pack(1, two...)
	for name, c := range map[string]struct {
		data []byte
		why  string
	}{
		"no magic":             {[]byte("something that is not one at all"), "no magic"},
		"cut short":            {whole[:len(whole)-1], "a binary of"},
		"unknown version":      {pack(9, two...), "version 9 is not known"},
		"small":                {put(1, 8, 8), "a binary of 0x8 bytes"},
		"entry outside":        {put(1, 16, 1<<40), "1 entries at"},
		"short entry":          {put(1, 24, 8), "an entry of 0x8 bytes"},
		"many entries":         {put(2, 24, 1<<60), "entries in"},
		"compressed":           {put(3, 32, 1000), "it is compressed"},
		"image outside":        {put(1, headerSize+24, 1<<62), "an image of"},
		"many strings":         {put(1, headerSize+16, 1<<30), "1073741824 strings"},
		"strings outside":      {put(1, headerSize+8, 1<<30), "2 strings at"},
		"string outside":       {put(1, headerSize+entrySize+8, 1<<30), "has no end"},
		"sized string outside": {put(2, headerSize+2*entrySize+16, 1<<30), "has no end"},
	} {
		if _, err := Parse(c.data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for v := uint32(1); v <= newest; v++ {
		f.Add(pack(v, two...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		images, err := Parse(data)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
		for i := range images {
			if len(images[i].Data) > len(data) || len(images[i].Arch) > maxString {
				t.Fatal(images[i].Arch)
			}
		}
	})
}
