package hostobj

import (
	"encoding/binary"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

// TestReadTakesELF32: the sections of a 32-bit host object are found like those of a 64-bit one.
func TestReadTakesELF32(t *testing.T) {
	f := cubintest.New(80, 7)
	for _, s := range []struct{ name, data string }{{secSegment, "r"}, {secRelocFat, "container"}, {secModuleID, "_id_a\x00"}} {
		f.AddSection(cubintest.Section{Name: s.name, Type: cubin.SHTProgbits, Align: 8, Data: []byte(s.data)})
	}
	wide := f.Encode()
	file, err := cubin.Parse(wide)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{wide, cubintest.Narrow(file)} {
		binary.LittleEndian.PutUint16(data[offMachine:], 3)
		h, err := ReadFile(data)
		if err != nil {
			t.Fatal(err)
		}
		o, err := h.Object()
		if err != nil {
			t.Fatal(err)
		}
		if h.Is64() != (data[4] == class64) || o.Machine != 3 || !o.Segment || string(o.Fatbin) != "container" || len(o.ModuleIDs) != 1 || o.ModuleIDs[0] != "_id_a" {
			t.Errorf("class %d: %+v", data[4], o)
		}
	}
}
