package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// feature is something that programs have or have not.
type feature int

const (
	featShared feature = iota
	featDynamic
	featConst
	featGlobal
	featCommon
	featWeak
	featWeakKernels
	featManaged
	featTextures
	featDoubles
	featDivision
	featSwitch
	featTables
	featPointers
	featIndirect
	featServices
	featAliases
	featLocalNames
	featLocalMemory
	featStatics
	featBounds
	featClusters
	featRecursion
	featBigAlign
	featMistakes
	featNoKernels
	featMaxRegisters
	featBarriers
	featWarp
	featAtomics
	featAsync
	featLines
	featMangled
	numFeatures
)

// features has the name of each feature and how often a program has it.
var features = [numFeatures]struct {
	name   string
	chance float64
}{
	featShared:       {"shared", .6},
	featDynamic:      {"dynamic", .35},
	featConst:        {"const", .5},
	featGlobal:       {"global", .8},
	featCommon:       {"common", .35},
	featWeak:         {"weak", .5},
	featWeakKernels:  {"weak-kernels", .25},
	featManaged:      {"managed", .25},
	featTextures:     {"textures", .3},
	featDoubles:      {"doubles", .35},
	featDivision:     {"division", .2},
	featSwitch:       {"switch", .35},
	featTables:       {"tables", .5},
	featPointers:     {"pointers", .4},
	featIndirect:     {"indirect", .5},
	featServices:     {"services", .35},
	featAliases:      {"aliases", .2},
	featLocalNames:   {"local-names", .5},
	featLocalMemory:  {"local-memory", .3},
	featStatics:      {"statics", .25},
	featBounds:       {"bounds", .3},
	featClusters:     {"clusters", .2},
	featRecursion:    {"recursion", .2},
	featBigAlign:     {"big-align", .3},
	featMistakes:     {"mistakes", .12},
	featNoKernels:    {"no-kernels", .05},
	featMaxRegisters: {"max-registers", .1},
	featBarriers:     {"barriers", .3},
	featWarp:         {"warp", .3},
	featAtomics:      {"atomics", .3},
	featAsync:        {"async", .15},
	featLines:        {"lines", .3},
	featMangled:      {"mangled", .3},
}

// random draws; the same seed gives the same draws on every machine.
type random struct{ *rand.Rand }

// newRandom makes the draws of one purpose; purposes of one seed are independent of each other.
func newRandom(seed uint64, purpose uint64) random {
	return random{rand.New(rand.NewPCG(seed, purpose))}
}

func (r random) chance(p float64) bool { return r.Float64() < p }

// between draws a number from least to most.
func (r random) between(least, most int) int { return least + r.IntN(most-least+1) }

func pick[T any](r random, from ...T) T { return from[r.IntN(len(from))] }

// some draws n elements, in their order.
func some[T any](r random, from []T, n int) []T {
	at := r.Perm(len(from))[:n]
	slices.Sort(at)
	out := make([]T, n)
	for i, j := range at {
		out[i] = from[j]
	}
	return out
}

// weighted draws an index; weights are relative.
func (r random) weighted(weights ...float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at := r.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// drawFeatures draws which features a program has; all are drawn before some are left out, so that the rest stays.
func drawFeatures(r random, without map[string]bool) (has [numFeatures]bool) {
	for i, f := range features {
		has[i] = r.chance(f.chance) && !without[f.name]
	}
	return has
}

// checkNames refuses names that are neither a feature nor a link's option.
func checkNames(names map[string]bool) error {
	known := make(map[string]bool)
	for _, f := range features {
		known[f.name] = true
	}
	for _, k := range linkKinds {
		known[k.name] = true
	}
	for _, o := range extraOptions {
		known[o.option] = true
	}
	for n := range names {
		if !known[n] {
			return fmt.Errorf("no feature or option is called %q", n)
		}
	}
	return nil
}
