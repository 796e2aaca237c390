package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/google/go-cmp/cmp"
)

// manyPrograms is a link of n files that call each other, use each other's variables and share weak functions.
func manyPrograms(n int) []program {
	out := make([]program, n)
	for i := range out {
		k := kernel(fmt.Sprintf("k%d", i), fmt.Sprintf("f%d", i), fmt.Sprintf("f%d", (i+1)%n), "shared")
		k.Globals = []string{fmt.Sprintf("x%d", (i+2)%n)}
		f := fn(fmt.Sprintf("f%d", i), global, uint32(8+i%40))
		f.Globals = []string{fmt.Sprintf("x%d", i)}
		out[i] = program{SM: 80, ABI: 8, Functions: functions{k, f, fn("shared", weak, uint32(40+(i*7)%13)), fn(fmt.Sprintf("dead%d", i), global, 9)},
			Variables: variables{{Name: fmt.Sprintf("x%d", i), Bind: global, Size: uint64(4 + i%5)}, {Name: "static", Bind: local, Size: 4}}}
	}
	return out
}

func imageOf(t *testing.T, opts Options, programs []program) []byte {
	t.Helper()
	var src []Source
	for i := range programs {
		src = append(src, Source{Name: fmt.Sprintf("%d.cubin", i), Data: programs[i].Encode()})
	}
	d := &diag.Collector{}
	res, err := Run(context.Background(), opts, src, d)
	if err != nil {
		t.Fatalf("%v: %v", err, texts(d))
	}
	return res.Image
}

func TestTheSameBytesForAnyNumberOfGoroutines(t *testing.T) {
	programs := manyPrograms(70)
	for _, o := range []Options{{}, {Relocatable: true}, {PreserveRelocs: true}, {Debug: true}} {
		o.SM, o.Toolkit = 80, 130
		var first []byte
		for _, jobs := range []int{1, 2, 3, 16} {
			o.Jobs = jobs
			image := imageOf(t, o, programs)
			if first == nil {
				first = image
			} else if !bytes.Equal(first, image) {
				t.Errorf("%d goroutines give other bytes than one (%+v)", jobs, o)
			}
		}
	}
}

func TestDeadFunctionsLeaveNoTrace(t *testing.T) {
	image := imageOf(t, Options{SM: 80, Toolkit: 130}, manyPrograms(3))
	if bytes.Contains(image, []byte("dead")) {
		t.Error("the image names a dead function")
	}
	if !bytes.Contains(image, []byte("shared")) {
		t.Error("the image does not name a live one")
	}
}

func TestUndefinedFunctionsAreReportedOnceEachInOrder(t *testing.T) {
	l, err := linkUpTo(t, "write", Options{}, program{Functions: functions{kernel("k", "missing", "gone"), fn("dead", global, 8, "unneeded")}},
		program{Functions: functions{kernel("q", "gone", "vprintf", "__profile", "cudaGraphLaunch", "cudaGraphSetConditional",
			"cudaGraphKernelNodeSetEnabled", "cudaGraphKernelNodeSetGridDim", "cudaGraphKernelNodeSetParam",
			"cudaGraphKernelNodeUpdatesApply")}})
	if !errors.Is(err, ErrFailed) {
		t.Errorf("error %v, want ErrFailed", err)
	}
	want := []string{"Undefined reference to 'missing' in 'a.cubin'", "Undefined reference to 'gone' in 'a.cubin'"}
	if diff := cmp.Diff(want, texts(l.Diag)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if l.result.Image != nil {
		t.Error("a failed link made an image")
	}
}

// TestStagesGiveWhatOneLinkGives links every split of four files in two stages and compares what the device sees: the code
// of each function, the relocations of its code by name, and the bytes of variables.
func TestStagesGiveWhatOneLinkGives(t *testing.T) {
	programs := manyPrograms(4)
	whole := deviceView(t, imageOf(t, Options{SM: 80, Toolkit: 130}, programs))
	part := Options{SM: 80, Toolkit: 130, Relocatable: true, KeepSettledRelocs: true}
	for split := 1; split < 4; split++ {
		a, b := imageOf(t, part, programs[:split]), imageOf(t, part, programs[split:])
		d := &diag.Collector{}
		res, err := Run(context.Background(), Options{SM: 80, Toolkit: 130}, []Source{{Name: "a", Data: a}, {Name: "b", Data: b}}, d)
		if err != nil {
			t.Fatalf("split %d: %v: %v", split, err, texts(d))
		}
		if diff := cmp.Diff(whole, deviceView(t, res.Image)); diff != "" {
			t.Errorf("split %d (-one link +stages):\n%s", split, diff)
		}
	}
}

// deviceView describes an image without numbers and order.
func deviceView(t *testing.T, image []byte) map[string]string {
	t.Helper()
	f, err := cubin.Parse(image)
	if err != nil {
		t.Fatal(err)
	}
	view := map[string]string{}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch {
		case kindOf(s.Name, s.Owned()) == kindText, kindOf(s.Name, s.Owned()) == kindConstEntry:
			view[s.Name] = fmt.Sprintf("%x", s.Data)
		case s.NumRels() > 0:
			var lines []string
			for k := range s.NumRels() {
				r := s.RelAt(k)
				lines = append(lines, fmt.Sprintf("%#x %d %s%+d", r.Offset, r.Type, f.Symbols[r.Sym].Name, r.Addend))
			}
			slices.Sort(lines)
			view[s.Name] = fmt.Sprint(lines)
		}
	}
	for i := range f.Symbols {
		y := &f.Symbols[i]
		if y.Type() == cubin.STTObject && y.Binding() != cubin.STBLocal && y.Shndx != cubin.SHNUndef {
			s := &f.Sections[y.Shndx]
			view["variable "+y.Name] = fmt.Sprintf("%x", s.Data[y.Value:y.Value+y.Size])
		}
	}
	return view
}

func TestManyCreatedSectionsMakeASymtabShndx(t *testing.T) {
	// 14 sections a file and function, those of dead functions counted: see wideSections.
	wide := func(files, dead int) bool {
		programs := make([]program, files)
		for i := range programs {
			programs[i] = program{SM: 80, ABI: 8, Functions: functions{kernel(fmt.Sprintf("k%d", i))}}
			for j := range dead {
				f := fn(fmt.Sprintf("d%d_%d", i, j), global, 8)
				f.Size = 16
				programs[i].Functions = append(programs[i].Functions, f)
			}
		}
		f, err := cubin.Parse(imageOf(t, Options{SM: 80, Toolkit: 130}, programs))
		if err != nil {
			t.Fatal(err)
		}
		return f.Find(".symtab_shndx") != 0
	}
	if wide(50, 100) {
		t.Error("10,000 sections make a .symtab_shndx")
	}
	if !wide(50, 700) {
		t.Error("70,000 created sections make no .symtab_shndx")
	}
}

func BenchmarkLink(b *testing.B) {
	programs := manyPrograms(500)
	var src []Source
	for i := range programs {
		src = append(src, Source{Name: fmt.Sprintf("%d.cubin", i), Data: programs[i].Encode()})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(context.Background(), Options{SM: 80, Toolkit: 130}, src, &diag.Collector{}); err != nil {
			b.Fatal(err)
		}
	}
}
