package cuname

import (
	"strconv"
	"strings"
)

// reader reads one mangled name. After a failure it reads nothing more and its texts mean nothing.
type reader struct {
	rest   string
	failed bool
	// function is set when the name was a function's, with parameters.
	function bool
	subs     []entry
	depth    int
}

// entry is what a substitution stands for.
type entry struct {
	typ
	// last is the last part of a name without template arguments, for constructors.
	last string
}

// Limits on what a name may ask for: nesting, and bytes of text, which substitutions can make exponential.
const (
	maxDepth = 256
	maxText  = 1 << 16
)

func (r *reader) fail() {
	r.failed = true
	r.rest = ""
}

// enter guards a recursive rule; leave it in a defer.
func (r *reader) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.fail()
	}
	return !r.failed
}

func (r *reader) leave() { r.depth-- }

func (r *reader) peek() byte {
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

func (r *reader) take(prefix string) bool {
	rest, ok := strings.CutPrefix(r.rest, prefix)
	if ok {
		r.rest = rest
	}
	return ok
}

func (r *reader) expect(prefix string) {
	if !r.take(prefix) {
		r.fail()
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits reads a decimal number's digits, possibly none.
func (r *reader) digits() string {
	n := 0
	for n < len(r.rest) && isDigit(r.rest[n]) {
		n++
	}
	d := r.rest[:n]
	r.rest = r.rest[n:]
	return d
}

// number reads digits as a number of at most 6 digits.
func (r *reader) number() int {
	d := r.digits()
	if d == "" || len(d) > 6 {
		r.fail()
		return 0
	}
	n, _ := strconv.Atoi(d)
	return n
}

// add notes something that later parts of the name may refer to.
func (r *reader) add(t typ, last string) {
	if len(t.pre)+len(t.post) > maxText || len(r.subs) > 1<<12 {
		r.fail()
		return
	}
	r.subs = append(r.subs, entry{t, last})
}

// encoding reads <encoding>: a function with its parameters, a variable, or something that the compiler made.
func (r *reader) encoding(params bool) string {
	if !r.enter() {
		return ""
	}
	defer r.leave()
	if c := r.peek(); c == 'T' || c == 'G' {
		return r.special()
	}
	n := r.name()
	if r.failed || r.rest == "" || r.peek() == 'E' || r.peek() == '.' {
		return n.text
	}
	result := ""
	if n.template && !n.noResult {
		result = r.typ().String() + " "
	}
	if r.peek() == '$' {
		r.fail()
	}
	list := r.parameters()
	if r.failed {
		return ""
	}
	r.function = true
	if !params {
		return n.text
	}
	return result + n.text + list + n.suffix
}

// parameters reads types up to the end or an E and puts them in parentheses; a single void is none.
func (r *reader) parameters() string {
	var list []string
	for r.rest != "" && r.peek() != 'E' && r.peek() != '$' && !r.failed {
		list = append(list, r.typ().String())
	}
	if len(list) == 1 && list[0] == "void" {
		list = nil
	}
	if len(list) == 0 && r.failed {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}

var specials = []struct{ code, words string }{
	{"TV", "Virtual function table for "},
	{"TT", "Virtual table table for "},
	{"TI", "Typeinfo for "},
	{"TS", "Typeinfo name for "},
}

func (r *reader) special() string {
	for _, s := range specials {
		if r.take(s.code) {
			return s.words + r.typ().String()
		}
	}
	switch {
	case r.take("GV"):
		return "Initialization guard variable for " + r.name().text
	case r.take("Th"):
		off := r.offset()
		r.expect("_")
		return "Thunk for (offset " + off + ") " + r.encoding(true)
	case r.take("Tv"):
		off := r.offset()
		r.expect("_")
		virtual := r.offset()
		r.expect("_")
		return "Thunk for (offset " + off + ", virtual offset " + virtual + ") " + r.encoding(true)
	}
	r.fail()
	return ""
}

// offset reads a number with n for minus.
func (r *reader) offset() string {
	sign := ""
	if r.take("n") {
		sign = "-"
	}
	d := r.digits()
	if d == "" {
		r.fail()
	}
	return sign + d
}
