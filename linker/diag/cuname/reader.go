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
	subs     []typ
	depth    int
	release  Release
	// conversionType: what is read is the type of a conversion operator, where arguments behind a template parameter are the
	// operator's own.
	conversionType bool
}

// Limits on what a name may ask for: nesting, and bytes of text, which substitutions can make exponential.
const (
	maxDepth = 1024
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
func (r *reader) add(t typ) {
	if len(t.pre)+len(t.post) > maxText || len(r.subs) > 1<<12 {
		r.fail()
		return
	}
	r.subs = append(r.subs, t)
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
		return n.text + n.suffix
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
		return n.text + n.suffix
	}
	return result + n.text + list + n.suffix
}

// parameters reads types up to the end or an E and puts them in parentheses; a single void is none.
func (r *reader) parameters() string {
	var list []string
	for r.rest != "" && r.peek() != 'E' && r.peek() != '$' && !r.failed && !strings.HasPrefix(r.rest, "RE") && !strings.HasPrefix(r.rest, "OE") {
		list = append(list, r.typ().String())
	}
	none := len(list) == 1 && list[0] == "void"
	if none {
		list = nil
	}
	if len(list) == 0 && !none {
		r.fail()
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
	case r.take("TA"):
		return "template parameter object for " + r.argument()
	case r.take("GV"):
		return "Initialization guard variable for " + r.name().text
	case r.take("TW"):
		return "Thread-local wrapper routine for " + r.name().text
	case r.take("TH"):
		return "Thread-local initialization routine for " + r.name().text
	case r.take("Tc"):
		return "Covariant thunk for " + r.callOffset() + r.callOffset() + r.encoding(true)
	case r.take("T"):
		return "Thunk for " + r.callOffset() + r.encoding(true)
	}
	r.fail()
	return ""
}

// callOffset reads what a thunk adds to an address: h offset _ or v offset _ offset _.
func (r *reader) callOffset() string {
	if r.take("h") {
		off := r.offset()
		r.expect("_")
		return "(offset " + off + ") "
	}
	r.expect("v")
	off := r.offset()
	r.expect("_")
	virtual := r.offset()
	r.expect("_")
	return "(offset " + off + ", virtual offset " + virtual + ") "
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
