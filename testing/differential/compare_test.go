package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

func TestOutcomesAreComparedByImageTextAndExitCode(t *testing.T) {
	for _, tc := range []struct {
		name      string
		want, got outcome
		verdict   verdict
		key       string
	}{
		{"alike", outcome{text: "x", image: []byte("i")}, outcome{text: "x", image: []byte("i")}, same, ""},
		{"both fail alike", outcome{code: 255, text: "e"}, outcome{code: 255, text: "e"}, same, ""},
		{"exit codes", outcome{code: 255, text: "a\nerror f3"}, outcome{text: "a\n"}, differs, "exit code 0 for 255:  | error f*"},
		{"texts", outcome{text: "used 3 of _ZN2ns2k1Ej\n"}, outcome{text: "used 4 of _ZN2ns2k1Ej\n"}, differs, "text: used # of k* | used # of k*"},
		{"a line more", outcome{text: "a"}, outcome{text: "a\nb"}, differs, "text: +b"},
		{"a line less", outcome{text: "a\nb"}, outcome{text: "a"}, differs, "text: -b"},
		{"no image", outcome{image: []byte("i")}, outcome{}, differs, "an image is missing"},
		{"culink crashes", outcome{code: -1}, outcome{code: -1}, differs, "culink crashes"},
		{"culink panics", outcome{}, outcome{code: 2, text: "panic: x\n\ngoroutine 1 [running]:"}, differs, "culink crashes"},
		{"culink hangs", outcome{timeout: true}, outcome{timeout: true, code: -1}, differs, "culink does not end"},
		{"nvlink crashes", outcome{code: -1}, outcome{}, notComparable, ""},
		{"nvlink gives up", outcome{code: 1, text: "Internal error"}, outcome{}, notComparable, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, key := compare(nil, tc.want, tc.got)
			if v != tc.verdict || key != tc.key {
				t.Errorf("verdict %d with %q, want %d with %q", v, key, tc.verdict, tc.key)
			}
		})
	}
}

func TestOnlyFactsAboutFunctionsMadeAnewFollowFromTheirCode(t *testing.T) {
	made := map[string]bool{"k0": true}
	for key, want := range map[string]bool{
		"section .text.k0 code 0x370":                     true,
		"section .text.f0 code 0x370":                     false,
		"section .text.k0#2 size":                         true,
		"section .text.f0 offset":                         true,
		"section .nv.capmerc.text.k0 size":                true,
		"capsule .nv.capmerc.text.k0 record 0x10":         true,
		"capsule .nv.capmerc.text.f0 record 0x10":         false,
		"attribute .nv.info.k0 EIATTR_EXIT_INSTR_OFFSETS": true,
		"attribute .nv.info EIATTR_REGCOUNT k0":           true,
		"attribute .nv.info EIATTR_REGCOUNT f0":           false,
		"attribute .nv.info EIATTR_FRAME_SIZE k0":         false,
		"symbol k0 size":                                  true,
		"symbol k0#2 size":                                true,
		"symbol k0 value":                                 false,
		"header section headers":                          true,
		"segment 3":                                       true,
		"section .debug_frame size":                       true,
		"section .nv.global bytes 0x4":                    false,
		"order of sections":                               false,
	} {
		if got := followsFromCode(key, made); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

func TestReportGroupsAndCounts(t *testing.T) {
	r, sm := newReport(), target{arch.Arch{SM: 80}, 130}
	j := job{name: "default", args: []string{"-v", "-kernels-used=k0"}}
	if r.count(1, sm, j, same, "") || !r.count(2, sm, j, differs, "rare") || !r.count(3, sm, j, differs, "frequent") || r.count(4, sm, j, differs, "frequent") {
		t.Error("first is said of another case than the first of a group")
	}
	r.count(5, sm, j, notComparable, "")
	r.count(8, sm, j, notLinked, "")
	r.count(6, sm, j, anew, "")
	r.count(9, sm, j, mistaken, "")
	r.refuse(7, "line 3: f3 is odd\nmore")
	var b strings.Builder
	r.write(&b)
	text := b.String()
	for _, want := range []string{
		"6 links: 1 the same, 1 but for code made anew, 1 but for functions that nvlink takes for others, 3 differ; 1 more",
		"  50.00 % of     6 -kernels-used\n",
		"differences:\n    2 frequent (3 sm_80 default)\n    1 rare (2 sm_80 default)\n",
		"    1 line #: f* is odd (7)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-nvlink", "n"}, {"-nvlink", "n", "-ptxas", "p", "extra"}, {"-nvlink", "n", "-ptxas", "p", "-count", "0"}, {"-nvlink", "n", "-ptxas", "p", "-shrink"},
	} {
		if _, err := parseFlags(args, &strings.Builder{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
	if s, err := parseFlags([]string{"-nvlink", "n", "-ptxas", "p", "-seed", "9"}, &strings.Builder{}); err != nil || s.seed != 9 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestFunctionsMadeAnewAreKnownByTheirSymbols(t *testing.T) {
	text := `culink: info: the compiler's code of 'k0' is kept; nvlink would generate it anew
culink: info: the compiler's code of 'ns::k1(int*)' is kept; nvlink would generate it anew [_ZN2ns2k1EPi]
`
	want := map[string]bool{"k0": true, "_ZN2ns2k1EPi": true}
	if got := keptSymbols(text); !maps.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
