package cuname

import (
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// longest is the length of the longest name that the general demangler is asked for: it is slow on long ones.
const longest = 2048

// Release says whose style a text has, where releases differ.
type Release int

// The releases.
const (
	CUDA13 Release = iota
	CUDA12         // _Float16 and the like have the names that the standard library gives them: std::float16_t
)

// Demangle returns the C++ form of a name, or the name itself if it is not mangled or has parts that the reference does
// not know. Any input is safe; the result is shorter than 64 KiB, or the name.
func Demangle(name string, release Release) string {
	if part, ok := strings.CutPrefix(name, "$"); ok && strings.HasPrefix(part, "_Z") { // a function in another one's code
		if text := Demangle(part, release); text != part {
			return text
		}
		return name
	}
	if !strings.HasPrefix(name, "_Z") {
		if local := withoutFile(name); local != "" {
			if text := Demangle(local, release); text != local {
				return text
			}
		}
		return name
	}
	if text, ok := clones(name, release); ok {
		return text
	}
	return name
}

// Readable returns the C++ form of a name as c++filt has it, with template parameters replaced: float f<float>(float*). What only
// NVIDIA's compiler makes reads as Demangle has it. Any input is safe; the result is shorter than 64 KiB.
func Readable(name string) string {
	if strings.HasPrefix(name, "_Z") && !strings.Contains(name, "_INTERNAL_") && len(name) <= longest {
		if text := general(name); text != name {
			return text
		}
	}
	return Demangle(name, CUDA13)
}

// clones is the text of a mangled name, or of several with dollar signs between them: the first is the function that the
// second is a part of, and so on. A number in the place of a name is not shown.
func clones(name string, release Release) (string, bool) {
	text := ""
	for rest := name; ; {
		r := reader{rest: rest[2:], release: release}
		t := strings.TrimSuffix(r.encoding(true), " ")
		if r.failed || t == "" {
			return "", false
		}
		if text == "" {
			text = t
		} else {
			text = "[clone " + text + "] " + t
		}
		if r.rest == "" {
			return text, true
		}
		clone, ok := strings.CutPrefix(r.rest, "$")
		if !ok || !r.function || len(text) > maxText {
			return "", false
		}
		switch digits := len(clone) - len(strings.TrimLeft(clone, "0123456789")); {
		case digits > 0 && digits == len(clone):
			return text, true
		case digits > 0:
			return name, true
		case !strings.HasPrefix(clone, "_Z"):
			return "[clone " + text + "] " + clone, true
		}
		rest = clone
	}
}

// withoutFile returns what is behind the prefix that nvcc puts before the names of kernels and variables with internal
// linkage, if that is a mangled name, and otherwise nothing. The prefix has the length of its own middle part:
// __nv_static_25__b216a4cf_4_a_cu__Z4lam0i__Z4k0_2Pii.
func withoutFile(name string) string {
	rest, ok := strings.CutPrefix(name, "__nv_static_")
	if !ok {
		return ""
	}
	digits, rest, ok := strings.Cut(rest, "_")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil || n >= uint64(len(rest)) || !strings.HasPrefix(rest[n:], "__Z") {
		return ""
	}
	return rest[n+1:]
}

// general is the general demangler's reading of a name.
func general(name string) string {
	// The limit is two to that power, in bytes.
	const limit = 15
	s, err := demangle.ToString(name, demangle.MaxLength(limit))
	if err != nil || s == "" {
		return name
	}
	return s
}
