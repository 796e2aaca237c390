package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/link"
)

func TestLinkOptionsAreThoseOfTheCommandLine(t *testing.T) {
	got, inputs, err := LinkOptions("13.0", []string{"-arch=sm_90a", "-g", "-kernels-used=a,b", "x/a.cubin", "-r", "-dump-callgraph", "b.cubin", "-o", "dir/out"})
	if err != nil {
		t.Fatal(err)
	}
	want := link.Options{
		SM: 90, Suffix: "a", Class: cubin.Class64, Toolkit: 130, Debug: true, Relocatable: true, DumpCallgraph: true, FilterGiven: true, KernelsUsed: []string{"a", "b"},
		OptionsText: "a.cubin,b.cubin -o out -g  -arch sm_90a -kernels-used a,b -dump-callgraph  -r  ", ObjectName: "out", AsReference: true,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"x/a.cubin", "b.cubin"}, inputs); d != "" {
		t.Error(d)
	}
	for _, args := range [][]string{{"-arch=sm_90", "-ldev"}, {"-arch=sm_90", "-optf", "x"}, {"-arch=nothing"}, {"a.cubin"}, {"-arch=sm_90", "-lto"}} {
		if _, _, err := LinkOptions("13.0", args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	if _, _, err := LinkOptions("1.0", nil); err == nil {
		t.Error("an unknown release: no error")
	}
}
