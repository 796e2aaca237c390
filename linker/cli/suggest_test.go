package cli

import "testing"

func TestDistanceCountsLetters(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"arch", "arch", 0}, {"", "abc", 3}, {"abc", "", 3}, {"arch", "aarch", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
