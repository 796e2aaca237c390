package cubin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// capsuleOf joins a head, a bit map and records.
func capsuleOf(n uint32, bitmap []uint32, records ...[]byte) []byte {
	b := le.AppendUint32(nil, 7)
	b = le.AppendUint32(b, capsuleMagic)
	b = le.AppendUint32(b, n)
	for _, w := range bitmap {
		b = le.AppendUint32(b, w)
	}
	for _, r := range records {
		b = append(b, r...)
	}
	return b
}

// filled is an instruction of that size whose first byte is b.
func filled(b byte, size int) []byte {
	r := make([]byte, size)
	r[0] = b
	return r
}

func TestParseCapsuleDecodesEveryKindOfRecord(t *testing.T) {
	last := []byte{0x50, 0x08} // 0x50 | 16 << 7
	data := capsuleOf(6, []uint32{0b000001},
		filled(0x02, 32),
		append([]byte{0x91, 0x04}, filled(0x41, 4)...), // 9 SASS instructions, opcode alone
		filled(0x41, 4),
		filled(0x01, 16),
		last)
	got, err := ParseCapsule(data)
	if err != nil {
		t.Fatal(err)
	}
	want := &Capsule{Text: 7, Instructions: 6, SASS: 29, Records: []CapsuleRecord{
		{Instruction: 1, SASS: 1, Count: 1, Off: 16, Size: 32, Units: 2},
		{Instruction: 2, SASS: 2, Count: 9, Off: 50, Size: 4, Units: 1},
		{Instruction: 3, SASS: 11, Count: 1, Off: 54, Size: 4, Units: 1},
		{Instruction: 4, SASS: 12, Count: 1, Off: 58, Size: 16, Units: 1},
		{Instruction: 5, SASS: 13, Count: 16, Off: 76},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInstructionsThatStandForNoSASSHaveNoPrefix(t *testing.T) {
	got, err := ParseCapsule(capsuleOf(3, []uint32{0b010}, append([]byte{0x31, 0x02}, make([]byte, 14)...), filled(0x01, 16)))
	if err != nil {
		t.Fatal(err)
	}
	want := &Capsule{Text: 7, Instructions: 3, SASS: 2, Records: []CapsuleRecord{
		{Instruction: 0, Count: 0, Off: 16, Size: 16, Units: 1},
		{Instruction: 2, SASS: 1, Count: 1, Off: 32, Size: 16, Units: 1},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := got.At(0); r != nil {
		t.Errorf("SASS instruction 0 has record %+v", r)
	}
}

func TestCapsuleAtFindsTheRecordOfASASSInstruction(t *testing.T) {
	// Instructions 0 and 2 have records for 3 and 1 SASS instructions, 1 has none.
	c, err := ParseCapsule(capsuleOf(3, []uint32{0b010}, append([]byte{0x91, 0x01}, filled(0x41, 4)...), filled(0x01, 16)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{0, 0, 0, -1, 2, -1} {
		got := int32(-1)
		if r := c.At(i); r != nil {
			got = r.Instruction
		}
		if got != want {
			t.Errorf("At(%d) is the record of instruction %d, want %d", i, got, want)
		}
	}
	if c.Records[0].Whole() || !c.Records[1].Whole() {
		t.Error("only the second record holds its whole instruction")
	}
}

func TestParseCapsuleOfCompilerOutputCoversTheCode(t *testing.T) {
	for _, test := range []struct {
		file                        string
		instructions, sass, records int
	}{
		{"vtables_constructor.bin", 25, 40, 4},
		{"barriers.bin", 18, 32, 12},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "capsules", test.file))
		if err != nil {
			t.Fatal(err)
		}
		c, err := ParseCapsule(data)
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		got := []int{c.Instructions, c.SASS, len(c.Records)}
		if diff := cmp.Diff([]int{test.instructions, test.sass, test.records}, got); diff != "" {
			t.Errorf("%s: instructions, SASS instructions, records (-want +got):\n%s", test.file, diff)
		}
	}
}

func TestParseCapsuleRefusesDamage(t *testing.T) {
	whole := capsuleOf(2, []uint32{0b01}, filled(0x02, 32))
	magic := append([]byte(nil), whole...)
	magic[4] = 2
	for _, test := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "too few", nil},
		{"magic", "unknown magic number 0xc0000002", magic},
		{"bit map", "reaches beyond the end", capsuleOf(0xffffffff, nil)},
		{"more records than bytes", "do not fit", capsuleOf(32, []uint32{0})},
		{"cut record", "cut off at offset 0x10", whole[:len(whole)-1]},
		{"cut prefix", "cut off", capsuleOf(1, []uint32{0}, []byte{0x11, 0x01})},
		{"length 0", "without length", capsuleOf(1, []uint32{0}, []byte{0, 0})},
		{"rest", "1 bytes follow the last record", append(whole[:len(whole):len(whole)], 0)},
	} {
		_, err := ParseCapsule(test.data)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestRenewCapsuleChangesWhatTheSASSImplies(t *testing.T) {
	plain, call, ret := uint16(0x7802), uint16(0x7943), uint16(0x7950)
	word := func(op uint16) []byte { return append(le.AppendUint16(nil, op), make([]byte, 14)...) }
	narrow := word(0x7306)
	narrow[9] = 0x0c
	code := slices.Concat(word(plain), word(call), word(0x7945), narrow, word(plain), word(plain), word(ret), word(plain))
	bssy, f2i := []byte{0x42, 0x08, 0x00, 0x06}, []byte{0x41, 0x12, 0x40, 0x0a}
	two, last := append([]byte{0x11, 0x01}, filled(0x01, 16)...), []byte{0xd0, 0x00}
	first := le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 7), capsuleFirstMagic|7), 0b0100011)
	first = slices.Concat(first, bssy, f2i, two, last)
	want := capsuleOf(7, []uint32{0b0000101}, []byte{0x42, 0x0a, 0x02, 0x0e}, f2i, two, []byte{0x42, 0x33, 0x00, 0x0e}, last)
	got, err := RenewCapsule(first, code)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if again, err := RenewCapsule(got, code); err != nil || &again[0] != &got[0] {
		t.Errorf("a later capsule is not returned as it is: %v", err)
	}
	if _, err := RenewCapsule(first[:len(first)-1], code); err == nil {
		t.Error("a capsule that is cut off is renewed")
	}
	if short, err := RenewCapsule(first, code[:16]); err != nil || len(short) != len(first)+4 {
		t.Errorf("a capsule of more code than there is: %d bytes, %v", len(short), err)
	}
}

func FuzzParseCapsule(f *testing.F) {
	for _, name := range []string{"vtables_constructor.bin", "barriers.bin"} {
		data, err := os.ReadFile(filepath.Join("testdata", "capsules", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCapsule(data)
		if err != nil {
			return
		}
		if len(c.Records) > len(data)/2 {
			t.Fatalf("%d records in %d bytes", len(c.Records), len(data))
		}
		next := int32(0)
		for i := range c.Records {
			r := &c.Records[i]
			if r.SASS < next || int(r.Off)+int(r.Size) > len(data) {
				t.Fatalf("record %d: %+v after SASS instruction %d", i, r, next)
			}
			next = r.SASS + r.Count
			if r.Count > 0 && c.At(int(r.SASS)) != r {
				t.Fatalf("record %d is not found by its instruction", i)
			}
		}
		if renewed, err := RenewCapsule(data, data); err != nil {
			t.Fatal(err)
		} else if r, err := ParseCapsule(renewed); err != nil || r.SASS != c.SASS || r.Instructions != c.Instructions || r.First {
			t.Fatalf("renewed: %+v for %+v: %v", r, c, err)
		}
		if int(next) > c.SASS {
			t.Fatalf("records reach SASS instruction %d of %d", next, c.SASS)
		}
	})
}
