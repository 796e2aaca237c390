package slab

import (
	"testing"
	"unsafe"
)

func TestSlicesOfAPoolAreZeroAndDoNotOverlap(t *testing.T) {
	var p Pool[uint32]
	var all [][]uint32
	for i := range 3000 {
		n := i * 7 % 1000
		s := p.Take(n)
		if len(s) != n || cap(s) != n {
			t.Fatalf("Take(%d) has length %d and capacity %d", n, len(s), cap(s))
		}
		for j := range s {
			if s[j] != 0 {
				t.Fatalf("element %d of slice %d is %d", j, i, s[j])
			}
			s[j] = uint32(i + 1)
		}
		all = append(all, s)
	}
	for i, s := range all {
		for j := range s {
			if s[j] != uint32(i+1) {
				t.Fatalf("element %d of slice %d was overwritten with %d", j, i, s[j])
			}
		}
	}
}

func TestPoolAllocatesLittleForFewSlicesAndSeldomForMany(t *testing.T) {
	var p Pool[byte]
	p.Take(100)
	if free := len(p.rest); free > firstChunk {
		t.Errorf("%d bytes are kept after the first slice, want at most %d", free, firstChunk)
	}
	chunks, last := 0, unsafe.SliceData(p.rest)
	for range 100000 {
		p.Take(64)
		if at := unsafe.Add(unsafe.Pointer(last), 64); at != unsafe.Pointer(unsafe.SliceData(p.rest)) {
			chunks++
		}
		last = unsafe.SliceData(p.rest)
	}
	if chunks > 10 {
		t.Errorf("6.4 MB in slices of 64 bytes took %d chunks, want at most 10", chunks)
	}
}

func TestSliceLargerThanAChunkIsAllocatedByItself(t *testing.T) {
	var p Pool[uint64]
	small := p.Take(4)
	rest := len(p.rest)
	if big := p.Take(2 * lastChunk); len(big) != 2*lastChunk || len(p.rest) != rest {
		t.Errorf("got %d elements, %d of %d left in the chunk", len(big), len(p.rest), rest)
	}
	if len(small) != 4 {
		t.Error("the first slice changed")
	}
}

func TestCapKeepsLengthAndCapacityForLargeSlices(t *testing.T) {
	s := Cap[[3]uint64](10, large)
	if len(s) != 10 || cap(s) != large {
		t.Errorf("length %d, capacity %d", len(s), cap(s))
	}
	s = s[:large]
	for i := range s {
		if s[i] != [3]uint64{} {
			t.Fatalf("element %d is %v", i, s[i])
		}
	}
}
