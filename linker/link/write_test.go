package link

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/culink/culink/linker/diag"
)

func TestOutputGetsTheBytesOfTheImageInOrder(t *testing.T) {
	programs := manyPrograms(1200) // more than one batch of sections and of headers
	for _, o := range []Options{{}, {Relocatable: true}, {Debug: true}} {
		o.SM, o.Toolkit = 80, 130
		want := imageOf(t, o, programs)
		if len(want) < 2*batchSize {
			t.Fatalf("the image has %d bytes: one batch", len(want))
		}
		for _, jobs := range []int{1, 2, 5} {
			var got bytes.Buffer
			o.Jobs, o.Output = jobs, &got
			if image := imageOf(t, o, programs); image != nil {
				t.Errorf("%d jobs: an image of %d bytes is in memory, too", jobs, len(image))
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%d jobs: the output's %d bytes are not the image's %d", jobs, got.Len(), len(want))
			}
		}
	}
}

// fullDisk takes so many bytes.
type fullDisk int

var errFull = errors.New("no space left")

func (f *fullDisk) Write(b []byte) (int, error) {
	if *f -= fullDisk(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAnErrorOfTheOutputEndsTheLink(t *testing.T) {
	var src []Source
	for _, p := range manyPrograms(1200) {
		src = append(src, Source{Name: "a.cubin", Data: p.Encode()})
	}
	for _, room := range []fullDisk{0, batchSize + batchSize/4} {
		res, err := Run(context.Background(), Options{SM: 80, Toolkit: 130, Jobs: 3, Output: &room}, src, &diag.Collector{})
		if !errors.Is(err, errFull) || res.Image != nil {
			t.Errorf("error %v, image of %d bytes", err, len(res.Image))
		}
	}
}
