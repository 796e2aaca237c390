package link

import (
	"cmp"
	"slices"
)

func earlier(a, b readingPos) readingPos {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// addsNothing reports, for short lists, whether a has all that b has, nowhere later. False says nothing.
func addsNothing(a, b []word) bool {
	const short = 16
	if len(a) > short || len(b) > short {
		return false
	}
	for _, w := range b {
		if !slices.ContainsFunc(a, func(x word) bool { return x.value == w.value && x.at <= w.at }) {
			return false
		}
	}
	return true
}

// inOrder leaves of words that are there several times the first.
func inOrder(list []word) []word {
	if len(list) < 2 {
		return slices.Clip(list)
	}
	seen := make(map[uint32]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(w word) bool {
		known := seen[w.value]
		seen[w.value] = true
		return known
	})
}

// joinWords merges two lists in reading order, each word once, where it is first. Lists are never changed in place:
// functions share them.
func joinWords(a, b []word) []word {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0, len(a) == len(b) && &a[0] == &b[0]:
		return a
	}
	if addsNothing(a, b) {
		return a
	}
	at := make(map[uint32]readingPos, len(a)+len(b))
	for _, w := range a {
		at[w.value] = w.at
	}
	news := false
	for _, w := range b {
		if p, ok := at[w.value]; !ok || w.at < p {
			at[w.value] = w.at
			news = true
		}
	}
	if !news {
		return a
	}
	out := make([]word, 0, len(at))
	for _, list := range [2][]word{a, b} {
		for _, w := range list {
			if at[w.value] == w.at {
				out = append(out, w)
				at[w.value] = 0 // a place is never 0: the word is taken
			}
		}
	}
	slices.SortFunc(out, func(x, y word) int { return cmp.Compare(x.at, y.at) })
	return out
}

// joinOwnFirst lists an entry's own words and then those that it gets, each once.
func joinOwnFirst(own, all []word) []word {
	own = inOrder(own)
	known := make(map[uint32]bool, len(own))
	for _, w := range own {
		known[w.value] = true
	}
	for _, w := range all {
		if !known[w.value] {
			own = append(own, w)
		}
	}
	return own
}
