package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
)

// testTargets have every limit that the generator knows.
var testTargets = []target{
	{arch.Arch{SM: 50}, 124}, {arch.Arch{SM: 75}, 130}, {arch.Arch{SM: 80}, 124}, {arch.Arch{SM: 90, Suffix: arch.Accelerated}, 130},
	{arch.Arch{SM: 100}, 130}, {arch.Arch{SM: 110}, 130}, {arch.Arch{SM: 121, Suffix: arch.Family}, 130},
}

// eachProgram generates many programs.
func eachProgram(t *testing.T, without map[string]bool, f func(seed uint64, p *program)) {
	t.Helper()
	for seed := range uint64(60) {
		for _, tg := range testTargets {
			f(seed, generate(seed, tg, without))
		}
	}
}

func texts(p *program) []string {
	var out []string
	for _, f := range p.files {
		out = append(out, strings.Join(f.flags, " ")+"\n"+p.text(f))
	}
	return out
}

func TestProgramsFollowFromSeedAndTargetAlone(t *testing.T) {
	seen := map[string]uint64{}
	eachProgram(t, nil, func(seed uint64, p *program) {
		got := texts(p)
		if diff := cmp.Diff(got, texts(generate(seed, p.target, nil))); diff != "" {
			t.Fatalf("seed %d, %v: two programs:\n%s", seed, p.target, diff)
		}
		key := strings.Join(got, "")
		if other, ok := seen[key]; ok {
			t.Errorf("seeds %d and %d give one program", seed, other)
		}
		seen[key] = seed
		for i, f := range p.files {
			if again := p.text(f); !strings.HasSuffix(got[i], again) {
				t.Errorf("seed %d: writing a file twice gives two texts", seed)
			}
		}
	})
}

var (
	definition = regexp.MustCompile(`(?m)^(?:\.visible |\.weak |\.common )?\.(?:func|entry) (?:\([^)]*\) )?(\S+) \([^;]*$`)
	external   = regexp.MustCompile(`(?m)^\.extern \.func (?:\([^)]*\) )?(\S+) `)
	label      = regexp.MustCompile(`(?m)^([A-Z]+\d+(?:_\d+)?|ts\d+):`)
	callee     = regexp.MustCompile(`call\.uni (?:\(r\), )?([^,; ]+)`)
)

func TestFilesDeclareWhatTheyUseOnce(t *testing.T) {
	eachProgram(t, nil, func(seed uint64, p *program) {
		for _, f := range p.files {
			text := p.text(f)
			if !strings.HasPrefix(text, ".version ") || strings.Count(text, "{") != strings.Count(text, "}") {
				t.Fatalf("seed %d, %v: file %s has no version or open braces:\n%s", seed, p.target, f.name, text)
			}
			known := map[string]bool{"%rd5": true, "%rd0": true}
			for _, m := range definition.FindAllStringSubmatch(text, -1) {
				if known[m[1]] {
					t.Errorf("seed %d: file %s defines %s twice", seed, f.name, m[1])
				}
				known[m[1]] = true
			}
			for _, m := range external.FindAllStringSubmatch(text, -1) {
				if known[m[1]] {
					t.Errorf("seed %d: file %s declares %s, which it has", seed, f.name, m[1])
				}
				known[m[1]] = true
			}
			for _, i := range f.items {
				if i.alias != nil {
					known[i.sym.name] = true
				}
			}
			for _, m := range callee.FindAllStringSubmatch(text, -1) {
				if !known[m[1]] {
					t.Errorf("seed %d: file %s calls %s, which it does not know", seed, f.name, m[1])
				}
			}
			labels := map[string]bool{}
			for _, m := range label.FindAllStringSubmatch(text, -1) {
				if labels[m[1]] {
					t.Errorf("seed %d: file %s has the label %s twice", seed, f.name, m[1])
				}
				labels[m[1]] = true
			}
		}
	})
}

func TestStrongSymbolsHaveOneDefinition(t *testing.T) {
	eachProgram(t, nil, func(seed uint64, p *program) {
		for _, s := range p.symbols {
			defined := 0
			for _, f := range p.files {
				if f.defines(s) {
					defined++
				}
			}
			if want := len(s.files); defined != want || s.binding == strong && (s.kind == function || s.kind == variable) && defined != 1 {
				t.Errorf("seed %d: %s has %d definitions, %d files are to define it", seed, s.name, defined, want)
			}
		}
	})
}

func TestProgramsShowAllFeatures(t *testing.T) {
	// One piece of text for features that have one.
	shows := map[feature]string{
		featSwitch: "brx.idx", featDivision: "div.", featIndirect: ".callprototype", featBarriers: "bar.sync", featWarp: "shfl.", featAtomics: "atom.",
		featAsync: "cp.async", featLines: ".loc 1", featAliases: ".alias", featManaged: ".managed", featCommon: ".common", featWeakKernels: ".weak .entry",
		featTextures: "texref", featServices: "vprintf", featMangled: "_Z", featClusters: "cluster", featLocalMemory: ".local", featMaxRegisters: ".maxnreg",
		featDynamic: "[];", featTables: ".u64 tab", featPointers: ".u64 ptr_",
	}
	var all strings.Builder
	eachProgram(t, nil, func(_ uint64, p *program) { all.WriteString(strings.Join(texts(p), "")) })
	for f, text := range shows {
		if !strings.Contains(all.String(), text) {
			t.Errorf("no program shows %s", features[f].name)
		}
		for seed := range uint64(20) {
			p := generate(seed, testTargets[3], map[string]bool{features[f].name: true})
			if strings.Contains(strings.Join(texts(p), ""), text) {
				t.Errorf("seed %d shows %s, which is left out", seed, features[f].name)
			}
		}
	}
}

func TestPTXVersionsFitTargetAndRelease(t *testing.T) {
	for _, tc := range []struct {
		target target
		want   []string
	}{
		{target{arch.Arch{SM: 50}, 124}, []string{"7.8", "8.4"}},
		{target{arch.Arch{SM: 90}, 130}, []string{"8.0", "9.0"}},
		{target{arch.Arch{SM: 120}, 130}, []string{"8.8", "9.0"}},
		{target{arch.Arch{SM: 110}, 130}, []string{"9.0", "9.0"}},
	} {
		if diff := cmp.Diff(tc.want, tc.target.ptxVersions()); diff != "" {
			t.Errorf("%v: %s", tc.target, diff)
		}
	}
}
