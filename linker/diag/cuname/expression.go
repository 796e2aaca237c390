package cuname

import (
	"strconv"
	"strings"
	"sync"
)

// form is how an expression's operands and signs are written: the parts in operands, one letter each, are read in order
// and stand between the signs. t is a type, e an expression, l a list of expressions up to an E, u the name of a member.
type form struct {
	operands string
	signs    []string
}

// forms are the expressions that have a fixed form. No parentheses show what binds to what, as in the reference.
var forms = sync.OnceValue(func() map[string]form {
	m := map[string]form{
		"cl": {"el", []string{"", "(", ")"}},
		"cp": {"ul", []string{"(", ")(", ")"}},
		"ix": {"ee", []string{"", "[", "]"}},
		"qu": {"eee", []string{"", "?", ":", ""}},
		"tl": {"tl", []string{"", "{", "}"}},
		"il": {"l", []string{"{", "}"}},
		"dt": {"eu", []string{"(", ".", ")"}},
		"pt": {"eu", []string{"(", "->", ")"}},
		"ds": {"ee", []string{"", ".*", ""}},
		"sp": {"e", []string{"", "..."}},
		"tr": {"", []string{"throw"}},
		"tw": {"e", []string{"throw ", ""}},
		"dl": {"e", []string{"delete ", ""}},
		"da": {"e", []string{"delete[] ", ""}},
		"dx": {"ee", []string{"[", "]=", ""}},
		"dX": {"eee", []string{"[", " ... ", "]=", ""}},
	}
	for code, word := range map[string]string{"st": "sizeof", "at": "alignof", "ti": "typeid"} {
		m[code] = form{"t", []string{word + "(", ")"}}
	}
	for code, word := range map[string]string{
		"sz": "sizeof", "az": "alignof", "te": "typeid", "nx": "noexcept", "sZ": "sizeof...",
	} {
		m[code] = form{"e", []string{word + "(", ")"}}
	}
	for code, word := range map[string]string{
		"sc": "static_cast", "dc": "dynamic_cast", "cc": "const_cast", "rc": "reinterpret_cast",
	} {
		m[code] = form{"te", []string{word + "<", ">(", ")"}}
	}
	for _, code := range strings.Fields("pl mi ml dv rm an or eo aS pL mI mL dV rM aN oR eO ls rs lS rS eq ne lt gt le ge ss aa oo cm pm") {
		m[code] = form{"ee", []string{"", operators()[code], ""}}
	}
	for _, code := range strings.Fields("ad nt ng ps de co") {
		m[code] = form{"e", []string{operators()[code], ""}}
	}
	for _, code := range strings.Fields("pp mm") {
		m[code] = form{"e", []string{"", operators()[code]}}
		m[code+"_"] = form{"e", []string{operators()[code], ""}}
	}
	return m
})

// expression reads <expression>.
func (r *reader) expression() string {
	if !r.enter() {
		return ""
	}
	defer r.leave()
	switch c := r.peek(); {
	case c == 'T':
		return r.templateParameter()
	case c == 'L':
		return r.literal()
	case isDigit(c), strings.HasPrefix(r.rest, "on"), strings.HasPrefix(r.rest, "sr"), strings.HasPrefix(r.rest, "dn"):
		return r.unresolved()
	case strings.HasPrefix(r.rest, "fp"), strings.HasPrefix(r.rest, "fL") && len(r.rest) > 2 && isDigit(r.rest[2]):
		return r.parameter()
	case c == 'f':
		return r.fold()
	case r.take("gs"):
		return "::" + r.expression()
	case r.take("cv"):
		return r.conversion()
	case r.take("nw"):
		return r.allocation("new ")
	case r.take("na"):
		return r.allocation("new[] ")
	case r.take("di"):
		member := "." + r.source()
		if !strings.HasPrefix(r.rest, "di") {
			member += "="
		}
		return member + r.expression()
	}
	for n := 3; n >= 2; n-- {
		if len(r.rest) < n {
			continue
		}
		if f, ok := forms()[r.rest[:n]]; ok {
			r.rest = r.rest[n:]
			return r.formed(f)
		}
	}
	r.fail()
	return ""
}

