package cuname

import (
	"strconv"
	"strings"
	"sync"
)

// name is what <name> reads.
type name struct {
	text string
	// last is the last part without template arguments.
	last string
	// template: the name ends in template arguments. noResult: the name is a constructor's, destructor's or conversion's,
	// whose result is not part of the mangled name.
	template, noResult bool
	// suffix follows the parameters: qualifiers of a method, the variant of a constructor.
	suffix string
	// substitution: the name is or begins with a substitution.
	substitution bool
}

func (r *reader) name() name {
	if !r.enter() {
		return name{}
	}
	defer r.leave()
	var n name
	switch c := r.peek(); {
	case c == 'N':
		return r.nested()
	case c == 'Z':
		return r.local()
	case c == 'S' && !strings.HasPrefix(r.rest, "St"):
		e := r.substitution()
		n = name{text: strings.TrimSuffix(e.pre, " "), last: e.last, substitution: true}
	case r.take("St"):
		u := r.unqualified("")
		n = name{text: "std::" + u.text, last: u.last, noResult: u.noResult}
	default:
		n = r.unqualified("")
	}
	if r.peek() == 'I' {
		if !n.substitution {
			r.add(typ{pre: n.text, last: n.last})
		}
		n.text += r.arguments()
		n.template = true
	} else if n.substitution {
		r.fail() // a name of its own is behind a length
	}
	return n
}

// nested reads N ... E.
func (r *reader) nested() name {
	r.expect("N")
	var n name
	for _, q := range qualifiers {
		if r.take(q.code) {
			n.suffix += " " + q.word
		}
	}
	// The ABI has the qualifiers in the order r V K; they are printed the other way round.
	if words := strings.Fields(n.suffix); len(words) > 1 {
		n.suffix = ""
		for i := len(words) - 1; i >= 0; i-- {
			n.suffix += " " + words[i]
		}
	}
	switch {
	case r.take("R"):
		n.suffix += " &"
	case r.take("O"):
		n.suffix += " &&"
	}
	variant := ""
	for !r.take("E") {
		if r.failed || r.rest == "" || len(n.text) > maxText {
			r.fail()
			return n
		}
		known := false
		switch c := r.peek(); {
		case c == 'S' && n.text == "":
			known = true
			if r.take("St") {
				n.text, n.last = "std", "std"
				break
			}
			e := r.substitution()
			n.text, n.last = strings.TrimSuffix(e.pre, " "), e.last
		case c == 'D' && n.text == "" && len(r.rest) > 1 && (r.rest[1] == 't' || r.rest[1] == 'T'):
			n.text = r.typ().String() // it has two numbers for substitutions
		case c == 'T' && n.text == "":
			n.text = r.templateParameter()
			n.last = n.text
		case c == 'I':
			n.text += r.arguments()
			n.template = true
		case r.take("M"): // the lambda behind it is a part of the variable before it
			known = true
		case (c == 'C' || c == 'D') && len(r.rest) > 1 && (isDigit(r.rest[1]) || r.rest[1] == 'I'):
			n.template, n.noResult = false, true
			var u string
			u, variant = r.structor(n.last)
			n.text += "::" + u
		default:
			u := r.unqualified(n.last)
			n.text = join(n.text, u.text)
			n.last, n.template, n.noResult = u.last, false, u.noResult
		}
		if r.peek() != 'E' && !known && n.text != "" || r.peek() != 'E' && !known && n.last == "" {
			r.add(typ{pre: n.text, last: n.last})
		}
	}
	n.suffix += variant
	return n
}

// variants tell constructors and destructors apart: of an object that is part of another, before its memory is freed, and so on.
var variants = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"C1": "", "C2": " [subobject]", "C3": " [allocating]", "D0": " [deleting]", "D1": "", "D2": " [subobject]",
		"CI1": " [complete inheriting]", "CI2": " [base inheriting]",
	}
})

