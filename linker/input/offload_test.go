package input

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
)

// offloaded is an offloading binary with the code of one architecture, padded as clang pads it.
func offloaded(triple, name, code string) string {
	le := binary.LittleEndian
	const entry, strings, tail = 32, 72, 104
	b := append(make([]byte, tail), "arch\x00triple\x00"+name+"\x00"+triple+"\x00"...)
	copy(b, "\x10\xff\x10\xad\x01")
	for i, v := range []uint64{2: entry, 3: 40, 5: strings, 6: 2, 7: uint64(len(b)), 8: uint64(len(code)),
		9: tail, 10: tail + 12, 11: tail + 5, 12: tail + 13 + uint64(len(name))} {
		if i > 1 && i != 4 {
			le.PutUint64(b[8*i:], v)
		}
	}
	b = append(b, code...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	le.PutUint64(b[8:], uint64(len(b)))
	return string(b)
}

const nvptx = "nvptx64-nvidia-cuda"

func clangObject(section string) []byte { return elfFile(62, elfSection(".llvm.offloading", section)) }

func elfSection(name, data string) section { return section{name, data} }

func TestCodeThatClangPackedIsLinkedUnderCulinksOwnName(t *testing.T) {
	sm80, sm90 := offloaded(nvptx, "sm_80", string(code(80, "eighty"))), offloaded(nvptx, "sm_90", string(code(90, "ninety")))
	files := map[string][]byte{
		"a.o":      clangObject(sm80 + sm90),
		"joined.o": clangObject(sm80 + offloaded(nvptx, "sm_80", string(code(80, "second")))),
		"amd.o":    clangObject(offloaded("amdgcn-amd-amdhsa", "gfx90a", "code")),
		"ninety.o": clangObject(sm90),
		"lto.o":    clangObject(offloaded(nvptx, "sm_80", "BC\xc0\xde bitcode")),
		"fat.o":    clangObject(offloaded(nvptx, "sm_80", container(t, code(80, "packed")))),
		"text.o":   clangObject(offloaded(nvptx, "sm_80", "something else")),
		"bad.o":    clangObject("something that is no offloading binary"),
		"lib.a":    archive("!<arch>\n", elfSection("m.o", string(clangObject(sm80)))),
	}
	for file, want := range map[string]outcome{
		"a.o":      {Modules: []string{"a.o=eighty"}},
		"joined.o": {Modules: []string{"joined.o=eighty", "joined.o=second"}},
		"amd.o":    {},
		"ninety.o": {Messages: []string{"warning: SM Arch ('sm_80') not found in 'ninety.o'"}},
		"lto.o":    {Failed: true, Messages: []string{"fatal: 'lto.o' holds code for link-time optimisation"}},
		"fat.o":    {Modules: []string{"fat.o=packed"}},
		"text.o":   {Failed: true, Messages: []string{"fatal: Input file 'text.o': what clang packed for sm_80 is no device code that can be linked"}},
		"bad.o":    {Failed: true, Messages: []string{"fatal: Input file 'bad.o': no offloading binary that can be read: at 0x0: no magic"}},
		"lib.a":    {Modules: []string{"lib.a:m.o=eighty"}},
	} {
		got, _ := load(t, Options{Dir: tree(t, files), Files: []string{file}, Target: arch.Arch{SM: 80}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

func TestNearestArchitectureOfClangsCodeIsTaken(t *testing.T) {
	both := clangObject(offloaded(nvptx, "sm_80", string(code(80, "eighty"))) + offloaded(nvptx, "sm_86", string(code(86, "eighty-six"))))
	for sm, want := range map[int]string{80: "eighty", 86: "eighty-six", 89: "eighty-six"} {
		got, _ := load(t, Options{Dir: tree(t, map[string][]byte{"a.o": both}), Files: []string{"a.o"}, Target: arch.Arch{SM: sm}})
		if diff := cmp.Diff([]string{"a.o=" + want}, got.Modules); diff != "" {
			t.Errorf("sm_%d: %v %s", sm, got.Messages, diff)
		}
	}
}

func TestReferenceDoesNotSeeCodeThatClangPacked(t *testing.T) {
	dir := tree(t, map[string][]byte{"a.o": clangObject(offloaded(nvptx, "sm_80", string(code(80, "eighty"))))})
	for warn, want := range map[bool]outcome{
		false: {},
		true:  {Messages: []string{"warning: code of 'a.o' is lost: its code is in clang's section .llvm.offloading"}},
	} {
		got, _ := load(t, Options{Dir: dir, Files: []string{"a.o"}, AsReference: true, Warn: warn})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("warn %v: %s", warn, diff)
		}
	}
}

func TestReleaseIsThatOfTheCodeThatClangPacked(t *testing.T) {
	dir := tree(t, map[string][]byte{"a.o": clangObject(offloaded(nvptx, "sm_80", string(oldCode(80, "old"))))})
	if r := FindRelease(Options{Dir: dir, Files: []string{"a.o"}}); !r.Found || r.Word != 124 {
		t.Errorf("%+v", r)
	}
}
