package main

import (
	"bytes"
	"encoding/binary"
)

var le = binary.LittleEndian

// section is one section of a cubin under construction.
type section struct {
	name                 string
	typ                  uint32
	flags                uint64
	link, info           uint32
	align, entsize, size uint64
	data                 []byte
}

// symbol is one symbol of a cubin under construction.
type symbol struct {
	name        string
	info, other uint8
	shndx       uint16
	value, size uint64
}

// stringTable is a string table under construction.
type stringTable struct {
	buf bytes.Buffer
	at  map[string]uint32
}

func newStringTable() *stringTable {
	t := &stringTable{at: map[string]uint32{"": 0}}
	t.buf.WriteByte(0)
	return t
}

func (t *stringTable) add(s string) uint32 {
	if off, ok := t.at[s]; ok {
		return off
	}
	off := uint32(t.buf.Len())
	t.at[s] = off
	t.buf.WriteString(s)
	t.buf.WriteByte(0)
	return off
}

// encode lays out a relocatable sm_80 cubin in the dialect of CUDA 13. secs[0..3] are the null section, .shstrtab,
// .strtab and .symtab; cuinfo is the index of .note.nv.cuinfo.
func encode(secs []section, syms []symbol, strs *stringTable, locals, cuinfo int) []byte {
	var table []byte
	for _, y := range syms {
		b := make([]byte, 24)
		le.PutUint32(b, strs.add(y.name))
		b[4], b[5] = y.info, y.other
		le.PutUint16(b[6:], y.shndx)
		le.PutUint64(b[8:], y.value)
		le.PutUint64(b[16:], y.size)
		table = append(table, b...)
	}
	names := newStringTable()
	for i := range secs {
		names.add(secs[i].name)
	}
	secs[1].data, secs[2].data, secs[3].data = names.buf.Bytes(), strs.buf.Bytes(), table
	secs[3].info = uint32(locals)
	out := make([]byte, 64)
	headers := make([]byte, 64*len(secs))
	for i := range secs {
		s := &secs[i]
		if i == 0 {
			continue
		}
		for s.align > 1 && uint64(len(out))%s.align != 0 {
			out = append(out, 0)
		}
		h := headers[64*i:]
		le.PutUint32(h, names.at[s.name])
		le.PutUint32(h[4:], s.typ)
		le.PutUint64(h[8:], s.flags)
		le.PutUint64(h[24:], uint64(len(out)))
		le.PutUint64(h[32:], uint64(len(s.data)))
		le.PutUint32(h[40:], s.link)
		le.PutUint32(h[44:], s.info)
		le.PutUint64(h[48:], s.align)
		le.PutUint64(h[56:], s.entsize)
		out = append(out, s.data...)
	}
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	copy(out, "\x7fELF\x02\x01\x01\x41\x08")
	le.PutUint16(out[16:], 1)
	le.PutUint16(out[18:], 190)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint32(out[48:], uint32(cuinfo)<<24|80<<8|4)
	le.PutUint16(out[52:], 64)
	le.PutUint16(out[58:], 64)
	le.PutUint16(out[60:], uint16(len(secs)))
	le.PutUint16(out[62:], 1)
	return append(out, headers...)
}
