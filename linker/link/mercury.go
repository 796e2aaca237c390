package link

import "context"

// relocateMercury makes the twins' bytes and relocation entries.
func (l *Link) relocateMercury(ctx context.Context) error { return nil }

// finishMercury fills in what depends on final section numbers and offsets: capsule heads, reserved shared bytes.
func (l *Link) finishMercury(ctx context.Context) error { return nil }

// mercSymbol returns a symbol's fields in .nv.merc.symtab.
func (l *Link) mercSymbol(id SymID) (info, other uint8, value, size uint64) {
	s := &l.Syms[id]
	return s.Info, s.Other, s.Value, s.MercSize
}
