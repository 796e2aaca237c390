package link

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// What a link may allocate: three times what alignment may ask for (in the layout and, with it, in the file), and so much
// for each byte of its inputs. Relocations, symbols and sections cost about a hundred times their few bytes.
const (
	fuzzFloor  = 3*8<<20 + 16<<20
	fuzzFactor = 3*256 + 400
)

// fuzzLink links sources twice, with one thread and with several: the outcome is an image that can be parsed, or a message; both times
// the same, and for memory in proportion to the inputs.
func fuzzLink(t *testing.T, opts Options, src []Source) {
	size := 0
	for i := range src {
		size += len(src[i].Data)
	}
	var first []byte
	var said []string
	for i, jobs := range []int{1, 4} {
		d := &diag.Collector{}
		before := allocated()
		opts.Jobs = jobs
		res, err := Run(context.Background(), opts, src, d)
		if used := allocated() - before; used > uint64(fuzzFloor+fuzzFactor*size) {
			t.Fatalf("%d bytes allocated for inputs of %d bytes", used, size)
		}
		if err != nil {
			var fatal *diag.FatalError
			if d.Errors() == 0 && !errors.As(err, &fatal) {
				t.Fatalf("failed without a message: %v", err)
			}
			if i == 1 && first != nil {
				t.Fatalf("failed the second time: %v", err)
			}
			continue
		}
		f, err := cubin.Parse(res.Image)
		if err != nil {
			t.Fatalf("the image cannot be parsed: %v", err)
		}
		if want := cubin.FormOf(opts.Class).Class; f.Class != want || f.SM() != opts.SM {
			t.Fatalf("an image of %v for sm_%d", f.Class, f.SM())
		}
		if i == 0 {
			first, said = res.Image, texts(d)
			continue
		}
		if !bytes.Equal(first, res.Image) {
			t.Fatal("the same inputs gave other bytes")
		}
		if again := texts(d); len(again) != len(said) {
			t.Fatalf("%q and then %q", said, again)
		}
	}
}

// allocated is how many bytes the process has allocated so far. (runtime.ReadMemStats would stop it for longer than a link takes.)
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// seedObjects are cubins of our own programs.
func seedObjects(f *testing.F, patterns ...string) [][]byte {
	f.Helper()
	var out [][]byte
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(names) == 0 {
			f.Fatalf("no objects %s to start from: %v", pattern, err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			out = append(out, b)
		}
	}
	return out
}

// Bits of the fuzzers' flags.
const (
	fuzzRelocatable = 1 << iota
	fuzzDebug
	fuzzPreserve
	fuzzVerbose
	fuzzCallgraph
	fuzzFilter
	fuzzMercury
	fuzzOld
)

func fuzzOptions(flags uint8) Options {
	opts := Options{SM: 80, Toolkit: 130, Relocatable: flags&fuzzRelocatable != 0, Debug: flags&fuzzDebug != 0,
		PreserveRelocs: flags&fuzzPreserve != 0, Verbose: flags&fuzzVerbose != 0, DumpCallgraph: flags&fuzzCallgraph != 0,
		FilterGiven: flags&fuzzFilter != 0, KernelsUsed: []string{"k"}, KeepPointers: flags&fuzzCallgraph != 0, WarnNullPointers: true}
	if flags&fuzzMercury != 0 {
		opts.SM = 100
	}
	if flags&fuzzOld != 0 && flags&fuzzMercury == 0 {
		opts.Toolkit = 124
	}
	return opts
}

func fuzzPrograms() (sound, other program) {
	sound = program{SM: 80, ABI: 8, Functions: functions{
		kernel("k", "f", "g"), {Name: "f", Bind: weak, Registers: 30, Calls: []string{"f"}, Globals: []string{"x"}},
	}, Variables: variables{{Name: "x", Bind: global, Size: 16}}}
	other = program{SM: 80, ABI: 8, Functions: functions{
		fn("g", global, 40, "f"), fn("f", weak, 8), kernel("k2", "g"),
	}, Variables: variables{{Name: "x", Bind: weak, Size: 16}, {Name: "y", Bind: local, Size: 3}}}
	return sound, other
}

// FuzzLink has all variants of links of an input beside a sound one.
func FuzzLink(f *testing.F) {
	sound, other := fuzzPrograms()
	for _, flags := range []uint8{0, fuzzRelocatable, fuzzDebug | fuzzPreserve, fuzzFilter | fuzzOld} {
		f.Add(other.Encode(), flags)
	}
	for _, b := range seedObjects(f, "cuda11/*.cubin") {
		f.Add(b, uint8(fuzzOld))
	}
	for _, b := range seedObjects(f, "*.cubin") {
		f.Add(b, uint8(fuzzMercury))
	}
	base := sound.Encode()
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		src := []Source{{Name: "a.cubin", Data: base}, {Name: "b.cubin", Data: data}}
		if flags&fuzzMercury != 0 {
			src = src[1:] // an input without capsules would make an image without twins
		}
		fuzzLink(t, fuzzOptions(flags), src)
	})
}

