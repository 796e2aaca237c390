package reloc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// measured is one row of testdata/measured.tsv: what the reference linker did with an entry of this type against a
// constant in bank 3.
type measured struct {
	t       Type
	name    string
	outcome string
	moves   string // "[0,32)->[20,52)"
	set     string // bits of an all-zero place that value 0 sets
	cleared string // bits of an all-one place that value 0 clears
}

func readMeasured(t testing.TB) []measured {
	t.Helper()
	b, err := os.ReadFile("testdata/measured.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []measured
	for _, l := range strings.Split(strings.TrimRight(string(b), "\n"), "\n")[1:] {
		c := append(strings.Split(l, "\t"), "", "", "")
		n, err := strconv.ParseUint(c[0], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, measured{Type(n), c[1], c[2], c[3], c[4], c[5]})
	}
	return rows
}

func ones(n int) []byte { return bytes.Repeat([]byte{0xff}, n) }

// changed lists the bits in which a and b differ.
func changed(a, b []byte) []int {
	var out []int
	for i := range a {
		for x := a[i] ^ b[i]; x != 0; x &= x - 1 {
			out = append(out, 8*i+bits.TrailingZeros8(x))
		}
	}
	return out
}

// ranges writes bits as the measurement does: "[26,27), [28,42)".
func ranges(bit []int) string {
	var out []string
	for i := 0; i < len(bit); {
		j := i + 1
		for j < len(bit) && bit[j] == bit[j-1]+1 {
			j++
		}
		out = append(out, fmt.Sprintf("[%d,%d)", bit[i], bit[j-1]+1))
		i = j
	}
	return strings.Join(out, ", ")
}

func TestEveryTypeIsMeasuredOnce(t *testing.T) {
	rows := readMeasured(t)
	if len(rows) != CudaTypes+MercuryTypes {
		t.Fatalf("%d rows", len(rows))
	}
	seen := map[Type]bool{}
	for _, r := range rows {
		if seen[r.t] {
			t.Errorf("%#x twice", r.t)
		}
		seen[r.t] = true
		if r.t.Name() != r.name {
			t.Errorf("%#x is %s, want %s", r.t, r.t.Name(), r.name)
		}
		if Loader(r.t) != (r.outcome == "kept") {
			t.Errorf("%s: Loader = %v, measured %q", r.name, Loader(r.t), r.outcome)
		}
	}
}

func TestAppliedTypesWriteTheMeasuredBits(t *testing.T) {
	for _, r := range readMeasured(t) {
		t.Run(r.name, func(t *testing.T) {
			data := make([]byte, 16)
			err := Apply(r.t, data, 0, Values{Bank: 3})
			switch {
			case r.outcome == "kept":
				if !errors.Is(err, ErrLeftToLoader) {
					t.Fatalf("err = %v", err)
				}
				return
			case r.outcome == "refused":
				if err == nil && !r.t.Of(ClassPCRelative) { // refused for its symbol, which only the caller knows
					t.Fatal("applied")
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			if r.t.Of(ClassClear) { // measured against a symbol that is there: nothing is cleared, and the caller does not apply it
				return
			}
			var set []string
			for _, b := range changed(make([]byte, 16), data) {
				set = append(set, strconv.Itoa(b))
			}
			if got := "[" + strings.Join(set, ", ") + "]"; got != r.set {
				t.Errorf("sets %s, measured %s", got, r.set)
			}
			data = ones(16)
			if err := Apply(r.t, data, 0, Values{Bank: 3}); err != nil {
				t.Fatal(err)
			}
			if got := ranges(changed(ones(16), data)); got != r.cleared {
				t.Errorf("clears %s, measured %s", got, r.cleared)
			}
			move := map[int]int{}
			if r.moves != "" {
				var a, b, p, q int
				if _, err := fmt.Sscanf(r.moves, "[%d,%d)->[%d,%d)", &a, &b, &p, &q); err != nil || b-a != q-p {
					t.Fatalf("%q: %v", r.moves, err)
				}
				for i := range b - a {
					move[a+i] = p + i
				}
			}
			for i := range 64 {
				data := make([]byte, 16)
				if err := Apply(r.t, data, 0, Values{S: 1 << i}); err != nil {
					t.Fatal(err)
				}
				var want []int
				if p, ok := move[i]; ok {
					want = []int{p}
				}
				if d := cmp.Diff(want, changed(make([]byte, 16), data)); d != "" {
					t.Errorf("value bit %d: %s", i, d)
				}
			}
		})
	}
}

// all calls f for each row of both tables.
func all(f func(Type, *Descriptor)) {
	for i := range cudaTable {
		f(Type(i), &cudaTable[i])
	}
	for i := range mercuryTable {
		f(MercuryBase+Type(i), &mercuryTable[i])
	}
}

func TestEveryRowRoundTripsItsFields(t *testing.T) {
	all(func(typ Type, d *Descriptor) {
		row := *d
		row.Loader, row.Class = false, ClassAbsolute // the fields of rows that are never applied round-trip too
		data := ones(24)
		if err := row.Apply(data, 3, Values{S: 0x0123456789abcdef, Bank: 0x15}); err != nil {
			t.Fatal(typ, err)
		}
		var want uint64
		var wantBank uint32
		var at uint8
		for _, a := range row.Actions {
			switch {
			case a.Op == OpEnd || a.Op == OpClear:
			case a.Op == OpPCRel:
				want = 0xffffffff89abcdef & mask(a.Width)
			case a.bank():
				wantBank = 0x15
			default:
				want |= 0x0123456789abcdef >> a.Shift & mask(a.Width) << at
				at += a.Width
			}
		}
		if got, err := row.Extract(data, 3); err != nil || got != want {
			t.Errorf("%s: value %#x, want %#x (%v)", d.Name, got, want, err)
		}
		if got, err := row.Bank(data, 3); err != nil || got != wantBank {
			t.Errorf("%s: bank %#x, want %#x (%v)", d.Name, got, wantBank, err)
		}
	})
}

func TestFieldsOfOneRowDoNotOverlap(t *testing.T) {
	all(func(_ Type, d *Descriptor) {
		var used [128]bool
		ended := false
		for _, a := range d.Actions {
			if a.Op == OpEnd {
				ended = true
				continue
			}
			if ended || a.Width == 0 || a.Width > 64 || int(a.Pos)+int(a.Width) > 128 {
				t.Errorf("%s: bad action %+v", d.Name, a)
				continue
			}
			for i := range a.Width {
				if used[a.Pos+i] {
					t.Errorf("%s: bit %d twice", d.Name, a.Pos+i)
				}
				used[a.Pos+i] = true
			}
		}
	})
}

func TestRELAddsTheOldField(t *testing.T) {
	low, _ := Lookup(43)
	high, _ := Lookup(44)
	data := make([]byte, 8)
	binary.LittleEndian.PutUint64(data, 5<<20|0x123)
	if err := low.Apply(data, 0, Values{S: 0xffffffff_00000010, REL: true}); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(data); got != 0x15<<20|0x123 {
		t.Errorf("low word %#x", got)
	}
	if err := high.Apply(data, 0, Values{S: 7 << 32, REL: true}); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(data); got != 0x1c<<20|0x123 {
		t.Errorf("the high word is added to the field without a carry: %#x", got)
	}
	data = ones(8) // so is the bank to its own
	if err := Apply(50, data, 0, Values{S: 8, Bank: 2, REL: true}); err != nil {
		t.Fatal(err)
	}
	d, _ := Lookup(50)
	if v, _ := d.Extract(data, 0); v != 1 {
		t.Errorf("field %#x", v)
	}
	if b, _ := d.Bank(data, 0); b != 1 {
		t.Errorf("bank %d, want 31 + 2 in 5 bits", b)
	}
}

func TestPCRelativeSubtractsThePlace(t *testing.T) {
	data := make([]byte, 8)
	if err := Apply(40, data, 0, Values{S: 0x100, A: ^uint64(0) - 7, P: 0x40}); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(data); got != 0xb8<<26 {
		t.Errorf("%#x", got)
	}
}

func TestExamplesOfTheSeedDocumentHold(t *testing.T) {
	for _, c := range []struct {
		word, s uint64
		want    []byte
	}{
		{0x7238, 0xffee, []byte{0x38, 0x72, 0xe0, 0xfe, 0x0f, 0, 0, 0}},
		{0x79b8, 0x90, []byte{0xb8, 0x79, 0, 9, 0, 0, 0, 0}},
	} {
		data := binary.LittleEndian.AppendUint64(nil, c.word)
		if err := Apply(42, data, 0, Values{S: c.s}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, data); d != "" {
			t.Error(d)
		}
	}
}

func TestClearZeroesItsField(t *testing.T) {
	for typ, n := range map[Type]int{UnusedClear32: 4, UnusedClear64: 8, MercuryUnusedClear64: 8} {
		data := ones(12)
		if err := Apply(typ, data, 2, Values{S: 1, A: 1}); err != nil {
			t.Fatal(err)
		}
		want := append(append(ones(2), make([]byte, n)...), ones(10-n)...)
		if d := cmp.Diff(want, data); d != "" {
			t.Error(typ.Name(), d)
		}
	}
}

func TestFieldMayEndWithTheSection(t *testing.T) {
	for typ, n := range map[Type]int{76: 1, 1: 4, 2: 8, 5: 8, 20: 6} {
		for size := range n {
			if err := Apply(typ, make([]byte, size), 0, Values{S: 1}); !errors.Is(err, ErrPastEnd) {
				t.Errorf("%s in %d bytes: %v", typ.Name(), size, err)
			}
		}
		if err := Apply(typ, make([]byte, n), 0, Values{S: 1}); err != nil {
			t.Errorf("%s in %d bytes: %v", typ.Name(), n, err)
		}
		if err := Apply(typ, make([]byte, 16), ^uint64(0), Values{}); !errors.Is(err, ErrPastEnd) {
			t.Errorf("%s: huge offset: %v", typ.Name(), err)
		}
	}
}

func TestUnknownTypesAreNamedErrors(t *testing.T) {
	for _, typ := range []Type{116, 0xffff, 0x10040, 0xffffffff} {
		err := Apply(typ, make([]byte, 16), 0, Values{})
		var e *Error
		if !errors.Is(err, ErrUnknownType) || !errors.As(err, &e) || e.Type != typ {
			t.Errorf("%#x: %v", typ, err)
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("%#x", uint32(typ))) {
			t.Errorf("%v does not name the number", err)
		}
	}
}

func TestUnifiedTypesBecomePlainOnes(t *testing.T) {
	want := map[Type]string{
		102: "R_CUDA_64", 103: "R_CUDA_32", 112: "R_CUDA_ABS32_LO_32", 113: "R_CUDA_ABS32_HI_32",
		0x10032: "R_MERCURY_ABS64", 0x10033: "R_MERCURY_ABS32", 0x1003e: "R_MERCURY_ABS32_LO", 0x1003f: "R_MERCURY_ABS32_HI",
	}
	for i := range Type(8) {
		want[104+i] = fmt.Sprintf("R_CUDA_8_%d", 8*i)
		want[0x10034+i] = fmt.Sprintf("R_MERCURY_8_%d", 8*i)
	}
	all(func(typ Type, d *Descriptor) {
		name, ok := want[typ]
		if !ok {
			name = d.Name
		}
		if got := Plain(typ).Name(); got != name {
			t.Errorf("%s becomes %s, want %s", d.Name, got, name)
		}
		if p, _ := Lookup(Plain(typ)); ok && !p.Loader && !d.Loader {
			for i, a := range d.Actions {
				if b := p.Actions[i]; a.Pos != b.Pos || a.Width != b.Width || a.Shift != b.Shift {
					t.Errorf("%s writes %+v, %s %+v", d.Name, a, name, b)
				}
			}
		}
	})
	for _, typ := range []Type{114, 116, 0x10040, 0xffffffff} {
		if Plain(typ) != typ {
			t.Errorf("%#x changes", typ)
		}
	}
}

func TestActionSectionIsTheReferences(t *testing.T) {
	want := []byte{0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 5, 0x36}
	if d := cmp.Diff(want, ActionSection()); d != "" {
		t.Error(d)
	}
}

func TestApplyDoesNotAllocate(t *testing.T) {
	data := make([]byte, 16)
	if n := testing.AllocsPerRun(100, func() {
		if err := Apply(24, data, 0, Values{S: 0x48, Bank: 19}); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzApply(f *testing.F) {
	f.Add(uint32(24), make([]byte, 16), uint64(4), uint64(0x48), uint64(1), uint32(19), true)
	f.Add(uint32(0x1003d), make([]byte, 7), uint64(7), uint64(0), uint64(0), uint32(0), false)
	f.Add(uint32(40), ones(8), uint64(0), ^uint64(0), uint64(3), uint32(0), false)
	f.Fuzz(func(t *testing.T, typ uint32, data []byte, off, s, a uint64, bank uint32, rel bool) {
		before := bytes.Clone(data)
		err := Apply(Type(typ), data, off, Values{S: s, A: a, P: off, Bank: bank, REL: rel})
		d, known := Lookup(Type(typ))
		if known != (err == nil || !errors.Is(err, ErrUnknownType)) {
			t.Fatalf("known %v, err %v", known, err)
		}
		if err != nil {
			if !bytes.Equal(before, data) {
				t.Fatal("an error left bytes behind")
			}
			return
		}
		allowed := map[int]bool{}
		for _, act := range d.Actions {
			for i := range int(act.Width) {
				allowed[int(off)*8+int(act.Pos)+i] = true
			}
		}
		for _, b := range changed(before, data) {
			if !allowed[b] {
				t.Fatalf("%s changed bit %d outside its fields", d.Name, b)
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	data := make([]byte, 4096)
	for i := range b.N {
		if err := Apply(50, data, uint64(i)&0xff0, Values{S: uint64(i), Bank: 3}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTypesThatCallForADescriptorWriteAnOffset(t *testing.T) {
	n := 0
	all(func(typ Type, d *Descriptor) {
		if !Bindless(typ) {
			return
		}
		n++
		if d.Loader || d.Actions[0].Shift > 2 || (d.Class != ClassAbsolute && d.Class != ClassConstant && d.Class != ClassBindless) {
			t.Errorf("%s: %+v", d.Name, d)
		}
	})
	if n != 25 {
		t.Errorf("%d types, 25 were observed", n)
	}
}
