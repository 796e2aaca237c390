package cli

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// Results observed with file names whose form shows the token.
func TestOptionsFilesAreCutIntoTokens(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  []string
		stray string // "-" for none
	}{
		{"a b\tc\nd\re", []string{"a", "b", "c", "d", "e"}, "-"},
		{`in/"a".o`, []string{"in/a.o"}, "-"},
		{`"a b"c`, []string{"a bc"}, "-"},
		{"\"a\nb\"", []string{"a\nb"}, "-"},
		{`x\ y`, []string{"x y"}, "-"},
		{`x\ny`, []string{"xny"}, "-"},
		{`x\\y`, []string{`x\y`}, "-"},
		{`x\"y`, []string{"xy"}, "-"},
		{`x\\\"y`, []string{`x"y`}, "-"},
		{`""`, []string{""}, "-"},
		{`'a b'`, []string{"'a", "b'"}, "-"},
		{"# a // b", []string{"#", "a", "//", "b"}, "-"},
		{"a\x00b", []string{"a"}, "-"},
		{"", nil, "-"},
		{" \n\t", nil, "-"},
		{`"a`, nil, `"`},
		{`a\`, nil, ""},
	} {
		got, stray := tokenize([]byte(c.text))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
		s := "-"
		if stray != nil {
			s = *stray
		}
		if s != c.stray {
			t.Errorf("%q: stray %q, want %q", c.text, s, c.stray)
		}
	}
}

func TestListsAreCutAtCommas(t *testing.T) {
	for text, want := range map[string][]string{
		"a,b": {"a", "b"}, " a , b ": {"a", "b"}, ",,a,": {"a"}, `"a,b",c`: {"a,b", "c"}, `x"y"z`: {"xyz"}, "'a,b'": {"'a", "b'"}, "": nil, `a\,b`: {`a\`, "b"},
	} {
		if d := cmp.Diff(want, splitList(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestNumbersHaveTheReferencesForms(t *testing.T) {
	for text, want := range map[string]int32{
		"": 0, "64": 64, "0x40": 64, "0X1F": 31, "-5": -5, "-0x10": -16, "+3": 3, " 3": 3, "010": 10, "2147483647": 1<<31 - 1, "-2147483648": -1 << 31,
	} {
		if got, err := number(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"abc", "12a", "0x", "-", "--5", "+-5", "1 ", "2147483648", "99999999999", "-2147483649", "0x-1", " ", "\t"} {
		if got, err := number(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// files makes a reader of options files from a map.
func files(m map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := m[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}
}

func parsed(t *testing.T, m map[string]string, args ...string) (*commandLine, string) {
	t.Helper()
	d := &diag.Collector{}
	c, err := parse(arch.CUDA130(), args, files(m), d, false)
	if err != nil {
		return c, err.Error()
	}
	return c, ""
}

func TestOptionsFilesStandInPlace(t *testing.T) {
	c, said := parsed(t, map[string]string{"f": "b -optf g d", "g": "c"}, "a", "-optf", "f", "e")
	if said != "" {
		t.Fatal(said)
	}
	if d := cmp.Diff([]string{"a", "b", "c", "d", "e"}, c.Inputs); d != "" {
		t.Error(d)
	}
	// Several files in one option; the value of an option must be in the same file.
	if c, said = parsed(t, map[string]string{"f": "b", "g": "c"}, "-optf=f,g"); said != "" || strings.Join(c.Inputs, "") != "bc" {
		t.Error(c.Inputs, said)
	}
	if _, said = parsed(t, map[string]string{"f": "-o"}, "-optf", "f", "x"); said != "argument expected after '-o'" {
		t.Error(said)
	}
}

func TestOptionsFilesHaveALimitedDepth(t *testing.T) {
	nested := map[string]string{"last": "x"}
	for i := 1; i < 16; i++ {
		nested["n"+string(rune('a'+i))] = "-optf n" + string(rune('b'+i))
	}
	nested["np"] = "deep"
	if c, said := parsed(t, nested, "-optf", "nb"); said != "" || strings.Join(c.Inputs, "") != "deep" {
		t.Error(c.Inputs, said)
	}
	nested["np"] = "-optf last"
	if _, said := parsed(t, nested, "-optf", "nb"); said != "Too many options file opened 'last'" {
		t.Error(said)
	}
	// Files that name each other many times end in an error, not in exponential work.
	wide := map[string]string{"z": ""}
	for i := range 14 {
		wide["w"+string(rune('a'+i))] = strings.Repeat("-optf w"+string(rune('b'+i))+" ", 9)
	}
	wide["wo"] = ""
	if _, said := parsed(t, wide, "-optf", "wa"); !strings.HasPrefix(said, "Too many options file opened") {
		t.Error(said)
	}
}

func TestLaterValuesCountAndAreWarnedOf(t *testing.T) {
	d := &diag.Collector{}
	c, err := parse(arch.CUDA130(), []string{"-arch=sm_80", "--arch", "sm_80", "-arch=sm_90", "-la", "-l", "b,c", "-m64", "-v", "-v"}, nil, d, true)
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Messages(); len(m) != 1 || m[0].ID != diag.Redefinition {
		t.Error(m)
	}
	if c.text(optArch) != "sm_90" || c.text(optLibrary) != "a,b,c" || c.values[optMachine].Number != 64 || !c.given(optVerbose) {
		t.Error(c.values)
	}
}

func TestReleasesKnowDifferentOptions(t *testing.T) {
	for _, c := range []struct {
		arg      string
		old, new bool
	}{
		{"--relocatable-link", false, true}, {"-r", true, true}, {"-disable-infos", false, true}, {"--nv-host=x", false, true}, {"--verbose", true, true},
		{"--fatbin=x", false, false}, {"--ptxas=x", true, true},
	} {
		for _, release := range []struct {
			t    *arch.Toolkit
			want bool
		}{{arch.CUDA124(), c.old}, {arch.CUDA130(), c.new}} {
			_, err := parse(release.t, []string{c.arg}, nil, &diag.Collector{}, true)
			if (err == nil) != release.want {
				t.Errorf("%s %s: %v", release.t.Name, c.arg, err)
			}
		}
	}
}

func TestTableOfOptionsIsSound(t *testing.T) {
	seen := map[string]optionID{}
	for id := range numOptions {
		o := &options[id]
		if o.Long == "" || o.Own == "" && !o.Hidden {
			t.Errorf("option %d (%q) lacks a name or a description", id, o.Long)
		}
		if o.Status == statusOwn && (o.Short != "" || o.Help != "") || o.Status != statusOwn && !o.Hidden && o.Help == "" {
			t.Errorf("--%s: texts do not fit its status", o.Long)
		}
		if (o.Status == statusIgnored || o.Status == statusRefused || o.Status == statusBetter) && o.Note == "" {
			t.Errorf("--%s: no note says why", o.Long)
		}
		for _, n := range []string{"-" + o.Long, o.Short} {
			if other, ok := seen[n]; ok && n != "" {
				t.Errorf("%s names %d and %d", n, other, id)
			}
			seen[n] = id
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-arch=sm_90\x00-o\x00x\x00a.o", `"a b" -optf f -lx`, true)
	f.Add("-optf\x00f", `-optf f,f \"`, false)
	f.Add("--machine\x0032\x00-m64\x00-L.,\"a,b\"\x00-kernels-used=k,*", "-m=64 -Werror", false)
	for id := range numOptions {
		o := &options[id]
		f.Add("--"+o.Long+"=true\x00-"+o.Short+"\x001", "--"+o.Long+" x", id%2 == 0)
	}
	f.Fuzz(func(t *testing.T, line, file string, reference bool) {
		read := func(name string) ([]byte, error) {
			if name == "f" {
				return []byte(file), nil
			}
			return nil, os.ErrNotExist
		}
		for _, toolkit := range []*arch.Toolkit{arch.CUDA124(), arch.CUDA130()} {
			var first *commandLine
			for range 2 {
				d := &diag.Collector{}
				c, err := parse(toolkit, strings.Split(line, "\x00"), read, d, reference)
				var fatal *diag.FatalError
				if err != nil && (!errors.As(err, &fatal) || d.Errors() == 0 || reference && d.Errors() != 1) {
					t.Fatalf("%v, %d errors", err, d.Errors())
				}
				if err != nil {
					continue
				}
				checkValues(t, c, len(line)+len(file), reference)
				if first != nil && !reflect.DeepEqual(first, c) {
					t.Fatalf("%+v and then %+v", first, c)
				}
				first = c
			}
		}
	})
}

// checkValues asks that every option has a value that it takes, and that lists hold no more than what was written, each
// options file as often as it may be opened.
func checkValues(t *testing.T, c *commandLine, size int, reference bool) {
	held := 0
	for id := range numOptions {
		o, v := &options[id], &c.values[id]
		if v.Given && !o.has(c.Toolkit) {
			t.Fatalf("%s has no --%s", c.Toolkit.Name, o.Long)
		}
		if v.Given && o.Form != formSwitch && o.Form != formList && id != optOptionsFile && !allowed(c.Toolkit, id, v.Text, reference) {
			t.Fatalf("--%s is %q", o.Long, v.Text)
		}
		for _, p := range v.Pieces {
			held += len(p) + 1
		}
	}
	if held > (size+1)*(maxFiles+1) {
		t.Fatalf("%d bytes of values from %d", held, size)
	}
}
