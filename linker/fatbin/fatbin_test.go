package fatbin

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// made is an entry as a test states it.
type made struct {
	kind    Kind
	number  uint32
	flags   Flags
	payload string
	packed  uint32
	plain   uint64
	options string
	compat  []byte
}

func (m made) bytes() []byte {
	extra := []byte{}
	if m.options != "" {
		extra = binary.LittleEndian.AppendUint32(extra, entryHeaderSize+8)
		extra = binary.LittleEndian.AppendUint32(extra, uint32(len(m.options)))
		extra = append(append(extra, m.options...), 0)
	}
	if m.compat != nil {
		extra = binary.LittleEndian.AppendUint32(extra, entryHeaderSize+8)
		extra = binary.LittleEndian.AppendUint32(extra, uint32(len(m.compat)))
		extra = append(extra, m.compat...)
	}
	for len(extra)%8 != 0 {
		extra = append(extra, 0)
	}
	h := make([]byte, entryHeaderSize)
	le := binary.LittleEndian
	le.PutUint16(h[offKind:], uint16(m.kind))
	le.PutUint32(h[offHeaderSize:], uint32(len(h)+len(extra)))
	stored := m.payload + strings.Repeat("\x00", align8(len(m.payload))-len(m.payload))
	le.PutUint64(h[offStored:], uint64(len(stored)))
	le.PutUint32(h[offPacked:], m.packed)
	if len(extra) > 0 {
		le.PutUint32(h[offText:], entryHeaderSize)
	}
	le.PutUint32(h[offNumber:], m.number)
	le.PutUint64(h[offFlags:], uint64(m.flags))
	le.PutUint64(h[offPlain:], m.plain)
	return append(append(h, extra...), stored...)
}

func container(entries ...made) []byte {
	var body []byte
	for _, e := range entries {
		body = append(body, e.bytes()...)
	}
	out := binary.LittleEndian.AppendUint32(nil, Magic)
	out = binary.LittleEndian.AppendUint16(out, 1)
	out = binary.LittleEndian.AppendUint16(out, 16)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(body)))
	return append(out, body...)
}

// The strings of entries in these tests: elf80, ptx90a, lto100f.
func entry(s string) made {
	m := made{flags: Flag64Bit, payload: s}
	switch {
	case strings.HasPrefix(s, "elf"):
		m.kind = KindCubin
	case strings.HasPrefix(s, "ptx"):
		m.kind = KindPTX
	case strings.HasPrefix(s, "lto"):
		m.kind = KindIR
	}
	s = s[3:]
	s, _, _ = strings.Cut(s, " ")
	switch s[len(s)-1] {
	case 'a':
		m.flags |= FlagA
	case 'f':
		m.flags |= FlagF
	}
	fmt.Sscanf(s, "%d", &m.number)
	if m.number >= 100 && m.kind == KindCubin {
		m.flags |= FlagMercury
		m.compat = make([]byte, compatSize)
	}
	return m
}

func TestParseReadsEntries(t *testing.T) {
	ptx := made{kind: KindPTX, number: 90, flags: Flag64Bit | FlagA, payload: "text", options: "-maxrregcount=32"}
	cubin := made{kind: KindCubin, number: 100, flags: Flag64Bit | FlagMercury, payload: "\x7fELF", compat: bytes.Repeat([]byte{7}, compatSize)}
	c, err := Parse(append(container(ptx, cubin), "behind it"...))
	if err != nil {
		t.Fatal(err)
	}
	if c.Size != len(container(ptx, cubin)) || c.Cut || len(c.Entries) != 2 {
		t.Fatalf("size %d, cut %v, %d entries", c.Size, c.Cut, len(c.Entries))
	}
	type seen struct {
		Kind                          Kind
		Arch, Options, Stored, Compat string
	}
	var got []seen
	for i := range c.Entries {
		e := &c.Entries[i]
		got = append(got, seen{e.Kind, e.Arch(), e.Options(), string(e.Stored), hex.EncodeToString(e.Compat())})
	}
	want := []seen{
		{KindPTX, "90a", "-maxrregcount=32", "text\x00\x00\x00\x00", ""},
		{KindCubin, "100", "", "\x7fELF\x00\x00\x00\x00", strings.Repeat("07", compatSize)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefusesDamage(t *testing.T) {
	good := container(entry("elf80"), entry("ptx80"))
	edit := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[at] = v
		return b
	}
	for _, test := range []struct {
		name string
		data []byte
		want error
	}{
		{"good", good, nil},
		{"no magic", edit(0, 0), ErrFormat},
		{"version 2", edit(4, 2), ErrFormat},
		{"header size 8", edit(6, 8), ErrFormat},
		{"shorter than a header", good[:12], ErrTruncated},
		{"cut in a payload", good[:len(good)-1], ErrTruncated},
		{"cut in an entry header", good[:len(good)-40], ErrTruncated},
		{"entry header size 0", edit(16+offHeaderSize, 0), ErrTruncated},
		{"payload beyond the end", edit(16+offStored+7, 0x80), ErrTruncated},
		{"states more, zeros follow", append(edit(10, 1), make([]byte, 200)...), nil},
		{"states more, zeros follow, then not", append(append(edit(10, 1), make([]byte, 200)...), 1), ErrTruncated},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := Parse(test.data)
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if err == nil && len(c.Entries) != 2 {
				t.Errorf("%d entries", len(c.Entries))
			}
		})
	}
}

