package link

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// TestCodeFindsTheTableOfDescriptorsBehindAllParameters is about code of -O0 and -G in independent texture mode, which adds a
// slot to the place of the table without a relocation entry.
func TestCodeFindsTheTableOfDescriptorsBehindAllParameters(t *testing.T) {
	load := func(register byte) []byte { // LDC R3, c[0][register + 0x390]
		code := make([]byte, 16)
		le.PutUint64(code, 0xb82|7<<12|3<<16|uint64(register)<<24|0x390<<38)
		le.PutUint64(code[8:], 0x001e320000000800)
		return code
	}
	for _, test := range []struct {
		name           string
		register, bank byte
		symbol         cubin.SymbolType
		want           uint64
	}{
		{"an index", 3, recordIndices, cubin.STTTexture, 0x3a0},
		{"a descriptor's own place", 0xff, recordIndices, cubin.STTTexture, 0x390},
		{"a parameter", 3, 0x40, cubin.STTTexture, 0x390},
		{"no textures", 3, recordIndices, cubin.STTObject, 0x390},
	} {
		capsule := le.AppendUint32(le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 9), 0xc0000001), 2), 0)
		record := make([]byte, 32)
		record[0], record[1], record[12], record[18] = 2, recordLoad, test.bank, 0x0a
		capsule = append(append(capsule, record...), 0x50, 0x00)
		text := &section{Kind: kindText, Data: load(test.register), MercData: capsule, Parts: []part{{Sec: 1, Merc: 2}}}
		l := &link{Mercury: true, Secs: []*section{nil, text}, table: bindlessTable{base: 0x3a0}}
		l.Inputs = []*input{{File: &cubin.File{MercSymbols: []cubin.Symbol{{}, {Info: uint8(test.symbol)}}}}}
		if err := l.placeDescriptorBases(); err != nil {
			t.Fatal(err)
		}
		if got := le.Uint64(text.Data) >> 38 & 0xffff; got != test.want {
			t.Errorf("%s: c[0][%#x], want %#x", test.name, got, test.want)
		}
	}
}
