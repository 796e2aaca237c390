package arch

import (
	"errors"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// archs lists the names that each toolkit's option --arch takes.
var archs = map[string]string{
	"12.4": "50 52 53 60 61 62 70 72 75 80 86 87 89 90 90a",
	"13.0": "75 80 86 87 88 89 90 90a 100 100a 100f 103 103a 103f 110 110a 110f 120 120a 120f 121 121a 121f",
}

func TestToolkitsHaveTheirArchitectures(t *testing.T) {
	for name, want := range archs {
		tk, ok := ToolkitByName(name)
		if !ok {
			t.Fatal(name)
		}
		var got []string
		for _, a := range tk.Archs() {
			got = append(got, a.String())
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestEveryNameParsesToItself(t *testing.T) {
	for name, list := range archs {
		tk, _ := ToolkitByName(name)
		for _, s := range strings.Fields(list) {
			for k, p := range prefixes {
				n, err := tk.Parse(p + s)
				if err != nil || n.Kind != Kind(k) || n.String() != p+s {
					t.Errorf("%s%s: %v, %v", p, s, n, err)
				}
			}
		}
	}
}

func TestOtherNamesAreRefused(t *testing.T) {
	for _, s := range []string{
		"", "sm_", "90", "sm_9", "sm_090", "sm_81", "sm_90f", "sm_52", "SM_90", "sm_90A", " sm_90", "sm_90 ", "sm_90aa", "sm_a", "sm_1000",
		"sm_-90", "sm_99999999999999999999", "compute_", "lto_90b", "sm_90,sm_80",
	} {
		n, err := CUDA130().Parse(s)
		var u *UnknownError
		if !errors.As(err, &u) || u.Name != s {
			t.Errorf("%q: %v, %v", s, n, err)
		}
	}
	if _, err := CUDA124().Parse("sm_100"); err == nil {
		t.Error("12.4 takes sm_100")
	}
}

// accepted is what linking every object for every target gave: targets to the inputs they took.
var accepted = map[string]map[string]string{
	"12.4": {
		"50": "50", "52": "50 52", "53": "53", "60": "60", "61": "60 61", "62": "62", "70": "70", "72": "72", "75": "70 75", "80": "80",
		"86": "80 86", "87": "87", "89": "80 86 89", "90": "90 90a", "90a": "90 90a",
	},
	"13.0": {
		"75": "75", "80": "80", "86": "80 86", "87": "87", "88": "88", "89": "80 86 89", "90": "90 90a", "90a": "90 90a",
		"100": "100 100a 100f", "100a": "100 100a 100f", "100f": "100 100a 100f",
		"103": "100 100f 103 103a 103f", "103a": "100 100f 103 103a 103f", "103f": "100 100f 103 103a 103f",
		"110": "110 110a 110f", "110a": "110 110a 110f", "110f": "110 110a 110f",
		"120": "120 120a 120f", "120a": "120 120a 120f", "120f": "120 120a 120f",
		"121": "120 120f 121 121a 121f", "121a": "120 120f 121 121a 121f", "121f": "120 120f 121 121a 121f",
	},
}

func TestTargetsTakeTheObservedInputs(t *testing.T) {
	for name, targets := range accepted {
		tk, _ := ToolkitByName(name)
		for target, want := range targets {
			ta, _ := parseArch(target)
			var got []string
			for _, in := range tk.Archs() {
				if tk.Accepts(ta, in) {
					got = append(got, in.String())
				}
			}
			if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
				t.Errorf("%s, %s: %s", name, target, d)
			}
		}
		if len(targets) != len(tk.Archs()) {
			t.Errorf("%s: %d targets", name, len(targets))
		}
	}
}

func TestPTXServesLaterTargets(t *testing.T) {
	for _, c := range []struct {
		tk         *Toolkit
		target, in string
		want       bool
	}{
		{CUDA124(), "90", "90a", true}, {CUDA124(), "80", "90", false}, {CUDA124(), "90", "50", true},
		{CUDA130(), "90", "90a", false}, {CUDA130(), "90a", "90a", true}, {CUDA130(), "100", "90a", false},
		{CUDA130(), "103", "100f", true}, {CUDA130(), "103a", "100f", true}, {CUDA130(), "110", "100f", false},
		{CUDA130(), "100", "103f", false}, {CUDA130(), "121", "75", true}, {CUDA130(), "75", "80", false},
	} {
		ta, _ := parseArch(c.target)
		in, _ := parseArch(c.in)
		if got := c.tk.AcceptsPTX(ta, in); got != c.want {
			t.Errorf("%s: compute_%s for sm_%s: %v", c.tk.Name, c.in, c.target, got)
		}
	}
}

func TestSharedLimitsAreTheObservedOnes(t *testing.T) {
	limits := map[uint32]string{ // 12.4
		0x10000: "50 53 60 62 72 75", 0x18000: "52 61 70", 0x19000: "86", 0x29000: "80 87 89 90 90a",
	}
	for max, list := range limits {
		for _, s := range strings.Fields(list) {
			a, _ := parseArch(s)
			if got := CUDA124().SharedMax(a, false); got != max {
				t.Errorf("12.4, %s: %#x, want %#x", s, got, max)
			}
		}
	}
	limits = map[uint32]string{ // 13.0, extended
		0x10000: "75", 0x18c00: "86 88 89 120 120a 120f 121 121a 121f", 0x28c00: "80 87",
		0x38c00: "90 90a 100 100a 100f 103 103a 103f 110 110a 110f",
	}
	n := 0
	for max, list := range limits {
		for _, s := range strings.Fields(list) {
			n++
			a, _ := parseArch(s)
			if got := CUDA130().SharedMax(a, true); got != max {
				t.Errorf("13.0, %s: %#x, want %#x", s, got, max)
			}
			want := uint32(defaultSharedMax)
			if a.Suffix == Accelerated {
				want = max
			}
			if got := CUDA130().SharedMax(a, false); got != want {
				t.Errorf("13.0, %s, not extended: %#x, want %#x", s, got, want)
			}
		}
	}
	if n != len(CUDA130().Archs()) {
		t.Errorf("%d limits", n)
	}
	for _, a := range []Arch{{SM: 52}, {SM: 99}, {}} {
		if got := CUDA130().SharedMax(a, false); got != 0 {
			t.Errorf("13.0 has a limit of %#x for %s", got, a)
		}
	}
}

func TestRowsAscendAndFollowTheGenerations(t *testing.T) {
	if !sort.SliceIsSorted(profiles[:], func(i, j int) bool { return profiles[i].SM < profiles[j].SM }) {
		t.Error("not ascending")
	}
	for i := range profiles {
		p := &profiles[i]
		type facts struct {
			base, reserved, align uint32
			surfaces              int
			mercury, compat       bool
		}
		var want facts
		switch {
		case p.SM < 70:
			want = facts{0x140, 0, 4, 16, false, false}
		case p.SM < 90:
			want = facts{0x160, 0, 4, 32, false, false}
		case p.SM < 100:
			want = facts{0x210, 0x400, 4, 32, false, true}
		default:
			want = facts{0x380, 0x400, 16, 32, true, true}
		}
		got := facts{p.ParamBase, p.ReservedShared, p.BindlessAlign, p.Surfaces, p.Mercury, p.Compat}
		if got != want {
			t.Errorf("sm_%d: %+v, want %+v", p.SM, got, want)
		}
		if p.Textures != 256 || p.Samplers != 32 || (p.FastPath != 0) != (p.SM == 100 || p.SM == 120) {
			t.Errorf("sm_%d: %+v", p.SM, p)
		}
	}
}

func TestToolkitFollowsTheNewestInput(t *testing.T) {
	for _, c := range []struct {
		word       int
		abi8, zstd bool
		want       string
	}{
		{0, false, false, "12.4"}, {120, false, false, "12.4"}, {124, false, false, "12.4"}, {124, false, true, "13.0"}, {128, false, false, "13.0"},
		{130, true, false, "13.0"}, {124, true, false, "13.0"}, {0, true, false, "13.0"},
	} {
		tk, err := ForInputs(c.word, c.abi8, c.zstd)
		if err != nil || tk.Name != c.want {
			t.Errorf("%d, %v, %v: %v, %v", c.word, c.abi8, c.zstd, tk, err)
		}
	}
	_, err := ForInputs(135, true, false)
	var v *VersionError
	if !errors.As(err, &v) || *v != (VersionError{Word: 135, Toolkit: 130}) {
		t.Errorf("135: %v", err)
	}
}

func TestVersionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		tk       *Toolkit
		sm, word int
		want     error
	}{
		{CUDA124(), 80, 124, nil},
		{CUDA124(), 80, 112, nil},
		{CUDA124(), 90, 120, nil},
		{CUDA124(), 80, 130, &VersionError{Word: 130, Toolkit: 124}},
		{CUDA124(), 90, 112, &VersionError{Word: 112, Toolkit: 124, TooOld: true}},
		{CUDA130(), 90, 135, &VersionError{Word: 135, Toolkit: 130}},
		{CUDA130(), 90, 112, &VersionError{Word: 112, Toolkit: 130, TooOld: true}},
		{CUDA130(), 90, 120, nil},
	} {
		if d := cmp.Diff(c.want, c.tk.CheckVersion(c.sm, c.word)); d != "" {
			t.Errorf("%s sm_%d %d: %s", c.tk.Name, c.sm, c.word, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"sm_90a", "compute_100f", "lto_75", "sm_", "sm_999a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := CUDA130().Parse(s)
		if err == nil && n.String() != s {
			t.Errorf("%q is read as %q", s, n)
		}
	})
}
