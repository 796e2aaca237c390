package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// capsuleFields finds the place of an operand in a capsule. Offsets of Mercury entries count in an expanded stream that
// is not in the file; the k-th entry against a symbol belongs to the k-th plain entry against the same symbol, and the
// plain one's SASS instruction tells the record (observed). Everything is read when the first operand is asked for.
type capsuleFields struct {
	in   *input
	part *part // the relocation section in both its forms
	data []byte

	read    bool
	err     error
	capsule *cubin.Capsule
	// mercury and plain are the entries of both forms, by symbol and offset.
	mercury, plain []codeEntry
}

// codeEntry is an entry of code: which symbol is used where.
type codeEntry struct {
	sym symID
	off uint64
}

func (a codeEntry) compare(b codeEntry) int {
	return cmp.Or(cmp.Compare(a.sym, b.sym), cmp.Compare(a.off, b.off))
}

// find returns the offset in the capsule of the operand, width bytes long, that a Mercury entry patches; ok is false if it
// is not there.
func (c *capsuleFields) find(sym symID, off, width uint64) (at uint64, ok bool, err error) {
	if !c.read {
		c.read = true
		c.err = c.open()
	}
	if c.err != nil {
		return 0, false, c.err
	}
	place, ok := c.partner(codeEntry{sym, off})
	if !ok {
		return 0, false, nil
	}
	r := c.capsule.At(int(min(place/16, uint64(c.capsule.SASS))))
	if r == nil || !r.Whole() {
		return 0, false, nil
	}
	at = uint64(r.Off) + 16*uint64(r.Units-1) + off%16
	if at+width > uint64(r.Off+r.Size) {
		return 0, false, fmt.Errorf("its operand reaches beyond the instruction of the capsule at %#x", r.Off)
	}
	return at, true, nil
}

// partner returns the plain offset that belongs to a Mercury entry. Unless both forms have equally many entries against
// the symbol none does.
func (c *capsuleFields) partner(e codeEntry) (off uint64, ok bool) {
	first := codeEntry{sym: e.sym}
	next := codeEntry{sym: e.sym + 1}
	group := func(all []codeEntry) []codeEntry {
		lo, _ := slices.BinarySearchFunc(all, first, codeEntry.compare)
		hi, _ := slices.BinarySearchFunc(all[lo:], next, codeEntry.compare)
		return all[lo : lo+hi]
	}
	merc, plain := group(c.mercury), group(c.plain)
	if len(merc) != len(plain) {
		return 0, false
	}
	k, found := slices.BinarySearchFunc(merc, e, codeEntry.compare)
	if !found {
		return 0, false
	}
	return plain[k].off, true
}

func (c *capsuleFields) open() error {
	var err error
	if c.capsule, err = cubin.ParseCapsule(c.data); err != nil {
		return err
	}
	c.mercury = codeEntries(c.in, c.part.Merc, c.in.Syms)
	c.plain = codeEntries(c.in, c.part.Sec, c.in.PlainSyms)
	return nil
}

// codeEntries lists the entries of a relocation section by symbol and offset, without those against section symbols.
func codeEntries(in *input, index int32, syms []symID) []codeEntry {
	if index == 0 {
		return nil
	}
	s := &in.File.Sections[index]
	out := make([]codeEntry, 0, s.NumRels())
	for i := range s.NumRels() {
		if r := s.RelAt(i); int(r.Sym) < len(syms) && syms[r.Sym] != 0 {
			out = append(out, codeEntry{syms[r.Sym], r.Offset})
		}
	}
	slices.SortFunc(out, codeEntry.compare)
	return out
}

// fieldWidth is the number of bytes that an entry of type t writes.
func fieldWidth(t reloc.Type) uint64 {
	d, ok := reloc.Lookup(t)
	if !ok {
		return 0
	}
	width := uint64(0)
	for _, a := range d.Actions {
		width = max(width, (uint64(a.Pos)+uint64(a.Width)+7)/8)
	}
	return width
}
