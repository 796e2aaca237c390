package input

import (
	"context"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

func TestNotesSayWhatToDoAboutAFile(t *testing.T) {
	all := files(t)
	all["kernel.cu"] = all["text.txt"]
	dir := tree(t, all)
	for file, want := range map[string]string{
		"b90.o":     "compile the file for the target, too: -gencode arch=compute_80,code=sm_80 (clang: --offload-arch=sm_80).",
		"kernel.cu": compileSource,
		"text.txt":  compileIt,
		"bad.a":     "the file is cut short or damaged: make it again.",
	} {
		c := &diag.Collector{}
		if r, err := Load(context.Background(), Options{Dir: dir, Files: []string{file}, Target: arch.Arch{SM: 80}}, c); err == nil {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if m := c.Messages(); len(m) == 0 || m[0].Note != want {
			t.Errorf("%s: %+v, want the note %q", file, m, want)
		}
	}
}
