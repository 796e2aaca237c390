package input

import "testing"

// Only where no input has relocatable code does other code say which release the image, an empty one, is for: code of CUDA 12
// stands beside it, and its drivers do not read the images of CUDA 13.
func TestLinkedCodeSaysTheReleaseWhereNothingElseDoes(t *testing.T) {
	whole := func(code []byte) []byte {
		return elfFile(62, section{".nvFatBinSegment", "s"}, section{".nv_fatbin", container(t, code)})
	}
	dir := tree(t, map[string][]byte{
		"old.o": whole(oldCode(80, "old")), "new.o": whole(code(80, "new")), "rdc.o": host(container(t, code(80, "rdc")), "_id", ""), "host.o": elfFile(62),
		"old.a": archive(ordinary, section{"h.o", string(elfFile(62))}, section{"o.o", string(whole(oldCode(80, "old")))}),
	})
	for _, test := range []struct {
		files       []string
		found, abi8 bool
	}{
		{[]string{"old.o"}, true, false},
		{[]string{"new.o"}, true, true},
		{[]string{"old.o", "rdc.o"}, true, true},
		{[]string{"host.o"}, false, false},
		{[]string{"host.o", "old.a"}, true, false},
	} {
		if got := FindRelease(Options{Dir: dir, Files: test.files}); got.Found != test.found || got.ABI8 != test.abi8 {
			t.Errorf("%q: %+v", test.files, got)
		}
	}
}
