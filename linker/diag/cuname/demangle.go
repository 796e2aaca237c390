package cuname

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangle returns the C++ form of a name, or the name itself if it is not mangled. Any input is safe; the result is
// shorter than 64 KiB.
func Demangle(name string) string {
	if !strings.HasPrefix(name, "_Z") {
		return name
	}
	r := reader{rest: name[2:]}
	text := strings.TrimSuffix(r.encoding(true), " ")
	if !r.failed && text != "" && (r.rest == "" || r.rest[0] == '$' && r.function) {
		return text
	}
	// The general demangler is slow on long names.
	const longest = 2048
	if len(name) > longest || strings.HasPrefix(name, "_ZL") || strings.HasPrefix(name, "_ZGT") || strings.ContainsAny(name, ".$") {
		return name // cu++filt leaves these alone
	}
	return general(name)
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