// structor reads which constructor or destructor of a class it is; an inherited one has its own class's name.
func (r *reader) structor(class string) (text, variant string) {
	n := 2
	if strings.HasPrefix(r.rest, "CI") {
		n = 3
	}
	if n > len(r.rest) {
		r.fail()
		return "", ""
	}
	variant, ok := variants()[r.rest[:n]]
	if !ok {
		r.fail()
		return "", ""
	}
	if r.rest[0] == 'D' {
		class = "~" + class
	}
	r.rest = r.rest[n:]
	if n == 3 {
		unscoped := isDigit(r.peek())
		base := r.typ()
		class = base.String()
		if unscoped {
			class = base.last
		}
	}
	return class + r.tags(), variant
}

// join puts a name behind its scope. The scope of a translation unit has no text.
func join(scope, last string) string {
	if scope == "" || last == "" {
		return scope + last
	}
	return scope + "::" + last
}

// local reads Z function E name: something inside a function.
func (r *reader) local() name {
	r.expect("Z")
	scope := r.encoding(true)
	r.expect("E")
	var n name
	switch {
	case r.take("s"):
		n.text = "string"
	case r.take("d"):
		scope += "::[default argument " + strconv.Itoa(r.sequence()) + " (from end)]"
		n = r.name()
	default:
		n = r.name()
	}
	n.text = scope + "::" + n.text
	switch {
	case r.take("__"):
		n.text += instance(r.number() + 2)
		r.expect("_")
	case strings.HasPrefix(r.rest, "_") && len(r.rest) > 1 && isDigit(r.rest[1]):
		n.text += instance(int(r.rest[1]-'0') + 2)
		r.rest = r.rest[2:]
	}
	return n
}

func instance(n int) string { return " (instance " + strconv.Itoa(n) + ")" }

// unqualified reads one part of a name.
func (r *reader) unqualified(scope string) name {
	var n name
	switch c := r.peek(); {
	case isDigit(c):
		n.text = r.source()
	case r.take("Ut"):
		n.text = "[unnamed type" + instance(r.sequence()) + "]"
	case r.take("Ul"):
		list := r.parameters()
		r.expect("E")
		n.text = "[lambda" + list + instance(r.sequence()) + "]"
	case r.take("DC"):
		n.text = "[structured binding for " + r.source()
		for !r.failed && !r.take("E") {
			n.text += "," + r.source()
		}
		n.text += "]"
	case c >= 'a' && c <= 'z':
		n = r.operator()
	default:
		r.fail()
	}
	n.text += r.tags()
	n.last = n.text
	return n
}

// tags reads the ABI tags of a name.
func (r *reader) tags() string {
	list := ""
	for r.take("B") && len(list) < maxText {
		list += "," + r.source()
	}
	if list == "" {
		return ""
	}
	return "[abi:" + list[1:] + "]"
}

// sequence reads the number of a lambda or unnamed type: _ is the first, 0_ the second.
func (r *reader) sequence() int {
	n := 1
	if r.peek() != '_' {
		n = r.number() + 2
	}
	r.expect("_")
	return n
}

// source reads an identifier with its length in front.
func (r *reader) source() string {
	n := r.number()
	if n == 0 || n > len(r.rest) {
		r.fail()
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	switch {
	case strings.HasPrefix(s, "_GLOBAL__N_"):
		return "<unnamed>"
	case strings.HasPrefix(s, "_INTERNAL"):
		return ""
	}
	return s
}

var operators = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"nw": "new ", "na": "new[] ", "dl": "delete ", "da": "delete[] ", "ps": "+", "ng": "-", "ad": "&", "de": "*", "co": "~",
		"pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=",
		"mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=",
		"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "nt": "!", "aa": "&&", "oo": "||", "pp": "++",
		"mm": "--", "cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]", "qu": "?", "ss": "<=>", "aw": "co_await",
	}
})

// operator reads the name of an operator function.
func (r *reader) operator() name {
	switch {
	case r.take("cv"):
		r.conversionType = true
		return name{text: "operator " + r.typ().String(), noResult: true}
	case r.take("li"):
		return name{text: `operator ""` + r.source()}
	}
	if len(r.rest) < 2 {
		r.fail()
		return name{}
	}
	sign, ok := operators()[r.rest[:2]]
	if !ok {
		r.fail()
		return name{}
	}
	r.rest = r.rest[2:]
	return name{text: "operator " + sign}
}
