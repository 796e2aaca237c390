package glob

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Texts of two letters overlap in all ways.
func TestPatternSetsMatchWhatOneOfTheirPatternsMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	text := func(letters string, n int) string {
		b := make([]byte, r.IntN(n))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	for range 5000 {
		patterns := make([]string, 1+r.IntN(6))
		for i := range patterns {
			patterns[i] = text("aab*", 8)
		}
		set := NewSet(patterns)
		for range 20 {
			name := text("aab", 10)
			want := slices.ContainsFunc(patterns, func(p string) bool { return match(name, p) })
			if got := set.Matches(name); got != want {
				t.Fatalf("%q matches %q: %v, want %v", patterns, name, got, want)
			}
		}
	}
}

func TestThousandsOfPiecesAreLookedForAtOnce(t *testing.T) {
	const n = 20000
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = fmt.Sprintf("kernel_%06d_", i)
	}
	set := NewSet(Containing(pieces))
	for i := range n {
		if name := fmt.Sprintf("_Z5kernel_%06d_Pi", i); !set.Matches(name) {
			t.Fatalf("%s is not found", name)
		}
		if name := fmt.Sprintf("_Z5kernel_%06dPi", i); set.Matches(name) {
			t.Fatalf("%s is found", name)
		}
	}
}

func TestPatternsKnowOnlyTheStar(t *testing.T) {
	tests := []struct {
		name, pattern string
		want          bool
	}{
		{"_Z5kusedPi", "_Z5kused*", true},
		{"_Z5kusedPi", "*kused*", true},
		{"_Z5kusedPi", "kused*", false},
		{"a.b", "a?b", false},
		{"axxbxxc", "a*b*c", true},
		{"axxc", "a*b*c", false},
		{"ab", "ab*b", false},
		{"k", "k", true},
		{"kk", "k", false},
	}
	for _, tt := range tests {
		if got := match(tt.name, tt.pattern); got != tt.want {
			t.Errorf("match(%q, %q) = %v", tt.name, tt.pattern, got)
		}
		if got := NewSet([]string{tt.pattern}).Matches(tt.name); got != tt.want {
			t.Errorf("NewSet(%q).Matches(%q) = %v", tt.pattern, tt.name, got)
		}
	}
}
