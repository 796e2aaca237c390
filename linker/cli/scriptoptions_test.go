package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOptionsThatDecideTheHostLinkersScriptAreWholeWords(t *testing.T) {
	for line, want := range map[string][]string{
		" collect2 -pie -o a.out":                           {"-pie"},
		" collect2 -z now -z relro -m elf_x86_64 -shared x": {"-z", "now", "-z", "relro", "-m", "elf_x86_64", "-shared"},
		"-r":                              {"-r"},
		"ld --relax -rpath /x -pieces":    nil,
		"ld x-r -m elf_i386":              {"-m", "elf_i386"},
		"ld -z ":                          {"-z"},
		"ld -dynamic-linker /lib/ld-r.so": nil,
	} {
		if diff := cmp.Diff(want, scriptOptions(line)); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}