func TestParseHonoursTheHeaderSize(t *testing.T) {
	d := container(entry("elf80"))
	d = append(append(append([]byte{}, d[:16]...), 1, 2, 3, 4, 5, 6, 7, 8), d[16:]...)
	d[6] = 24
	c, err := Parse(d)
	if err != nil || len(c.Entries) != 1 || c.Entries[0].Number != 80 {
		t.Fatalf("%+v, %v", c, err)
	}
}

// rules is a Target with the pairs that matter to choice.
type rules struct {
	number  uint32
	variant Variant
	old     bool
}

func (r rules) Is64() bool { return true }

func (r rules) Old() bool { return r.old }
func (r rules) AcceptsCubin(n uint32, v Variant, entry, compat bool) bool {
	return n == r.number || v != 'a' && (n == 80 && (r.number == 86 || r.number == 89) || n == 86 && r.number == 89 || compat && n == 100 && r.number == 103)
}
func (r rules) AcceptsPTX(n uint32, v Variant) bool {
	if r.old || v == 0 {
		return n <= r.number
	}
	if v == 'a' {
		return n == r.number && r.variant == 'a'
	}
	return n/10 == r.number/10 && n <= r.number
}

func TestChooseTakesTheEntryThatTheReferenceTakes(t *testing.T) {
	for _, test := range []struct {
		target  rules
		entries string
		want    string
	}{
		{rules{86, 0, false}, "elf80,ptx86", "ptx86"},
		{rules{86, 0, false}, "ptx86,elf80", "ptx86"},
		{rules{89, 0, false}, "elf80,ptx86,elf86", "elf86"},
		{rules{86, 0, false}, "ptx80,elf80", "elf80"},
		{rules{100, 0, false}, "elf100,elf100a,elf100f", "elf100a"},
		{rules{100, 0, false}, "elf100,elf100f", "elf100f"},
		{rules{103, 0, false}, "elf100,elf100f,elf100a", "elf100f"},
		{rules{80, 0, false}, "elf80 first,elf80 last", "elf80 first"},
		{rules{80, 0, true}, "elf80 first,elf80 last", "elf80 last"},
		{rules{80, 0, false}, "ptx80 first,ptx80 last", "ptx80 last"},
		{rules{90, 0, false}, "ptx90a,ptx80", "ptx80"},
		{rules{90, 0, true}, "ptx90a,ptx90", "ptx90"},
		{rules{90, 0, true}, "ptx90,ptx90a", "ptx90a"},
		{rules{90, 0, false}, "lto90,elf90", "elf90"},
		{rules{90, 0, false}, "lto90,ptx90", "ptx90"},
		{rules{90, 0, false}, "ptx80,lto90", "ptx80"}, // nvcc -dlto -dc writes PTX and IR: without -lto the PTX is compiled
		{rules{90, 0, true}, "ptx80,lto90", "ptx80"},
		{rules{86, 0, false}, "elf80,lto86", "elf80"},
		{rules{90, 0, false}, "elf75,lto80", "lto80"},
		{rules{90, 0, false}, "lto80,lto90", "lto90"},
		{rules{75, 0, false}, "elf80,ptx80", ""},
		{rules{75, 0, false}, "", ""},
	} {
		var es []made
		for _, s := range strings.Split(test.entries, ",") {
			if s != "" {
				es = append(es, entry(s))
			}
		}
		c, err := Parse(container(es...))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if e := c.Choose(test.target); e != nil {
			got = strings.TrimRight(string(e.Stored), "\x00")
		}
		if got != test.want {
			t.Errorf("%+v of %s: chose %q, want %q", test.target, test.entries, got, test.want)
		}
	}
}

