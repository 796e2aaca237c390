package arch

import (
	"fmt"
	"strconv"
	"strings"
)

// Suffix is the letter behind the number of an architecture.
type Suffix byte

// Suffixes. Plain code runs on later minor versions too, Family code inside its family, Accelerated code nowhere else.
const (
	Plain       Suffix = 0
	Accelerated Suffix = 'a'
	Family      Suffix = 'f'
)

// Arch is an architecture without its kind: {90, Accelerated} is 90a. The zero value is no architecture.
type Arch struct {
	SM     int // 50 to 121
	Suffix Suffix
}

// String is the architecture's number and suffix: 90a.
func (a Arch) String() string {
	if a.Suffix == Plain {
		return strconv.Itoa(a.SM)
	}
	return strconv.Itoa(a.SM) + string(rune(a.Suffix))
}

// Kind tells real architectures from virtual ones.
type Kind uint8

// Kinds of names.
const (
	Real    Kind = iota // sm_90: machine code
	Virtual             // compute_90: PTX; as a target of a link it makes the reference do nothing
	LTO                 // lto_90: intermediate code; not a target of a link without link-time optimisation
)

var prefixes = [...]string{Real: "sm_", Virtual: "compute_", LTO: "lto_"}

// Name is an architecture as it is written on a command line.
type Name struct {
	Arch
	Kind Kind
}

// String is the name as it is written on a command line: sm_90a.
func (n Name) String() string { return prefixes[n.Kind] + n.Arch.String() }

// UnknownError reports a name that is no architecture of the toolkit.
type UnknownError struct {
	Name    string
	Toolkit string // "12.4"
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q is not an architecture of CUDA %s", e.Name, e.Toolkit)
}

// Parse reads sm_N, compute_N or lto_N. The match is exact, with no blanks and no leading zeros, as the reference has it.
// An architecture that the toolkit does not have is an *UnknownError.
func (t *Toolkit) Parse(s string) (Name, error) {
	for k, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			if a, ok := parseArch(rest); ok && t.Has(a) {
				return Name{a, Kind(k)}, nil
			}
		}
	}
	return Name{}, &UnknownError{s, t.Name}
}

// parseArch reads 90a.
func parseArch(s string) (Arch, bool) {
	a := Arch{}
	if n := len(s); n > 0 && (s[n-1] == byte(Accelerated) || s[n-1] == byte(Family)) {
		a.Suffix, s = Suffix(s[n-1]), s[:n-1]
	}
	if len(s) < 2 || len(s) > 3 || s[0] == '0' {
		return Arch{}, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return Arch{}, false
		}
		a.SM = 10*a.SM + int(c-'0')
	}
	return a, true
}
