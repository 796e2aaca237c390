package link

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin/cubintest"
)

// TestUsersOfReservedSharedMemoryAreNamedWithoutIt has the reference's lists for these programs (observed with sm_80, 13.0).
func TestUsersOfReservedSharedMemoryAreNamedWithoutIt(t *testing.T) {
	reserves := func(f cubintest.Function) cubintest.Function {
		f.Attributes = cubintest.Words(0x4101) // RESERVED_SMEM_USED, without a value
		return f
	}
	one := func(f cubintest.Function) program { return program{Functions: functions{f}} }
	f1, f2, f3 := one(reserves(fn("f1", global, 8))), one(reserves(fn("f2", global, 8))), one(reserves(fn("f3", global, 8)))
	o1, o2 := one(reserves(kernel("o1"))), one(reserves(kernel("o2")))
	k1, k2, k12 := one(kernel("k1", "f1")), one(kernel("k2", "f2")), one(kernel("k12", "f1", "f2"))
	kg, g1 := one(kernel("kg", "g1")), one(fn("g1", global, 8, "f1"))
	for _, test := range []struct {
		name     string
		opts     Options
		programs []program
		want     []string
	}{
		{"what entries take over comes first, the latest cause before the others", Options{}, []program{k1, k2, f1, f2}, []string{"k2", "k1", "f1", "f2"}},
		{"causes count, not callers", Options{}, []program{f2, f1, k1, k2}, []string{"k1", "k2", "f2", "f1"}},
		{"callers of one function in their order", Options{}, []program{k12, f1, f2, o1, k1}, []string{"k12", "k1", "f1", "f2", "o1"}},
		{"functions between take nothing over", Options{}, []program{f1, g1, kg, o1, k2, f2}, []string{"k2", "kg", "f1", "o1", "f2"}},
		{"a removed function has no name", Options{}, []program{f1, o1, k1, o2, k2, f2, f3}, []string{"k2", "k1", "f1", "o1", "o2", "f2", "(null)"}},
		{"a relocatable link hands nothing on", Options{Relocatable: true}, []program{f3, k1, f1}, []string{"f3", "f1"}},
		{"12.4 takes it", Options{Toolkit: 124}, []program{k1, f1}, nil},
	} {
		test.opts.SM, test.opts.DisableSmemReserve = 80, true
		if test.opts.Toolkit == 0 {
			test.opts.Toolkit = 130
		}
		l, _ := linkUpTo(t, "write", test.opts, test.programs...)
		var want []string
		for _, name := range test.want {
			want = append(want, "Function '"+name+"' uses reserved shared memory when not allowed.")
		}
		if d := cmp.Diff(want, texts(l.Diag)); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
		if failed := l.result.Image == nil; failed != (test.want != nil) {
			t.Errorf("%s: an image %t", test.name, !failed)
		}
	}
}

func TestSharedSectionsOfTheSystemsBytesAloneHaveNoSymbol(t *testing.T) {
	for _, test := range []struct {
		disabled bool
		size     uint64
		want     bool
	}{
		{false, 0x400, false},
		{false, 0x404, true},
		{true, 0x400, true}, // all of it is the kernel's
	} {
		l := &link{Mercury: true, Options: Options{SM: 100, DisableSmemReserve: test.disabled}}
		l.imitate()
		s := &section{ID: 1, Kind: kindSharedEntry, Size: test.size}
		if got := l.hasSectionSymbol(s); got != test.want {
			t.Errorf("%#x bytes, reservation disabled %t: symbol %t, want %t", test.size, test.disabled, got, test.want)
		}
	}
}
