package cuname

import (
	"strconv"
	"strings"
	"sync"
)

// typ is the text of a type: what stands before and behind a name declared with it. A type's name ends in a blank; that
// of something that was no type when the mangled name had it first does not, so that no blank stands before a sign: the
// reference writes "A::f(A*)", but "f(A *, A *)".
type typ struct {
	pre, post string
	// function and array types need parentheses around a sign; behind the sign of a pointer qualifiers stand behind, too.
	function, array, pointer bool
}

func (t typ) String() string {
	if t.post == "" {
		return strings.TrimSuffix(t.pre, " ")
	}
	return t.pre + t.post
}

func named(s string) typ { return typ{pre: s + " "} }

var builtins = sync.OnceValue(func() map[byte]string {
	return map[byte]string{
		'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short",
		't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long",
		'y': "unsigned long long", 'n': "__int128", 'o': "unsigned __int128", 'f': "float", 'd': "double", 'e': "long double",
		'g': "__float128", 'z': "...",
	}
})

var builtinsD = sync.OnceValue(func() map[byte]string {
	return map[byte]string{
		'n': "std::nullptr_t", 'h': "__fp16", 'i': "char32_t", 's': "char16_t", 'u': "char8_t", 'a': "auto",
	}
})

var qualifiers = []struct{ code, word string }{{"r", "restrict"}, {"V", "volatile"}, {"K", "const"}}

// typ reads <type>.
func (r *reader) typ() typ {
	if !r.enter() {
		return typ{}
	}
	defer r.leave()
	c := r.peek()
	if s, ok := builtins()[c]; ok && !r.startsQualifier() {
		r.rest = r.rest[1:]
		return named(s)
	}
	t, last := typ{}, ""
	switch {
	case r.startsQualifier():
		t = r.qualified()
	case r.take("P"):
		t = r.typ().sign("*")
	case r.take("R"):
		t = r.typ().sign("&")
	case r.take("O"):
		t = r.typ().sign("&&")
	case r.take("C"):
		t = typ{pre: "_Complex " + r.typ().pre + " "}
	case c == 'F':
		t = r.functionType()
	case r.take("A"):
		n := r.digits()
		r.expect("_")
		e := r.typ()
		t = typ{pre: e.pre, post: "[" + n + "]" + e.post, array: true}
	case r.take("M"):
		class := " :: " + r.typ().String() + "::*"
		m := r.typ()
		t = typ{pre: m.pre + class, post: m.post, pointer: true}
		if m.function {
			t = typ{pre: m.pre + "(" + class, post: ")" + m.post, pointer: true}
		}
	case c == 'T':
		t = named(r.templateParameter())
		if r.peek() == 'I' {
			r.add(t, "")
			t = named(t.String() + r.arguments())
		}
	case c == 'D':
		var known bool
		if t, known = r.dType(); known {
			return t
		}
	case c == 'S' && !strings.HasPrefix(r.rest, "St"):
		e := r.substitution()
		if r.peek() != 'I' {
			return e.typ
		}
		t, last = typ{pre: strings.TrimSuffix(e.pre, " ") + r.arguments()}, e.last
	case c == 'N', c == 'Z', c == 'S', isDigit(c):
		n := r.name()
		t, last = named(n.text), n.last
		if n.substitution {
			t.pre = n.text
		}
	case r.take("u"):
		t = named(r.source())
	default:
		r.fail()
		return typ{}
	}
	r.add(t, last)
	return t
}

// dType reads types that begin with D; known types are no candidates for substitution.
func (r *reader) dType() (t typ, known bool) {
	switch {
	case r.take("Dp"):
		t = r.typ()
		return typ{pre: strings.TrimSuffix(t.pre, " ") + "...", post: t.post}, false
	case r.take("Do"):
		t = r.functionType()
		t.post += " noexcept"
		return t, false
	case strings.HasPrefix(r.rest, "Dt"), strings.HasPrefix(r.rest, "DT"):
		name := r.rest[1] == 't' // of something that has a name: no parentheses
		r.rest = r.rest[2:]
		bare := name || r.peek() == 'T' || r.peek() == 'L'
		e := r.expression()
		r.expect("E")
		if !bare {
			e = "(" + e + ")"
		}
		return named("decltype(" + e + ")"), false
	case r.take("Dv"):
		n := r.digits()
		r.expect("_")
		e := r.typ().String()
		return typ{pre: e + " __attribute((vector_size(" + n + "*sizeof(" + e + "))))  "}, false
	}
	if len(r.rest) > 1 {
		if s, ok := builtinsD()[r.rest[1]]; ok {
			r.rest = r.rest[2:]
			return named(s), true
		}
	}
	r.fail()
	return typ{}, true
}

