package reloc

import "testing"

func TestByteLanesAddTheOldByteToTheWholeValue(t *testing.T) {
	data := []byte{0x82, 0x78, 0, 0, 0, 0, 0, 0}
	if err := Apply(77, data, 0, Values{S: 0x1234, REL: true}); err != nil {
		t.Fatal(err)
	}
	if data[0] != 0x12 || data[1] != 0x78 {
		t.Errorf("%#x, want 0x12 (of 0x1234 + 0x82)", data[:2])
	}
	data[0] = 0xff
	if err := Apply(77, data, 0, Values{S: 0x1234, REL: true}); err != nil {
		t.Fatal(err)
	}
	if data[0] != 0x13 {
		t.Errorf("%#x, want 0x13 (of 0x1234 + 0xff)", data[0])
	}
}
