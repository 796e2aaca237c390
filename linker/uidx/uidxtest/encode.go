// Package uidxtest makes index files for tests.
package uidxtest

import (
	"encoding/binary"

	"github.com/culink/culink/linker/uidx"
)

// Encode is an index file of a version with extra zero bytes at its end.
func Encode(version uint32, functions, variables uidx.Table, extra int) []byte {
	le := binary.LittleEndian
	b := []byte("\x7fUFTINDX")
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, 0)
	for _, t := range []uidx.Table{functions, variables} {
		b = le.AppendUint64(le.AppendUint64(b, t.Window), uint64(len(t.Records)))
	}
	for _, t := range []uidx.Table{functions, variables} {
		for _, r := range t.Records {
			for _, w := range []uint64{r.ID[0], r.ID[1], r.Offset} {
				b = le.AppendUint64(b, w)
			}
		}
	}
	return append(b, make([]byte, extra)...)
}
