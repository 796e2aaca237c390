package link

import (
	"context"
	"os"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// A kernel of a CUDA 12.4 object uses 5 barriers and calls a function of a CUDA 13.0 object, which uses 2. The reference states 2.
func TestKernelsOfOlderObjectsKeepTheirBarriers(t *testing.T) {
	var sources []Source
	for _, name := range []string{"testdata/barriers_12-sm_75.cubin", "testdata/barriers_13-sm_75.cubin"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{Name: name, Data: data})
	}
	d := &diag.Collector{}
	result, err := Run(context.Background(), Options{SM: 75, Toolkit: 130}, sources, d)
	if err != nil {
		t.Fatalf("%v: %v", err, texts(d))
	}
	f, err := cubin.Parse(result.Image)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint16{}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == cubin.SHTCudaInfo {
			for r := nvinfo.Read(s.Data); r.Next(); {
				if r.Code == nvinfo.NumBarriers {
					got[s.Name] = r.Field
				}
			}
		}
	}
	if got[".nv.info.k"] != 5 || got[".nv.info.f"] != 2 {
		t.Errorf("barriers %v, want 5 of k and 2 of f", got)
	}
}
