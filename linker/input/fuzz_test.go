package input

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
)

func FuzzLoad(f *testing.F) {
	for name, data := range files(f) {
		f.Add(filepath.Base(name), data, true, uint8(len(data)))
		f.Add(filepath.Base(name), data, false, uint8(len(data)))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte, reference bool, choice uint8) {
		if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." || len(name) > 100 || strings.HasSuffix(name, "ptx") {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return
		}
		o := Options{Dir: dir, Files: []string{name}, Target: arch.Arch{SM: 80}, AsReference: reference, Warn: choice&2 != 0,
			Jobs: 1, Limits: fatbin.Limits{Floor: 1 << 20}, TotalFloor: 1 << 20}
		if choice&4 != 0 {
			o.Target.SM = 100
		}
		if choice&8 != 0 {
			o.Class = cubin.Class32
		}
		for _, o.Toolkit = range []*arch.Toolkit{arch.CUDA124(), arch.CUDA130()} {
			first := loadOnce(t, o, len(data))
			if again := loadOnce(t, o, len(data)); again != first {
				t.Fatalf("%s and then %s", first, again)
			}
		}
	})
}

// loadOnce loads, asks for a message where that fails and for memory in proportion to the file, and describes the outcome.
func loadOnce(t *testing.T, o Options, size int) string {
	c := &diag.Collector{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Load(context.Background(), o, c)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(16<<20+1100*size) { // payloads may unpack to 1000 times their size
		t.Fatalf("%d bytes allocated for a file of %d bytes", used, size)
	}
	said := ""
	for _, m := range c.Messages() {
		said += m.Text() + "\n"
	}
	if err != nil {
		if len(c.Messages()) == 0 {
			t.Fatalf("%v without a message", err)
		}
		return said
	}
	for i := range r.Modules {
		m := &r.Modules[i]
		said += fmt.Sprintf(" %s %x", m.Name, sha256.Sum256(m.Cubin))
	}
	said += fmt.Sprintf(" %+v %q %q %v", r.Registrations, r.KernelsExternal, r.KernelsInternal, r.FilterKernels)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return said
}
