package link

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
)

// FuzzLink asks that any input beside a sound one gives an image that can be parsed, or a message: no crash, and the same
// outcome twice.
func FuzzLink(f *testing.F) {
	sound := program{SM: 80, ABI: 8, Functions: functions{
		kernel("k", "f", "g"), {Name: "f", Bind: weak, Registers: 30, Calls: []string{"f"}, Globals: []string{"x"}},
	}, Variables: variables{{Name: "x", Bind: global, Size: 16}}}
	other := program{SM: 80, ABI: 8, Functions: functions{
		fn("g", global, 40, "f"), fn("f", weak, 8), kernel("k2", "g"),
	}, Variables: variables{{Name: "x", Bind: weak, Size: 16}, {Name: "y", Bind: local, Size: 3}}}
	f.Add(other.Encode(), uint8(0))
	f.Add(other.Encode(), uint8(1))
	f.Add(other.Encode(), uint8(2|4))
	f.Add(cubintest.New(80, 7).Encode(), uint8(0))
	objects, err := filepath.Glob(filepath.Join("testdata", "*.cubin"))
	if err != nil || len(objects) == 0 {
		f.Fatalf("no objects with capsules to start from: %v", err)
	}
	for _, name := range objects {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(64))
		f.Add(b, uint8(64|1))
		f.Add(b, uint8(64|4))
	}
	base := sound.Encode()
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		opts := Options{SM: 80, Toolkit: 130, Relocatable: flags&1 != 0, Debug: flags&2 != 0, PreserveRelocs: flags&4 != 0,
			Verbose: flags&8 != 0, DumpCallgraph: flags&16 != 0, FilterGiven: flags&32 != 0, KernelsUsed: []string{"k"}}
		if flags&64 != 0 {
			opts.SM = 100
		}
		src := []Source{{Name: "a.cubin", Data: base}, {Name: "b.cubin", Data: data}}
		if opts.SM == 100 {
			src = src[1:] // an input without capsules would make an image without twins
		}
		if flags&128 != 0 {
			opts.Toolkit = 124
		}
		var first []byte
		for i := range 2 {
			d := &diag.Collector{}
			res, err := Run(context.Background(), opts, src, d)
			if err != nil {
				var fatal *diag.FatalError
				if d.Errors() == 0 && !errors.As(err, &fatal) {
					t.Fatalf("failed without a message: %v", err)
				}
				return
			}
			if _, err := cubin.Parse(res.Image); err != nil {
				t.Fatalf("the image cannot be parsed: %v", err)
			}
			if i == 0 {
				first = res.Image
			} else if !bytes.Equal(first, res.Image) {
				t.Fatal("the same inputs gave other bytes")
			}
		}
	})
}
