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
	// last is the last part of a name without template arguments, for constructors.
	last string
	// function and array types need parentheses around a sign; behind the sign of a pointer qualifiers stand behind, too.
	function, array, pointer bool
	// blank: the blank at the end of pre stays when nothing follows.
	blank bool
}

func (t typ) String() string {
	if t.post == "" && !t.blank {
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
		'n': "std::nullptr_t", 'h': "__fp16", 'i': "char32_t", 's': "char16_t", 'u': "char8_t", 'a': "auto", 'c': "decltype(auto)",
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
	conversion := r.conversionType
	r.conversionType = r.conversionType && strings.IndexByte("rVKPROC", c) >= 0
	if s, ok := builtins()[c]; ok && !r.startsQualifier() {
		r.rest = r.rest[1:]
		return named(s)
	}
	var t typ
	switch {
	case r.startsQualifier():
		words := r.qualifierWords()
		if r.startsFunction() {
			return r.functionType(" " + strings.TrimSuffix(words, " "))
		}
		t = r.typ().qualified(words)
	case r.take("P"):
		t = r.typ().sign("*")
	case r.take("R"):
		t = r.typ().sign("&")
	case r.take("O"):
		t = r.typ().sign("&&")
	case r.take("C"):
		t = typ{pre: "_Complex " + r.typ().pre, pointer: true, blank: true}
	case r.startsFunction():
		return r.functionType("")
	case r.take("A"):
		t = r.arrayType()
	case r.take("U"):
		t = r.vendorQualified()
	case r.take("M"):
		class := " :: " + r.typ().String() + "::*"
		m := r.typ()
		t = typ{pre: m.pre + class, post: m.post, pointer: true}
		if m.function || m.array {
			t = typ{pre: m.pre + "(" + class, post: ")" + m.post, pointer: true}
		}
	case c == 'T':
		t = named(r.templateParameter())
		if r.peek() == 'I' && !conversion {
			r.add(t)
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
			return e
		}
		t = typ{pre: strings.TrimSuffix(e.pre, " ") + r.arguments(), last: e.last}
	case c == 'N', c == 'Z', c == 'S', isDigit(c):
		n := r.name()
		t = named(n.text)
		t.last = n.last
		if n.substitution {
			t.pre = n.text
		}
	case r.take("u"):
		t = named(r.withArguments(r.source()))
	default:
		r.fail()
		return typ{}
	}
	r.add(t)
	return t
}

// dType reads types that begin with D; known types are no candidates for substitution.
func (r *reader) dType() (t typ, known bool) {
	switch {
	case r.take("Dp"):
		t = r.typ()
		return typ{pre: strings.TrimSuffix(t.pre, " ") + "...", post: t.post}, false
	case strings.HasPrefix(r.rest, "Dt"), strings.HasPrefix(r.rest, "DT"):
		bare := r.rest[1] == 't' // of something that has a name
		r.rest = r.rest[2:]
		e := r.expression()
		r.expect("E")
		if !bare {
			e = "(" + e + ")"
		}
		return named("decltype(" + e + ")"), false
	case r.take("DF"):
		return r.sizedFloat()
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

// sizedFloat reads the size of a floating point type, and b for the brain's form.
func (r *reader) sizedFloat() (t typ, known bool) {
	switch n := r.digits(); {
	case n == "16" && r.take("b"):
		return named("std::bfloat16_t"), true
	case (n == "32" || n == "64") && r.take("x"):
		return named("_Float" + n + "x"), true
	case !r.take("_"), n != "16" && n != "32" && n != "64" && n != "128":
		r.fail()
		return typ{}, true
	case r.release == CUDA12:
		return named("std::float" + n + "_t"), true
	default:
		return named("_Float" + n), true
	}
}

// qualifierWords reads qualifiers; in the text they stand in the other order, each with a blank behind.
func (r *reader) qualifierWords() string {
	words := ""
	for _, q := range qualifiers {
		if r.take(q.code) {
			words = q.word + " " + words
		}
	}
	return words
}

// qualified puts words before a name, but behind the sign of a pointer and behind the parameters of a function; those of
// an array are lost.
func (t typ) qualified(words string) typ {
	switch {
	case t.function:
		t.post += " " + strings.TrimSuffix(words, " ")
	case t.array:
	case t.pointer:
		t.pre += words
		t.blank = true
	default:
		t.pre = words + t.pre
	}
	return t
}

// vendorQualified reads a word of a vendor's and the type before which it stands: it is written behind.
func (r *reader) vendorQualified() typ {
	word := r.source()
	t := r.typ()
	if !t.pointer {
		word = " " + word
		t.pre = strings.TrimSuffix(t.pre, " ")
	}
	return typ{pre: t.pre + word, post: t.post, pointer: true}
}

// sign makes a pointer or reference of a type.
func (t typ) sign(s string) typ {
	if t.function || t.array {
		return typ{pre: t.pre + "(" + s, post: ")" + t.post, pointer: true}
	}
	return typ{pre: t.pre + s, post: t.post, pointer: true}
}

// arrayType reads an array's bound, a number, an expression or nothing, and the type of its elements.
func (r *reader) arrayType() typ {
	bound := r.digits()
	if bound == "" && r.peek() != '_' {
		bound = r.expression()
	}
	r.expect("_")
	e := r.typ()
	return typ{pre: e.pre, post: "[" + bound + "]" + e.post, array: true}
}

// startsFunction: what follows is a function type, with or without an exception specification.
func (r *reader) startsFunction() bool {
	return r.peek() == 'F' || strings.HasPrefix(r.rest, "Do") || strings.HasPrefix(r.rest, "DO")
}

// functionType reads an exception specification and F result parameters E. What qualifies a method stands behind its
// parameters; a substitution stands for the type without it.
func (r *reader) functionType(words string) typ {
	except := ""
	switch {
	case r.take("Do"):
		except = " noexcept"
	case r.take("DO"):
		except = " noexcept(" + r.expression() + ")"
		r.expect("E")
	}
	r.expect("F")
	r.take("Y")
	result := r.typ()
	list := r.parameters()
	switch {
	case r.take("R"):
		except = " &" + except
	case r.take("O"):
		except = " &&" + except
	}
	r.expect("E")
	t := typ{pre: result.pre, post: list + except + result.post, function: true}
	r.add(t)
	t.post = list + words + except + result.post
	return t
}

// templateParameter reads T_, T0_ ... The text is the parameter itself: T1, T2 ...
func (r *reader) templateParameter() string {
	r.expect("T")
	return "T" + strconv.Itoa(r.sequence())
}

var standard = sync.OnceValue(func() map[byte]typ {
	return map[byte]typ{
		'a': {pre: "std::allocator", last: "allocator"},
		'b': {pre: "std::basic_string", last: "basic_string"},
		's': {pre: "std::basic_string<char, std::char_traits<char>, std::allocator<char>>", last: "basic_string"},
		'i': {pre: "std::basic_istream<char, std::char_traits<char>>", last: "basic_istream"},
		'o': {pre: "std::basic_ostream<char, std::char_traits<char>>", last: "basic_ostream"},
		'd': {pre: "std::basic_iostream<char, std::char_traits<char>>", last: "basic_iostream"},
	}
})

// substitution reads S_, S0_ ... (numbers to the base 36) or one of the standard ones.
func (r *reader) substitution() typ {
	r.expect("S")
	if e, ok := standard()[r.peek()]; ok {
		r.rest = r.rest[1:]
		return e
	}
	end := strings.IndexByte(r.rest, '_')
	if end < 0 || end > 4 {
		r.fail()
		return typ{}
	}
	n := 0
	if end > 0 {
		v, err := strconv.ParseUint(strings.ToLower(r.rest[:end]), 36, 32)
		if err != nil {
			r.fail()
			return typ{}
		}
		n = int(v) + 1
	}
	r.rest = r.rest[end+1:]
	if n >= len(r.subs) {
		r.fail()
		return typ{}
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
		default:
			list = append(list, r.argument())
		}
	}
}

// argument reads one template argument.
func (r *reader) argument() string {
	switch {
	case r.take("X"):
		e := r.expression()
		r.expect("E")
		return e
	case r.peek() == 'L':
		return r.literal()
	default:
		return r.typ().String()
	}
}