func (r *reader) startsQualifier() bool {
	c := r.peek()
	return c == 'r' || c == 'V' || c == 'K'
}

// qualified reads qualifiers and the type behind them: words stand before a name, but behind the sign of a pointer and
// behind the parameters of a function.
func (r *reader) qualified() typ {
	words := ""
	for _, q := range qualifiers {
		if r.take(q.code) {
			words = q.word + " " + words
		}
	}
	t := r.typ()
	switch {
	case t.function:
		t.post += " " + strings.TrimSuffix(words, " ")
	case t.pointer:
		t.pre += words
	default:
		t.pre = words + t.pre
	}
	return t
}

// sign makes a pointer or reference of a type.
func (t typ) sign(s string) typ {
	if t.function || t.array {
		return typ{pre: t.pre + "(" + s, post: ")" + t.post, pointer: true}
	}
	return typ{pre: t.pre + s, post: t.post, pointer: true}
}

func (r *reader) functionType() typ {
	r.expect("F")
	r.take("Y")
	result := r.typ()
	list := r.parameters()
	r.expect("E")
	return typ{pre: result.pre, post: list + result.post, function: true}
}

// templateParameter reads T_, T0_ ... The text is the parameter itself: T1, T2 ...
func (r *reader) templateParameter() string {
	r.expect("T")
	n := 1
	if r.peek() != '_' {
		n = r.number() + 2
	}
	r.expect("_")
	return "T" + strconv.Itoa(n)
}

var standard = sync.OnceValue(func() map[byte]entry {
	return map[byte]entry{
		'a': {typ{pre: "std::allocator"}, "allocator"},
		'b': {typ{pre: "std::basic_string"}, "basic_string"},
		's': {typ{pre: "std::basic_string<char, std::char_traits<char>, std::allocator<char>>"}, "basic_string"},
		'i': {typ{pre: "std::basic_istream<char, std::char_traits<char>>"}, "basic_istream"},
		'o': {typ{pre: "std::basic_ostream<char, std::char_traits<char>>"}, "basic_ostream"},
		'd': {typ{pre: "std::basic_iostream<char, std::char_traits<char>>"}, "basic_iostream"},
	}
})

// substitution reads S_, S0_ ... (numbers to the base 36) or one of the standard ones.
func (r *reader) substitution() entry {
	r.expect("S")
	if e, ok := standard()[r.peek()]; ok {
		r.rest = r.rest[1:]
		return e
	}
	end := strings.IndexByte(r.rest, '_')
	if end < 0 || end > 4 {
		r.fail()
		return entry{}
	}
	n := 0
	if end > 0 {
		v, err := strconv.ParseUint(strings.ToLower(r.rest[:end]), 36, 32)
		if err != nil {
			r.fail()
			return entry{}
		}
		n = int(v) + 1
	}
	r.rest = r.rest[end+1:]
	if n >= len(r.subs) {
		r.fail()
		return entry{}
	}
	return r.subs[n]
}

// arguments reads template arguments.
func (r *reader) arguments() string {
	if !r.enter() {
		return ""
	}
	defer r.leave()
	r.expect("I")
	var list []string
	for packs := 0; ; {
		switch {
		case r.failed || r.rest == "" || len(list) > maxText:
			r.fail()
			return ""
		case r.take("J"):
			packs++
			if r.peek() == 'E' {
				list = append(list, "") // an empty pack has its place
			}
			continue
		case r.take("E"):
			if packs > 0 {
				packs--
				continue
			}
			return "<" + strings.Join(list, ", ") + ">"
		case r.take("X"):
			list = append(list, r.expression())
			r.expect("E")
		case r.peek() == 'L':
			list = append(list, r.literal())
		default:
			list = append(list, r.typ().String())
		}
	}
}

// literal reads L type value E, or the name of a function or variable.
func (r *reader) literal() string {
	r.expect("L")
	if r.take("_Z") {
		s := r.encoding(false)
		r.expect("E")
		return s
	}
	c := r.peek()
	if c == 'f' || c == 'd' || c == 'e' || c == 'Z' {
		r.fail() // values in hexadecimal, and what cu++filt does not read
		return ""
	}
	t := r.typ().String()
	v := r.offset()
	r.expect("E")
	return "(" + t + ")" + v
}