// FuzzLinkMercury links an input with capsules beside a sound one.
func FuzzLinkMercury(f *testing.F) {
	objects := seedObjects(f, "*-sm_100.cubin")
	for i, b := range objects {
		f.Add(b, uint8(0))
		f.Add(b, uint8(1<<i))
	}
	sound := objects[0]
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		fuzzLink(t, fuzzOptions(flags|fuzzMercury), []Source{{Name: "a.cubin", Data: sound}, {Name: "b.cubin", Data: data}})
	})
}

// FuzzLinkDebug links an input with debug information: frames, lines and registers are rewritten.
func FuzzLinkDebug(f *testing.F) {
	for _, b := range seedObjects(f, "debug/*.cubin") {
		f.Add(b, uint8(0))
		f.Add(b, uint8(fuzzRelocatable))
		f.Add(b, uint8(fuzzOld))
	}
	for _, b := range seedObjects(f, "*-debug.cubin") {
		f.Add(b, uint8(fuzzMercury))
	}
	sound, _ := fuzzPrograms()
	base := sound.Encode()
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		src := []Source{{Name: "b.cubin", Data: data}, {Name: "a.cubin", Data: base}}
		if flags&fuzzMercury != 0 {
			src = src[:1]
		}
		fuzzLink(t, fuzzOptions(flags|fuzzDebug), src)
	})
}

// FuzzLinkRelocatable links with -r, and what comes out again, alone and with -r.
func FuzzLinkRelocatable(f *testing.F) {
	sound, other := fuzzPrograms()
	f.Add(other.Encode(), uint8(0))
	for _, b := range seedObjects(f, "cuda11/*.cubin") {
		f.Add(b, uint8(fuzzDebug))
	}
	for _, b := range seedObjects(f, "*-sm_100.cubin") {
		f.Add(b, uint8(fuzzMercury))
	}
	base := sound.Encode()
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		opts := fuzzOptions(flags&^fuzzOld | fuzzRelocatable)
		opts.KeepSettledRelocs, opts.KeepPointers = flags&fuzzOld != 0, flags&fuzzOld != 0
		src := []Source{{Name: "a.cubin", Data: base}, {Name: "b.cubin", Data: data}}
		if flags&fuzzMercury != 0 {
			src = src[1:]
		}
		res, err := Run(context.Background(), opts, src, &diag.Collector{})
		if err != nil {
			fuzzLink(t, opts, src)
			return
		}
		part := []Source{{Name: "part.cubin", Data: res.Image}}
		fuzzLink(t, opts, part)
		opts.Relocatable = false
		fuzzLink(t, opts, part)
	})
}

// FuzzLinkFiltered links under filters of kernels and variables, and with references of a host object.
func FuzzLinkFiltered(f *testing.F) {
	sound, other := fuzzPrograms()
	f.Add(other.Encode(), "k2", "x", uint8(0))
	f.Add(other.Encode(), "k*", "", uint8(fuzzFilter))
	for _, b := range seedObjects(f, "cuda11/*.cubin", "*-sm_100.cubin") {
		f.Add(b, "kern", "x*", uint8(fuzzFilter))
		f.Add(b, "_Z4*", "", uint8(fuzzMercury))
	}
	base := sound.Encode()
	f.Fuzz(func(t *testing.T, data []byte, kernels, variables string, flags uint8) {
		opts := fuzzOptions(flags)
		opts.KernelsUsed, opts.VariablesUsed = []string{kernels}, []string{variables}
		src := []Source{{Name: "a.cubin", Data: base}, {Name: "b.cubin", Data: data}}
		if flags&fuzzMercury != 0 {
			src = src[1:]
		}
		if !opts.FilterGiven {
			src[0].HasHostRefs = true
			src[0].HostKernelsExternal, src[0].HostVariables = []string{kernels}, []string{variables}
		}
		fuzzLink(t, opts, src)
	})
}

// FuzzLinkELF32 links 32-bit inputs.
func FuzzLinkELF32(f *testing.F) {
	objects := seedObjects(f, "elf32/[ab].cubin")
	for _, b := range objects {
		f.Add(b, uint8(0))
		f.Add(b, uint8(fuzzPreserve))
	}
	sound := objects[1]
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		opts := fuzzOptions(flags&^fuzzMercury | fuzzOld)
		opts.Class = cubin.Class32
		fuzzLink(t, opts, []Source{{Name: "a.cubin", Data: data}, {Name: "b.cubin", Data: sound}})
	})
}
