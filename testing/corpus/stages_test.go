package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/testing/golden"
)

// eachOfSuite calls fn with every folder of the newest release's golden suite.
func eachOfSuite(t *testing.T, fn func(dir, arch string, inputs []string) error) {
	t.Helper()
	const suite = "../golden/13.0"
	folders, err := golden.ReadCases(filepath.Join(suite, golden.CasesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		arch, _, _ := strings.Cut(filepath.Base(f.Path), "-")
		if err := fn(filepath.Join(suite, f.Path), arch, f.Inputs); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStagesInAnyGroupingGiveWhatOneLinkGives links the inputs of the golden suite in random stages.
func TestStagesInAnyGroupingGiveWhatOneLinkGives(t *testing.T) {
	s := newStaging(4, "13.0", 0)
	eachOfSuite(t, func(dir, arch string, inputs []string) error {
		before := s.jobs - s.same
		err := s.folder(dir, arch, inputs)
		if s.jobs-s.same != before {
			t.Errorf("%s differs from one link in: %v", dir, s.facts)
			clear(s.facts)
		}
		return err
	})
	if s.jobs < 100 {
		t.Errorf("%d staged links were compared; the suite has more", s.jobs)
	}
}

func TestOnlyOrderAndItsConsequencesAreImplied(t *testing.T) {
	differences := []inspect.Difference{
		{Key: "order of symbols", A: "a", B: "b"},
		{Key: "section .strtab size", A: "0x10", B: "0x20"},
		{Key: "attribute .nv.info.k EIATTR_KPARAM_INFO", A: "SVAL 0x1", B: "SVAL 0x2"},
		{Key: "attribute .nv.info.k EIATTR_KPARAM_INFO #2", A: "SVAL 0x2", B: "SVAL 0x1"},
		{Key: "section .text.k code 0x10", A: "00", B: "01"},
		{Key: "symbol x value", A: "0x0", B: "0x4"},
		{Key: "attribute .nv.info.k EIATTR_REGCOUNT k", A: "SVAL 0x8", B: "SVAL 0x9"},
	}
	var keys []string
	for _, d := range consequential(differences) {
		keys = append(keys, d.Key)
	}
	want := []string{"section .text.k code 0x10", "symbol x value", "attribute .nv.info.k EIATTR_REGCOUNT k"}
	if strings.Join(keys, "|") != strings.Join(want, "|") {
		t.Errorf("consequential differences are %q, want %q", keys, want)
	}
}

// The reference ends with "Internal error: reference to deleted symbol" where debug data, or code that no kernel reaches, refer
// to dynamic shared memory and --preserve-relocs asks to note the references. The references have nothing to name.
func TestReferencesToDynamicMemoryThatIsNotShownArePreservedWithoutNotes(t *testing.T) {
	dir := "../golden/13.0-rules/filtered_debug/sm_80"
	o, sources, ok := options(dir, "preserve", []string{"-arch=sm_80", "--preserve-relocs", "in/a.cubin", "in/b.cubin"}, "13.0")
	if !ok {
		t.Fatal("the inputs are not there")
	}
	image, text := linkOnce(o, sources)
	if image == nil {
		t.Fatal(text)
	}
	f, err := cubin.Parse(image)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Symbols {
		if f.Symbols[i].Name == "dyn" {
			t.Error("the image names the array")
		}
	}
	if f.Find(".nv.resolvedrela.debug_info") == 0 {
		t.Error("the image has no notes of debug data")
	}
}
