package inspect

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
)

func program(abi int, functions ...cubintest.Function) cubintest.Program {
	return cubintest.Program{SM: 90, ABI: abi, Functions: functions, Variables: []cubintest.Variable{{Name: "v", Bind: cubin.STBGlobal, Size: 8}}}
}

func kernel(calls ...string) cubintest.Function {
	return cubintest.Function{Name: "k", Bind: cubin.STBGlobal, Kernel: true, Registers: 24, Calls: calls, Globals: []string{"v"}}
}

func function(name string, registers uint32) cubintest.Function {
	return cubintest.Function{Name: name, Bind: cubin.STBGlobal, Registers: registers}
}

func parse(t testing.TB, data []byte) *cubin.File {
	t.Helper()
	f, err := cubin.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func built(t testing.TB, p cubintest.Program) *cubin.File { return parse(t, p.Encode()) }

func keys(d []Difference) []string {
	var out []string
	for _, x := range d {
		out = append(out, x.Key)
	}
	return out
}

func TestEqualFilesDoNotDiffer(t *testing.T) {
	a, b := built(t, program(8, kernel("f"), function("f", 16))), built(t, program(8, kernel("f"), function("f", 16)))
	if d := Diff(a, b); len(d) != 0 {
		t.Error(d)
	}
}

func TestAnAttributeIsOneDifference(t *testing.T) {
	d := Diff(built(t, program(8, kernel("f"), function("f", 16))), built(t, program(8, kernel("f"), function("f", 17))))
	found := false
	for _, x := range d {
		found = found || x.Key == "attribute .nv.info EIATTR_REGCOUNT f" && x.A == "SVAL 0x10" && x.B == "SVAL 0x11"
	}
	if !found || len(d) > 2 { // the register count is in sh_info, too
		t.Error(d)
	}
}

func TestAnInsertedSymbolDoesNotShiftTheOthers(t *testing.T) {
	d := Diff(built(t, program(8, kernel("g"), function("g", 16))), built(t, program(8, kernel("g"), function("f", 16), function("g", 16))))
	for _, k := range keys(d) {
		if strings.HasPrefix(k, "symbol g ") || strings.HasPrefix(k, "relocation .rela.text.k") || strings.HasPrefix(k, "call graph calls k") {
			t.Errorf("%s differs", k)
		}
	}
	if !strings.Contains(strings.Join(keys(d), "\n"), "symbol f\n") {
		t.Error(keys(d))
	}
}

func TestDifferencesMirror(t *testing.T) {
	a, b := built(t, program(8, kernel("f"), function("f", 16))), built(t, program(7, kernel("g"), function("g", 18)))
	ab, ba := Diff(a, b), Diff(b, a)
	count := map[Difference]int{}
	for _, d := range ab {
		count[d]++
	}
	for _, d := range ba {
		if strings.HasPrefix(d.Key, "order of ") {
			continue
		}
		count[Difference{d.Key, d.B, d.A}]--
	}
	for d, n := range count {
		if n != 0 && !strings.HasPrefix(d.Key, "order of ") {
			t.Errorf("%v: %d", d, n)
		}
	}
}

func TestEveryChangedByteIsADifference(t *testing.T) {
	p := program(8, kernel("f"), function("f", 16))
	data := p.Encode()
	a := parse(t, data)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x41
		b, err := cubin.Parse(changed)
		if err != nil {
			continue
		}
		if len(Diff(a, b)) == 0 {
			t.Errorf("byte %#x makes no difference", i)
		}
	}
}

func TestDumpNamesEverything(t *testing.T) {
	im := Describe(built(t, program(8, kernel("f"), function("f", 16))))
	if len(im.Problems) > 0 {
		t.Error(im.Problems)
	}
	var b strings.Builder
	if err := im.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ABI 8", "sm_90", ".text.k", "k  in .text.k  (kernel)", "calls    k -> f", "R_CUDA_ABS32_LO_32", "EIATTR_REGCOUNT"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the dump", want)
		}
	}
	data, err := json.Marshal(im)
	if err != nil {
		t.Fatal(err)
	}
	var back Image
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	for i := range back.Sections {
		back.Sections[i].Key = im.Sections[i].Key
	}
	for i := range back.Symbols {
		back.Symbols[i].Key = im.Symbols[i].Key
	}
	if d := cmp.Diff(im, &back); d != "" {
		t.Errorf("JSON loses something: %s", d)
	}
}

func TestUsesNamesThePlaces(t *testing.T) {
	f := built(t, program(8, kernel("f", "g"), function("h", 16)))
	got := map[string]int{}
	Uses(f, map[string]bool{"f": true, "v": true, "none": true}, func(s string, u Use) {
		got[s]++
		if u.Function() != "k" {
			t.Errorf("%s: %v", s, u)
		}
	})
	if got["f"] != 1 || got["v"] == 0 || len(got) != 2 {
		t.Error(got)
	}
}

func FuzzDiff(f *testing.F) {
	p := program(8, kernel("f"), function("f", 16))
	seed := p.Encode()
	f.Add(seed, 10, byte(1))
	f.Fuzz(func(t *testing.T, data []byte, at int, x byte) {
		a, err := cubin.Parse(data)
		if err != nil || at < 0 || at >= len(data) {
			return
		}
		if len(Diff(a, a)) != 0 {
			t.Error("a file differs from itself")
		}
		changed := bytes.Clone(data)
		changed[at] ^= x
		if b, err := cubin.Parse(changed); err == nil && (len(Diff(a, b)) == 0) != (x == 0) {
			t.Error("a change is no difference")
		}
		if err := Describe(a).WriteText(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	})
}
