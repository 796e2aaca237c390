package hostobj

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type sec struct {
	name string
	typ  uint32
	data string
}

// object is an ET_REL file with the given sections.
func object(secs ...sec) []byte {
	names := []byte{0}
	body := make([]byte, elfHeaderSize)
	var headers []byte
	le := binary.LittleEndian
	put := func(name string, typ uint32, data []byte) {
		h := make([]byte, sectionHeaderSize)
		if name != "" {
			le.PutUint32(h, uint32(len(names)))
			names = append(append(names, name...), 0)
		}
		le.PutUint32(h[4:], typ)
		le.PutUint64(h[24:], uint64(len(body)))
		le.PutUint64(h[32:], uint64(len(data)))
		body = append(body, data...)
		headers = append(headers, h...)
	}
	put("", 0, nil)
	for _, s := range secs {
		put(s.name, s.typ, []byte(s.data))
	}
	names = append(names, ".shstrtab\x00"...)
	h := make([]byte, sectionHeaderSize)
	le.PutUint32(h, uint32(len(names)-10))
	le.PutUint32(h[4:], shtStrtab)
	le.PutUint64(h[24:], uint64(len(body)))
	le.PutUint64(h[32:], uint64(len(names)))
	body = append(body, names...)
	headers = append(headers, h...)
	copy(body, "\x7fELF\x02\x01\x01")
	le.PutUint16(body[offType:], etRel)
	le.PutUint16(body[offMachine:], 62)
	le.PutUint64(body[offShoff:], uint64(len(body)))
	le.PutUint16(body[offShentsize:], sectionHeaderSize)
	le.PutUint16(body[offShnum:], uint16(len(secs)+2))
	le.PutUint16(body[offShstrndx:], uint16(len(secs)+1))
	return append(body, headers...)
}

func progbits(name, data string) sec { return sec{name, shtProgbits, data} }

var sixRefs = []sec{
	progbits(".nvHRKE", "_Z2k1*\x00kc\x00"), progbits(".nvHRKI", "\x00"),
	progbits(".nvHRDE", "v\x00"), progbits(".nvHRDI", "\x00"),
	progbits(".nvHRCE", "\x00"), progbits(".nvHRCI", "c*\x00"),
}

