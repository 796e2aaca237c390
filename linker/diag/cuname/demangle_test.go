package cuname

import (
	"os"
	"strings"
	"testing"
)

// TestDemangleAsObserved compares with what cu++filt 12.4 prints.
func TestDemangleAsObserved(t *testing.T) {
	table, err := os.ReadFile("testdata/names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(table)) {
		mangled, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("line without a tab: %q", line)
		}
		n++
		if got := Demangle(mangled, CUDA12); got != want {
			t.Errorf("Demangle(%q)\n got %q\nwant %q", mangled, got, want)
		}
	}
	if n < 200 {
		t.Errorf("only %d names in the table", n)
	}
}

func TestReleasesNameSizedFloatsDifferently(t *testing.T) {
	for release, want := range map[Release]string{
		CUDA12: "f(std::float16_t, std::float128_t, std::bfloat16_t, _Float64x)",
		CUDA13: "f(_Float16, _Float128, std::bfloat16_t, _Float64x)",
	} {
		if got := Demangle("_Z1fDF16_DF128_DF16bDF64x", release); got != want {
			t.Errorf("release %d: got %q, want %q", release, got, want)
		}
	}
}

func TestTextStaysSmallWhenSubstitutionsDouble(t *testing.T) {
	name := "_Z1f1AIiE" + "1BIS0_S0_E"
	for i, digits := 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; i < 30; i++ {
		s := "S" + digits[i:i+1] + "_"
		name += "S2_I" + s + s + "E"
	}
	if got := Demangle(name, CUDA13); len(got) > maxText {
		t.Errorf("text of %d bytes for a name of %d", len(got), len(name))
	}
}

func TestDeepNestingEnds(t *testing.T) {
	name := "_Z1f" + strings.Repeat("P", 100000) + "i"
	if got := Demangle(name, CUDA13); len(got) > maxText+len(name) {
		t.Errorf("text of %d bytes", len(got))
	}
}

func FuzzDemangle(f *testing.F) {
	for _, s := range []string{"_Z1fi", "_ZN1AIiEC2ERKS0_", "_ZZ1fvENKUlvE_clEv", "_Z1fIJifEEvDpT_", "_ZThn8_N1A1fEv", "_Z1fIXadL_Z1gvEEEvv"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Demangle(s, CUDA13)
		if got == "" && s != "" {
			t.Errorf("Demangle(%q) is empty", s)
		}
		if len(got) > maxText+len(s) {
			t.Errorf("%d bytes for a name of %d", len(got), len(s))
		}
		if again := Demangle(s, CUDA13); again != got {
			t.Errorf("%q and then %q", got, again)
		}
	})
}

func TestReadableNamesHaveTheirTemplateParametersReplaced(t *testing.T) {
	for mangled, want := range map[string]string{
		"_Z5scaleIfET_RK3BoxIS0_Li4EEPFS0_S0_E":            "float scale<float>(Box<float, 4> const&, float (*)(float))",
		"_ZNK1n1S3getEi":                                   "n::S::get(int) const",
		"_ZN33_INTERNAL_21b534e5_4_a_cu__Z2naPi1AC1ERKS0_": "A::A(const A&)", // the namespace of a file is NVIDIA's
		"$_Z1kPf$_Z1fi":                                    Demangle("$_Z1kPf$_Z1fi", CUDA13),
		"kernel":                                           "kernel",
		"_Zwrong":                                          "_Zwrong",
		"":                                                 "",
	} {
		if got := Readable(mangled); got != want {
			t.Errorf("Readable(%q)\n got %q\nwant %q", mangled, got, want)
		}
	}
}
