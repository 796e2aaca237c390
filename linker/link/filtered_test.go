package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/google/go-cmp/cmp"
)

func TestRejectedKernelsCountForTheirOwnCodeAlone(t *testing.T) {
	// Kernels 1 (an entry) and 2, 3 (rejected), function 4.
	l := &link{Secs: []*section{{}, {Kernel: true}, {Kernel: true}, {Kernel: true}, {}}}
	l.Funcs = []function{{}, {Text: 1, Entry: true}, {Text: 2}, {Text: 3}, {Text: 4}}
	l.Entries = []funcID{1}
	entries := []funcID{1}
	got := l.withRejected(entries, []funcID{1, 2, 4, 2, 3})
	if diff := cmp.Diff([]funcID{1, 2, 3}, got); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]funcID{1}, entries); diff != "" {
		t.Errorf("the list of entries changed (-want +got):\n%s", diff)
	}
}

func TestTheFunctionThatOwnsTheCodeComesWithItsAlias(t *testing.T) {
	const text, other = 1, 2
	fn := func(name string, section uint32) cubin.Symbol {
		return cubin.Symbol{Name: name, Info: uint8(cubin.STBGlobal)<<4 | uint8(cubin.STTFunc), Shndx: section}
	}
	view := []cubin.Symbol{{}, fn("alias", text), fn("f", other), fn("owner", text), fn("undefined", cubin.SHNUndef)}
	owner := func(number uint32) *input {
		return &input{File: &cubin.File{Sections: []cubin.Section{{}, {Info: 0x18<<24 | number}, {Info: 2}}}}
	}
	for _, c := range []struct {
		name   string
		number uint32 // that sh_info names
		symbol int
		want   int
	}{
		{"behind the alias", 3, 1, 3},
		{"the owner itself", 3, 3, 0},
		{"in front of the symbol", 1, 3, 0},
		{"of other code", 2, 1, 0},
		{"no symbol of the table", 9, 1, 0},
		{"an undefined function", 3, 4, 0},
	} {
		if got := owner(c.number).ownerFirst(view, c.symbol); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestRecordsAreTheSameInAnyOrder(t *testing.T) {
	a := nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.NumBarriers, Field: 2}
	b := nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.CrsStackSize, Payload: []byte{4, 0, 0, 0}}
	c := nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.CrsStackSize, Payload: []byte{8, 0, 0, 0}}
	section := func(records ...nvinfo.Record) []byte {
		var out []byte
		for _, r := range records {
			out = r.Append(out)
		}
		return out
	}
	if !sameRecords(section(a, b), section(b, a)) {
		t.Error("order counts")
	}
	if sameRecords(section(a, b), section(a, c)) || sameRecords(section(a), section(a, a)) {
		t.Error("other records pass for the same")
	}
	if cut := section(b)[:6]; sameRecords(cut, cut) {
		t.Error("a damaged section is compared")
	}
}
