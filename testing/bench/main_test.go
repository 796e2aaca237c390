package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/link"
)

func TestInputsLinkAndAreTheSameEachTime(t *testing.T) {
	for _, s := range []shape{{"objects", 60, 16, few}, {"live", 60, 16, all}, {"ladder", 12, 16, ladder}} {
		var src []link.Source
		for n := range s.files {
			b := s.object(n)
			if !bytes.Equal(b, s.object(n)) {
				t.Fatalf("%s: file %d differs from call to call", s.name, n)
			}
			src = append(src, link.Source{Name: fmt.Sprintf("m%d.cubin", n), Data: b})
		}
		res, err := link.Run(context.Background(), link.Options{SM: 80, Toolkit: 130}, src, &diag.Collector{})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		f, err := cubin.Parse(res.Image)
		if err != nil {
			t.Fatal(err)
		}
		if f.Find(fmt.Sprintf(".text.kern_%d", s.files-1)) == 0 {
			t.Errorf("%s: the last file's kernel is not in the image", s.name)
		}
		if live := f.Find(".text.dev_0_0") != 0; live != (s.calls != few) {
			t.Errorf("%s: the first file's first function is in the image: %v", s.name, live)
		}
	}
}

func TestImagesAreComparedToTheirEnds(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	long := bytes.Repeat([]byte{7}, 3<<16)
	other := bytes.Clone(long)
	other[len(other)-1]++
	a := file("a", long)
	for _, tt := range []struct {
		data []byte
		want string
	}{{long, "same bytes"}, {other, "DIFFERENT"}, {long[:2<<16], "DIFFERENT"}, {long[:100], "DIFFERENT"}, {nil, "DIFFERENT"}} {
		if got := compare(a, file("b", tt.data)); got != tt.want {
			t.Errorf("%d bytes: %s, want %s", len(tt.data), got, tt.want)
		}
	}
	if got := compare(a, filepath.Join(dir, "missing")); got != "unreadable" {
		t.Error(got)
	}
}

func TestExponentIsTheSlopeOfLogarithms(t *testing.T) {
	var figures []figure
	sizes := []int{10, 100, 1000}
	for _, n := range sizes {
		figures = append(figures, figure{wall: time.Duration(math.Pow(float64(n), 1.5)) * time.Microsecond, ok: true})
	}
	if got := exponent(sizes, figures); got != "1.50" {
		t.Errorf("exponent %s, want 1.50", got)
	}
	if got := exponent(sizes[:1], figures[:1]); got != "-" {
		t.Errorf("exponent %s of a single figure", got)
	}
}
