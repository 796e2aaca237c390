package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
)

// verdict is how two outcomes of one link compare.
type verdict int

const (
	same verdict = iota
	differs
	notComparable // nvlink crashed, ended with an internal error or makes another image each time
	anew          // only code differs that nvlink generated anew
	mistaken      // nvlink takes one function for another of its name
	notLinked     // nvlink refused a stage
)

// compare says whether two outcomes are the same but for the code of the functions made, which nvlink generated anew. For those that
// differ, key says how, without names and numbers.
func compare(made map[string]bool, want, got outcome) (v verdict, key string) {
	switch {
	case got.timeout:
		return differs, "culink does not end"
	case got.code < 0, strings.Contains(got.text, "goroutine "):
		return differs, "culink crashes"
	case want.code < 0, want.timeout, strings.Contains(want.text, "Internal error"):
		return notComparable, ""
	case got.code != want.code:
		return differs, fmt.Sprintf("exit code %d for %d: %s", got.code, want.code, anonymous(firstDifference(want.text, got.text)))
	case got.text != want.text:
		return differs, "text: " + anonymous(firstDifference(want.text, got.text))
	case bytes.Equal(got.image, want.image):
		return same, ""
	case got.image == nil || want.image == nil:
		return differs, "an image is missing"
	}
	return compareImages(made, want.image, got.image)
}

// keysShown is the number of keys of culink diff that make the key of a group.
const keysShown = 3

func compareImages(made map[string]bool, want, got []byte) (verdict, string) {
	if _, err := cubin.Parse(want); err != nil {
		return notComparable, ""
	}
	all, err := differences(made, want, got)
	if err != nil {
		return differs, "image: " + err.Error()
	}
	var keys []string
	for _, d := range all {
		if k := anonymous(d); !slices.Contains(keys, k) && len(keys) < keysShown {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return anew, ""
	}
	return differs, "image: " + strings.Join(keys, "; ")
}

// differences lists the facts of two images that differ and do not follow from the code of the functions made.
func differences(made map[string]bool, want, got []byte) (keys []string, err error) {
	w, err := cubin.Parse(want)
	if err != nil {
		return nil, err
	}
	g, err := cubin.Parse(got)
	if err != nil {
		return nil, err
	}
	for _, d := range inspect.Diff(w, g) {
		if len(made) == 0 || !followsFromCode(d.Key, made) {
			keys = append(keys, d.Key)
		}
	}
	return keys, nil
}

// perFunction are the beginnings of names of sections that belong to the code of one function.
var perFunction = []string{".text.", ".nv.capmerc.text.", ".nv.info.", ".nv.merc.nv.info.", ".rela.text.", ".nv.merc.rela.text.", ".nv.resolvedrela.text.", ".nv.constant2."}

// placesInCode are sections that list places in code.
var placesInCode = regexp.MustCompile(`^(\.rela)?\.(nv\.merc\.)?(debug_frame|debug_line|nv_debug_line_sass|nv_debug_info_reg_sass)$`)

// followsFromCode reports whether a fact changes with the code of one of the functions made: the code itself, places in it, and where
// later sections begin.
func followsFromCode(key string, made map[string]bool) bool {
	words := strings.Fields(key)
	if ofFunctions(words, made) {
		return true
	}
	words = append(words, "", "", "")
	switch words[0] {
	case "symbol":
		return made[unnumbered(words[1])] && words[2] == "size"
	case "section", "capsule", "attribute", "relocation":
		return words[2] == "EIATTR_REGCOUNT" && made[words[3]] || placesInCode.MatchString(unnumbered(words[1]))
	}
	return false
}

// ofFunctions reports whether a fact is one of the sections of some functions, or of where sections begin.
func ofFunctions(words []string, names map[string]bool) bool {
	words = append(slices.Clip(words), "", "", "")
	switch words[0] {
	case "header", "segment":
		return true
	case "section", "capsule", "attribute", "relocation":
	default:
		return false
	}
	for _, prefix := range perFunction {
		if name, ok := strings.CutPrefix(unnumbered(words[1]), prefix); ok && names[name] {
			return true
		}
	}
	return words[0] == "section" && words[2] == "offset"
}

// unnumbered is a name without the number that tells it from others of the same name.
func unnumbered(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

// firstDifference is the first line of b that a does not have at its place, or the first that is missing.
func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range lb {
		if i >= len(la) {
			return "+" + lb[i]
		}
		if la[i] != lb[i] {
			return lb[i] + " | " + la[i]
		}
	}
	if len(la) > len(lb) {
		return "-" + la[len(lb)]
	}
	return ""
}

var (
	generated = regexp.MustCompile(`(_ZN2ns\d+|_Z\d+|\b)(f|k|g|s|c|t|dy|tab|own|loc|ptr_[a-d]|bytes_[a-d]|missing)\d*(alias)?(E?j|Pi)?\b`)
	number    = regexp.MustCompile(`\b(0x[0-9a-f]+|\d+)\b`)
)

// anonymous replaces the names that programs are made with, and numbers.
func anonymous(s string) string {
	return number.ReplaceAllString(generated.ReplaceAllString(s, "$2*"), "#")
}
