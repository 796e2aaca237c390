package link

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// extensible links two kernels, k and m, that were compiled with -ewp: both have a function in their code, k has 28 bytes
// of shared memory besides. It returns the functions of the image and the size of k's shared memory.
func extensible(t *testing.T, opts Options) (functions []string, shared uint64) {
	t.Helper()
	data, err := os.ReadFile("testdata/extensible-sm_80.cubin")
	if err != nil {
		t.Fatal(err)
	}
	opts.SM, opts.Toolkit = 80, 130
	d := &diag.Collector{}
	result, err := Run(context.Background(), opts, []Source{{Name: "a.cubin", Data: data}}, d)
	if err != nil {
		t.Fatalf("%v: %v", err, texts(d))
	}
	f, err := cubin.Parse(result.Image)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Symbols {
		if y := &f.Symbols[i]; y.Type() == cubin.STTFunc {
			functions = append(functions, y.Name)
		}
	}
	for i := range f.Sections {
		if f.Sections[i].Name == ".nv.shared._Z1kPi" {
			shared = f.Sections[i].Size
		}
	}
	return functions, shared
}

func TestFunctionsInAnotherOnesCodeStayAndGoWithIt(t *testing.T) {
	const (
		k, inK = "_Z1kPi", "$_Z1kPi$_Z3owni"
		m, inM = "_Z1mPi", "$_Z1mPi$_Z3owni"
	)
	for _, test := range []struct {
		name   string
		opts   Options
		want   []string
		shared uint64
	}{
		{"both kernels", Options{}, []string{inM, inK, m, k}, 28},
		// The reference leaves the shared memory out.
		{"-g", Options{Debug: true}, []string{inM, inK, m, k}, 28},
		// The reference crashes.
		{"a filter that takes one", Options{FilterGiven: true, KernelsUsed: []string{"m"}}, []string{inM, m}, 0},
	} {
		functions, shared := extensible(t, test.opts)
		if diff := cmp.Diff(test.want, functions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if shared != test.shared {
			t.Errorf("%s: %d bytes of shared memory, want %d", test.name, shared, test.shared)
		}
	}
}
