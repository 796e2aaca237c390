package inspect

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

// capsuleFile has one function whose second instruction, an opcode alone, stands for count SASS instructions.
func capsuleFile(t *testing.T, count byte) *cubin.File {
	t.Helper()
	f := cubintest.New(100, 8)
	text := f.AddSection(cubintest.Section{Name: ".text.k", Type: cubin.SHTProgbits, Align: 128, Data: make([]byte, 256)})
	capsule := []byte{byte(text), 0, 0, 0, 1, 0, 0, 0xc0, 3, 0, 0, 0, 0b001, 0, 0, 0,
		0x11 | count<<7, count >> 1, 0x41, 0x49, 0x10, 0x0a, 0x50, 0x03}
	f.AddSection(cubintest.Section{Name: ".nv.capmerc.text.k", Type: cubin.SHTCudaCapsule, Flags: cubin.SHFMercury, Align: 16, Data: capsule})
	return parse(t, f.Encode())
}

func TestCapsulesAreShownRecordByRecord(t *testing.T) {
	im := Describe(capsuleFile(t, 9))
	want := []Capsule{{Section: ".nv.capmerc.text.k", Text: ".text.k", Instructions: 3, SASS: 16, Records: []CapsuleRecord{
		{Offset: 0x10, Count: 9, Units: 1, Bytes: "41 49 10 0a"}, {Offset: 0xa0, Count: 6, Units: 0}}}}
	if diff := cmp.Diff(want, im.Capsules); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var out bytes.Buffer
	if err := im.WriteText(&out); err != nil || !strings.Contains(out.String(), "41 49 10 0a") {
		t.Errorf("error %v, text:\n%s", err, out.String())
	}
}

func TestARecordOfACapsuleIsNamedInADifference(t *testing.T) {
	got := keys(Diff(capsuleFile(t, 9), capsuleFile(t, 4)))
	want := "capsule .nv.capmerc.text.k record 0x10"
	found := false
	for _, k := range got {
		found = found || k == want
	}
	if !found {
		t.Errorf("%q is not among %q", want, got)
	}
}

func TestADamagedCapsuleIsAProblemAndComparedByBytes(t *testing.T) {
	a, b := capsuleFile(t, 9), capsuleFile(t, 9)
	for i := range b.Sections {
		if s := &b.Sections[i]; s.Type == cubin.SHTCudaCapsule {
			s.Data[4] = 9
		}
	}
	if len(Describe(b).Problems) != 1 {
		t.Error("no problem is named")
	}
	if len(Diff(a, b)) == 0 {
		t.Error("no difference")
	}
}
