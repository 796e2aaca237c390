package link

import "testing"

func TestUnitsOfUserConstantsAreThoseThatTheReferenceMerges(t *testing.T) {
	// Sizes 1 to 128 at alignments 1 to 16, each linked behind a unit of 4 bytes with a filter of kernels (observed).
	always := map[uint64]bool{12: true, 16: true, 20: true, 24: true, 32: true, 48: true, 64: true}
	for _, size := range []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 68, 80, 96, 128} {
		for _, align := range []uint64{1, 2, 4, 8, 16} {
			want := always[size] || (size == 4 || size == 8) && align == size
			if got := isUnit(size, align); got != want {
				t.Errorf("%d bytes at alignment %d: %v, want %v", size, align, got, want)
			}
		}
	}
}
