package cuname

import "github.com/ianlancetaylor/demangle"

// Demangle returns the C++ form of a name, or the name itself if it is not mangled.
func Demangle(name string) string {
	s, err := demangle.ToString(name)
	if err != nil {
		return name
	}
	return s
}