// formed reads the operands of an expression of a fixed form.
func (r *reader) formed(f form) string {
	var b strings.Builder
	for i, operand := range []byte(f.operands) {
		b.WriteString(f.signs[i])
		switch operand {
		case 't':
			b.WriteString(r.typ().String())
		case 'e':
			b.WriteString(r.expression())
		case 'l':
			b.WriteString(r.operands())
		case 'u':
			b.WriteString(r.unresolved())
		}
		if r.failed || b.Len() > maxText {
			r.fail()
			return ""
		}
	}
	b.WriteString(f.signs[len(f.operands)])
	return b.String()
}

// parameter reads the number of a function's parameter, fp_, fp0_ ..., or of one of a function around it, fL0p_ ...
func (r *reader) parameter() string {
	r.expect("f")
	up := ""
	if r.take("L") {
		up = "[up 1 level]"
		if n := r.number(); n > 0 {
			up = "[up " + strconv.Itoa(n+1) + " levels]"
		}
	}
	r.expect("p")
	if r.take("T") {
		return "this"
	}
	words := r.qualifierWords()
	return words + "param#" + strconv.Itoa(r.sequence()) + up
}

// fold reads a fold expression: f, on which side the dots are and whether there is another operand (a capital), the
// operator and the operands.
func (r *reader) fold() string {
	if len(r.rest) < 4 {
		r.fail()
		return ""
	}
	kind, code := r.rest[1], r.rest[2:4]
	f, ok := forms()[code]
	if !ok || f.operands != "ee" {
		r.fail()
		return ""
	}
	r.rest = r.rest[4:]
	sign := f.signs[1]
	first := r.expression()
	switch kind {
	case 'l':
		return "(..." + sign + first + ")"
	case 'r':
		return "(" + first + sign + "...)"
	case 'L', 'R':
		return "(" + first + sign + "..." + sign + r.expression() + ")"
	}
	r.fail()
	return ""
}

// conversion reads the type and the operand of a cast, or its operands between _ and E.
func (r *reader) conversion() string {
	t := r.typ().String()
	if r.take("_") {
		return t + "(" + r.operands() + ")"
	}
	return "(" + t + ")" + r.expression()
}

// allocation reads what follows new: places up to an underscore, the type, and E or the initial values.
func (r *reader) allocation(word string) string {
	if places := r.list("_"); places != "" {
		word += "(" + places + ") "
	}
	word += r.typ().String()
	switch {
	case r.take("pi"):
		return word + "(" + r.operands() + ")"
	case r.take("il"):
		return word + "{" + r.operands() + "}"
	}
	r.expect("E")
	return word
}

// operands reads expressions up to an E.
func (r *reader) operands() string { return r.list("E") }

// list reads expressions up to an end.
func (r *reader) list(end string) string {
	var list []string
	for size := 0; !r.take(end); {
		if r.failed || r.rest == "" || size > maxText {
			r.fail()
			return ""
		}
		e := r.expression()
		size += len(e) + 2
		list = append(list, e)
	}
	return strings.Join(list, ", ")
}

// unresolved reads a name that is looked up when the template is used: with or without a scope, an operator (on), or a
// destructor (dn).
func (r *reader) unresolved() string {
	switch {
	case r.take("gs"):
		return "::" + r.unresolved()
	case r.take("sr"):
		return r.scoped()
	case r.take("on"):
		return r.withArguments(r.operator().text)
	case r.take("dn"):
		if isDigit(r.peek()) {
			return "~" + r.withArguments(r.source())
		}
		return "~" + r.typ().String()
	}
	return r.withArguments(r.source())
}

// scoped reads a name in a scope that depends on template parameters: names up to an E, or a type, and the last name.
func (r *reader) scoped() string {
	scope := ""
	if isDigit(r.peek()) {
		for !r.take("E") {
			if r.failed || r.rest == "" {
				r.fail()
				return ""
			}
			scope = join(scope, r.withArguments(r.source()))
		}
	} else {
		scope = r.typ().String()
	}
	return join(scope, r.unresolved())
}

func (r *reader) withArguments(s string) string {
	if r.peek() == 'I' {
		return s + r.arguments()
	}
	return s
}