func TestChooseDoesNotSeeEntriesWithoutThe64BitFlag(t *testing.T) {
	e := entry("elf80")
	e.flags = 0
	c, err := Parse(container(e))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Choose(rules{number: 80}); got != nil {
		t.Errorf("chose %+v", got)
	}
}

func TestUnknownKindsAreCubinsOnlyByTheOldRules(t *testing.T) {
	e := entry("elf80")
	e.kind = 5
	c, err := Parse(container(e))
	if err != nil {
		t.Fatal(err)
	}
	if c.Choose(rules{number: 80}) != nil || c.Choose(rules{number: 80, old: true}) == nil {
		t.Error("kind 5 is chosen by the new rules or not by the old")
	}
}

func packZstd(t testing.TB, b []byte) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll(b, nil))
}

func packLZ4(t testing.TB, b []byte) string {
	dst := make([]byte, lz4.CompressBlockBound(len(b)))
	n, err := lz4.CompressBlock(b, dst, nil)
	if err != nil || n == 0 {
		t.Fatalf("lz4: %d, %v", n, err)
	}
	return string(dst[:n])
}

func packed(flag Flags, s string, plain int) made {
	return made{kind: KindCubin, number: 80, flags: Flag64Bit | flag, payload: s, packed: uint32(len(s)), plain: uint64(plain)}
}

func unpack(t testing.TB, m made, l Limits) ([]byte, error) {
	c, err := Parse(container(m))
	if err != nil {
		t.Fatal(err)
	}
	u := NewUnpacker(l, 1)
	defer u.Close()
	return u.Payload(&c.Entries[0])
}

func TestPayloadUnpacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 100; n < 300000; n *= 3 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.IntN(3))
		}
		for _, m := range []made{packed(FlagZstd, packZstd(t, b), n), packed(FlagLZ4, packLZ4(t, b), n), {kind: KindCubin, flags: Flag64Bit, payload: string(b)}} {
			got, err := unpack(t, m, Limits{})
			if err != nil || !bytes.Equal(got[:n], b) {
				t.Errorf("flags %#x, %d bytes: %v", m.flags, n, err)
			}
		}
	}
}