func TestReadFindsDeviceCode(t *testing.T) {
	refs := Refs{KernelsExternal: []string{"_Z2k1*", "kc"}, DeviceExternal: []string{"v"}, ConstantInternal: []string{"c*"}, Complete: true}
	for _, test := range []struct {
		name string
		secs []sec
		want Object
	}{
		{"host only", []sec{progbits(".text", "x")}, Object{}},
		{"rdc", append([]sec{progbits(".nvFatBinSegment", "r"), progbits("__nv_relfatbin", "F"), progbits("__nv_module_id", "_1_a\x00")}, sixRefs...),
			Object{Segment: true, Relocatable: true, Fatbin: []byte("F"), ModuleIDs: []string{"_1_a"}, HasModuleIDs: true, Refs: refs}},
		{"whole program", []sec{progbits(".nvFatBinSegment", "r"), progbits(".nv_fatbin", "F")}, Object{Segment: true, Linked: true, LinkedFatbin: []byte("F")}},
		{"two identifiers with zeros between", []sec{progbits("__nv_module_id", "_1_a\x00\x00\x00_2_b\x00")}, Object{ModuleIDs: []string{"_1_a", "_2_b"}, HasModuleIDs: true}},
		{"one list of references is missing", sixRefs[1:], Object{Refs: Refs{DeviceExternal: []string{"v"}, ConstantInternal: []string{"c*"}}}},
		{"an empty pattern of ld -r", append([]sec{progbits(".nvHRKE", "\x00\x00")}, sixRefs[1:]...),
			Object{Refs: Refs{DeviceExternal: []string{"v"}, ConstantInternal: []string{"c*"}, Complete: true, EmptyKernelPattern: true}}},
		{"the first section of a name counts", []sec{progbits("__nv_relfatbin", "1"), progbits("__nv_relfatbin", "2")}, Object{Relocatable: true, Fatbin: []byte("1")}},
		{"a section without bytes", []sec{{"__nv_relfatbin", shtNobits, "x"}}, Object{Relocatable: true}},
		{"names are compared whole", []sec{progbits("__nv_relfatbin2", "1"), progbits(".x__nv_relfatbin", "2")}, Object{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read(object(test.secs...))
			if err != nil {
				t.Fatal(err)
			}
			test.want.Machine = 62
			if diff := cmp.Diff(&test.want, got); diff != "" {
				// A section name that ends with another is one text with it in some tables; ours has none such.
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefusesUnsoundFiles(t *testing.T) {
	good := object(progbits("__nv_relfatbin", "F"))
	edit := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[at] = v
		return b
	}
	shoff := int(binary.LittleEndian.Uint64(good[offShoff:]))
	for _, test := range []struct {
		name string
		data []byte
		want error
	}{
		{"class 32", edit(4, 1), ErrUnsound},
		{"big-endian", edit(5, 2), ErrUnsound},
		{"e_shentsize", edit(offShentsize, 40), ErrUnsound},
		{"section table beyond the end", edit(offShoff+3, 1), ErrUnsound},
		{"section table at the end of the address space", edit(offShoff+7, 0xff), ErrUnsound},
		{"more sections than bytes", edit(offShnum+1, 1), ErrUnsound},
		{"name table out of range", edit(offShstrndx, 9), ErrUnsound},
		{"truncated", good[:len(good)-1], ErrUnsound},
		{"truncated header", good[:40], ErrUnsound},
		{"fatbin beyond the end", edit(shoff+64+24+6, 1), ErrUnsound},
		{"fatbin whose end overflows", edit(shoff+64+32+7, 0xff), ErrUnsound},
		{"executable", edit(offType, 2), ErrNotRelocatable},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Read(test.data); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
}

func TestReadUnderstandsMoreSectionsThanTheHeaderCanSay(t *testing.T) {
	b := object(progbits("__nv_relfatbin", "F"))
	le := binary.LittleEndian
	first := b[le.Uint64(b[offShoff:]):]
	le.PutUint64(first[32:], uint64(le.Uint16(b[offShnum:])))
	le.PutUint32(first[40:], uint32(le.Uint16(b[offShstrndx:])))
	le.PutUint16(b[offShnum:], 0)
	le.PutUint16(b[offShstrndx:], shnXindex)
	o, err := Read(b)
	if err != nil || string(o.Fatbin) != "F" {
		t.Errorf("%+v, %v", o, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(object(append([]sec{progbits(".nvFatBinSegment", "r"), progbits("__nv_relfatbin", "F"), progbits("__nv_module_id", "_1_a\x00")}, sixRefs...)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ReadFile(data)
		if err != nil {
			return
		}
		sound := file.Sound(func(uint32) bool { return false }) == nil
		o, err := file.Object()
		if err != nil {
			if sound {
				t.Fatalf("%v in a sound file", err)
			}
			return
		}
		if len(o.Fatbin) > len(data) || !bytes.Contains(data, o.Fatbin) {
			t.Fatalf("%d bytes of %d", len(o.Fatbin), len(data))
		}
		if !bytes.Equal(o.Fatbin, file.Section("__nv_relfatbin")) {
			t.Fatal("the section is another one by its name")
		}
		held := 0
		for _, list := range [][]string{o.ModuleIDs, o.Refs.KernelsExternal, o.Refs.KernelsInternal, o.Refs.DeviceExternal, o.Refs.DeviceInternal, o.Refs.ConstantExternal, o.Refs.ConstantInternal} {
			for _, text := range list {
				if held += len(text) + 1; text == "" {
					t.Fatal("an empty text")
				}
			}
		}
		if held > 7*len(data)+7 {
			t.Fatalf("texts of %d bytes in a file of %d", held, len(data))
		}
	})
}
