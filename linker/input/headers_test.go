package input

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// What is told apart in headers, whatever the entry of a container says of its cubin (observed with 12.4.131 and 13.0.88).
func TestHeadersDecideWhichCodeIsTaken(t *testing.T) {
	old := func(osABI byte, flags uint32) []byte {
		b := oldCode(80, "O")
		b[7] = osABI
		binary.LittleEndian.PutUint32(b[48:], flags)
		return b
	}
	const old80 = 0x500550
	extensible := func(b []byte) []byte {
		binary.LittleEndian.PutUint16(b[16:], cubin.ETExtensible)
		return b
	}
	in := func(sm uint32, code []byte) []byte {
		c := []byte(container(t, code))
		const number = 16 + 28
		binary.LittleEndian.PutUint32(c[number:], sm)
		return c
	}
	mismatch := func(file, target string) string {
		return fmt.Sprintf("fatal: Input file '%s' arch does not match target '%s'", file, target)
	}
	limited := func(file string) string {
		return "warning: Output is limited to run on SM Arch '100' only due to limitations in input file " + file
	}
	no64 := func(file string) string {
		return fmt.Sprintf("warning: expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", file)
	}
	for _, test := range []struct {
		name, file string
		data       []byte
		target     int
		toolkit    *arch.Toolkit
		want       []string
	}{
		{"any other EI_OSABI stands for ABI 7", "a.cubin", old(0, old80), 80, arch.CUDA130(), nil},
		{"EI_OSABI of ABI 8 with the version of ABI 7", "a.cubin", old(0x41, old80), 80, arch.CUDA130(), []string{"fatal: Input file 'a.cubin' abi does not match"}},
		{"12.4 does not look at EI_OSABI", "a.cubin", old(0x41, old80), 80, arch.CUDA124(), nil},
		{"a bit of unknown meaning", "a.cubin", old(0x33, old80|1<<31), 80, arch.CUDA130(), []string{"fatal: Input file 'a.cubin' abi does not match"}},
		{"12.4 does not look at that bit", "a.cubin", old(0x33, old80|1<<31), 80, arch.CUDA124(), nil},
		{"an extensible whole program of the release", "a.cubin", extensible(old(0x33, old80)), 80, arch.CUDA124(), nil},
		{"an extensible whole program of an older release", "a.cubin", extensible(old(0x33, old80)), 80, arch.CUDA130(),
			[]string{"fatal: linking with -ewp objects requires using current toolkit"}},
		{"an unknown number", "a.cubin", old(0x33, 0x500504), 80, arch.CUDA124(), []string{mismatch("a.cubin", "sm_80")}},
		{"number 0", "a.cubin", old(0x33, 0x500500), 80, arch.CUDA130(), []string{"fatal: Unknown arch name 'sm_0'"}},
		{"number 0 for a Mercury target", "a.cubin", old(0x33, 0x500500), 100, arch.CUDA130(), []string{limited("a.cubin"), "fatal: Unknown arch name 'sm_0'"}},
		{"a high number without Mercury", "a.cubin", code(150, "N"), 100, arch.CUDA130(), []string{limited("a.cubin"), mismatch("a.cubin", "sm_100")}},
		{"an entry that names another number", "a.fatbin", in(80, code(90, "N")), 80, arch.CUDA130(), []string{mismatch("a.fatbin", "sm_80")}},
		{"an entry of CUDA 13 in 12.4", "a.fatbin", in(80, code(80, "N")), 80, arch.CUDA124(), []string{no64("a.fatbin"), mismatch("a.fatbin", "sm_80")}},
	} {
		dir := tree(t, map[string][]byte{test.file: test.data})
		got, _ := load(t, Options{Dir: dir, Files: []string{test.file}, Target: arch.Arch{SM: test.target}, Toolkit: test.toolkit, AsReference: true})
		if diff := cmp.Diff(test.want, got.Messages); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func newerCode(name string, word uint16) []byte {
	note := make([]byte, cuinfoVersionAt+2)
	binary.LittleEndian.PutUint16(note[cuinfoVersionAt:], word)
	b := elfFile(190, section{".text", name}, section{".note.nv.cuinfo", string(note)})
	b[7], b[8] = 0x41, 8
	binary.LittleEndian.PutUint32(b[48:], 80<<8|4)
	return b
}

func TestInputsOfReleasesThatAreNotKnownAreLinkedWithOneWarningWhereTheReferenceRefuses(t *testing.T) {
	dir := tree(t, map[string][]byte{"known.cubin": newerCode("known", 130), "a.cubin": newerCode("a", 135), "b.cubin": newerCode("b", 134)})
	o := Options{Dir: dir, Files: []string{"known.cubin", "a.cubin", "b.cubin"}, AsReference: true, Toolkit: arch.CUDA130()}
	refused, _ := load(t, o)
	if want := []string{"fatal: Input file 'a.cubin' newer than toolkit (135 vs 130)"}; !refused.Failed || !slices.Equal(refused.Messages, want) {
		t.Errorf("%q, want %q", refused.Messages, want)
	}
	o.AcceptNewer = true
	linked, _ := load(t, o)
	if want := []string{"warning: Input file 'a.cubin' newer than toolkit (135 vs 130), linked as the latter would"}; !slices.Equal(linked.Messages, want) {
		t.Errorf("%q, want %q", linked.Messages, want)
	}
	if want := []string{"known.cubin=known", "a.cubin=a", "b.cubin=b"}; !slices.Equal(linked.Modules, want) {
		t.Errorf("%q, want %q", linked.Modules, want)
	}
}

func TestObjectsOfABI7HaveNoReleasesBeyondTheKnownOnes(t *testing.T) {
	b := oldCode(80, "a")
	binary.LittleEndian.PutUint32(b[20:], 131)
	got, _ := load(t, Options{Dir: tree(t, map[string][]byte{"a.cubin": b}), Files: []string{"a.cubin"}, AcceptNewer: true})
	if want := []string{"fatal: Input file 'a.cubin' newer than toolkit (131 vs 130)"}; !slices.Equal(got.Messages, want) {
		t.Errorf("%q, want %q", got.Messages, want)
	}
}

func TestReleasesThatUnpackZstdAreChosenForCodePackedWithIt(t *testing.T) {
	dir := tree(t, map[string][]byte{
		"plain.fatbin":  []byte(container(t, oldCode(80, "a"))),
		"packed.fatbin": packedContainer(t, oldCode(80, "b")),
		"packed.a":      archive(ordinary, section{"b.o", string(host(string(packedContainer(t, oldCode(80, "b"))), "_id_b", ""))}),
	})
	for file, want := range map[string]bool{"plain.fatbin": false, "packed.fatbin": true, "packed.a": true} {
		if got := FindRelease(Options{Dir: dir, cwd: dir, Files: []string{file}}); !got.Found || got.Zstd != want {
			t.Errorf("%s: %+v", file, got)
		}
	}
}