func TestPayloadRefusesWhatDoesNotMatchItsHeader(t *testing.T) {
	zeros := make([]byte, 1<<20)
	z, l := packZstd(t, zeros), packLZ4(t, zeros)
	for _, test := range []struct {
		name string
		m    made
		lim  Limits
		want error
	}{
		{"zstd, larger than stated", packed(FlagZstd, z, 1<<19), Limits{}, ErrUncompress},
		{"zstd, smaller than stated", packed(FlagZstd, z, 1<<21), Limits{}, ErrUncompress},
		{"zstd, not a frame", packed(FlagZstd, "no frame at all", 100), Limits{}, ErrUncompress},
		{"zstd, beyond the limits", packed(FlagZstd, z, 1<<20), Limits{Floor: 1 << 16, Ratio: 2}, ErrTooLarge},
		{"zstd, states an absurd size", packed(FlagZstd, z, 1<<60), Limits{}, ErrTooLarge},
		{"LZ4, larger than stated", packed(FlagLZ4, l, 1<<19), Limits{}, ErrUncompress},
		{"LZ4, smaller than stated", packed(FlagLZ4, l, 1<<20+5), Limits{}, ErrUncompress},
		{"LZ4, states more than a block can hold", packed(FlagLZ4, l, 1<<40), Limits{}, ErrUncompress},
		{"LZ4, nonsense", packed(FlagLZ4, "\xff\xff\xff", 300), Limits{}, ErrUncompress},
		{"more packed bytes than stored", made{kind: KindCubin, flags: Flag64Bit | FlagLZ4, payload: "x", packed: 1000, plain: 5}, Limits{}, ErrUncompress},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := unpack(t, test.m, test.lim); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}

// A frame that unpacks to a gigabyte costs no more than the size that its header dares to state.
func TestBombsCostNoMoreThanTheirStatedSize(t *testing.T) {
	var bomb bytes.Buffer
	w, err := zstd.NewWriter(&bomb, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for range 1 << 10 {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m := packed(FlagZstd, bomb.String(), 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = unpack(t, m, Limits{})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrUncompress) {
		t.Errorf("error %v, want %v", err, ErrUncompress)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 32<<20 {
		t.Errorf("allocated %d bytes for %d", got, bomb.Len())
	}
	m.plain = 1 << 30
	if _, err := unpack(t, m, Limits{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want %v", err, ErrTooLarge)
	}
}

func TestWriteStatesWhatFatbinaryStates(t *testing.T) {
	cubin := append([]byte("\x7fELF\x02\x01\x01\x41\x08"), make([]byte, 51)...)
	compat, _ := hex.DecodeString("020900000202010002050500030701010203000002060100040b0800090000000000000000000000"[:72])
	for _, test := range []struct {
		name  string
		image Image
		want  string // the entry's header
	}{
		{"sm_80", Image{Number: 80, Cubin: cubin},
			"0200010140000000" + "4000000000000000" + "0000000000000000" + "0800010050000000" + "0000000000000000" + "1100000000000000" + "0000000000000000" + "0000000000000000"},
		{"sm_90a", Image{Number: 90, Variant: 'a', Cubin: cubin},
			"0200010140000000" + "4000000000000000" + "0000000000000000" + "080001005a000000" + "0000000000000000" + "1100100000000000" + "0000000000000000" + "0000000000000000"},
		{"sm_100f", Image{Number: 100, Variant: 'f', Cubin: cubin, Compat: compat},
			"0200010170000000" + "4000000000000000" + "0000000040000000" + "0800010064000000" + "0000000000000000" + "1100200100000000" + "0000000000000000" + "0000000000000000" +
				"4800000024000000" + "00020900000202010002050500030701010203000002060100040b08000900000000000000" + "000000"},
	} {
		out, err := Write([]Image{test.image})
		if err != nil {
			t.Fatal(err)
		}
		head := binary.LittleEndian.Uint32(out[16+offHeaderSize:])
		if diff := cmp.Diff(test.want, hex.EncodeToString(out[16:16+head])); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	image := func(n int, c byte) []byte {
		return append([]byte("\x7fELF\x02\x01\x01\x41\x08"), bytes.Repeat([]byte{c}, n)...)
	}
	images := []Image{
		{Number: 80, Cubin: image(100, 1)}, {Number: 90, Variant: 'a', Cubin: image(101, 2)},
		{Number: 100, Variant: 'f', Cubin: image(103, 3), Compat: bytes.Repeat([]byte{9}, compatSize)},
	}
	out, err := Write(images)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != len(images) || c.Size != len(out) {
		t.Fatalf("%d entries, %d of %d bytes", len(c.Entries), c.Size, len(out))
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Number != images[i].Number || e.Variant() != images[i].Variant || !bytes.HasPrefix(e.Stored, images[i].Cubin) {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
}

func TestWriteRefusesWhatIsNoImage(t *testing.T) {
	if _, err := Write([]Image{{Number: 80, Cubin: []byte("short")}}); err == nil {
		t.Error("a cubin of five bytes was stored")
	}
	if _, err := Write([]Image{{Number: 100, Cubin: make([]byte, 64), Compat: make([]byte, 8)}}); err == nil {
		t.Error("a .nv.compat of eight bytes was stored")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(container(entry("elf80"), entry("ptx86"), entry("elf100f")))
	f.Add(container(packed(FlagLZ4, packLZ4(f, make([]byte, 1000)), 1000)))
	f.Add(container(packed(FlagZstd, packZstd(f, make([]byte, 1000)), 1000)))
	u := NewUnpacker(Limits{Floor: 1 << 20}, 4)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		total := 0
		for i := range c.Entries {
			e := &c.Entries[i]
			total += len(e.Stored) + entryHeaderSize
			_, _ = e.Options(), e.Compat()
			if p, err := u.Payload(e); err == nil && e.Compressed() && uint64(len(p)) != e.Plain {
				t.Fatalf("%d bytes, stated %d", len(p), e.Plain)
			}
		}
		if total > len(data) {
			t.Fatalf("entries hold %d of %d bytes", total, len(data))
		}
		c.Choose(rules{number: 90})
	})
}
