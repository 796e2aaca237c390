package link

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestListSortOrdersEqualElementsLikeTheReference checks the permutations that were observed: n equal variables in one
// entry (alignment, then size, the first list on a tie) and n in groups (strictly larger size first).
func TestListSortOrdersEqualElementsLikeTheReference(t *testing.T) {
	core := func(p, q *int) bool { return true }
	group := func(p, q *int) bool { return false }
	tests := []struct {
		name   string
		before func(p, q *int) bool
		want   []int
	}{
		{"core", core, []int{0}},
		{"core", core, []int{0, 1}},
		{"core", core, []int{2, 0, 1}},
		{"core", core, []int{2, 0, 3, 1}},
		{"core", core, []int{0, 4, 2, 3, 1}},
		{"group", group, []int{1, 0}},
		{"group", group, []int{1, 0, 2}},
		{"group", group, []int{1, 3, 0, 2}},
		{"group", group, []int{1, 3, 2, 4, 0}},
		{"group", group, []int{3, 5, 1, 2, 4, 0}},
	}
	for _, tt := range tests {
		got := make([]int, len(tt.want))
		for i := range got {
			got[i] = i
		}
		listSort(got, tt.before)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s order of %d equal elements (-want +got):\n%s", tt.name, len(tt.want), diff)
		}
	}
}

func TestListSortSortsAndKeepsEveryElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		list := make([]int, n)
		for i := range list {
			list[i] = rng.IntN(10)
		}
		want := slices.Sorted(slices.Values(list))
		listSort(list, func(p, q *int) bool { return *p <= *q })
		if diff := cmp.Diff(want, list); n > 0 && diff != "" {
			t.Fatalf("%d elements (-want +got):\n%s", n, diff)
		}
	}
}
