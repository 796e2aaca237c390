package link

import (
	"bytes"
	"strings"
	"testing"
)

func TestSharedNameIsRenamedOnceForEachSection(t *testing.T) {
	const name = ".rela.nv.constant.optimizer.abcdefghijk"
	field := []byte(name)
	for _, want := range []string{".rela.nv.constant2.abcdefghijk", ".rela.nv.constant2.jk", ".rela.nv.constant2.", ".rela.nv.constant2."} {
		rename(field, name)
		if got, rest, _ := strings.Cut(string(field), "\x00"); got != want || strings.Trim(rest, "\x00") != "" || len(field) != len(name) {
			t.Errorf("%q and %q, want %q and NULs", got, rest, want)
		}
	}
	field = []byte(mercUser)
	if rename(field, mercUser); string(bytes.TrimRight(field, "\x00")) != ".nv.constant3" {
		t.Errorf("the constants of the user are in %q", field)
	}
}
