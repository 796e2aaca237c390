package cuname

import (
	"strconv"
	"strings"
	"sync"
)

// binary are the operators between two operands.
var binary = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"pl": true, "mi": true, "ml": true, "dv": true, "rm": true, "an": true, "or": true, "eo": true, "ls": true, "rs": true,
		"eq": true, "ne": true, "lt": true, "gt": true, "le": true, "ge": true, "aa": true, "oo": true,
	}
})

// unary are the operators before one operand.
var unary = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"ad": true, "nt": true, "ng": true, "ps": true, "de": true, "co": true}
})

// expression reads the expressions that template arguments and decltype usually hold.
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
	case isDigit(c):
		return r.withArguments(r.source())
	case r.take("fp"):
		return r.parameter()
	case r.take("cl"):
		return r.call()
	case len(r.rest) > 2 && unary()[r.rest[:2]]:
		op := operators()[r.rest[:2]]
		r.rest = r.rest[2:]
		return op + r.expression()
	case r.take("st"):
		return "sizeof(" + r.typ().String() + ")"
	case r.take("sz"):
		return "sizeof(" + r.expression() + ")"
	case r.take("sp"):
		return r.expression() + "..."
	case r.take("qu"):
		condition := r.expression()
		yes := r.expression()
		return condition + "?" + yes + ":" + r.expression()
	case r.take("tl"):
		t := r.typ().String()
		return t + "{" + r.operands() + "}"
	case r.take("dt"):
		return r.member(".")
	case r.take("pt"):
		return r.member("->")
	case r.take("gs"):
		return "::" + r.expression()
	case r.take("sr"):
		return r.scoped()
	case len(r.rest) > 2 && binary()[r.rest[:2]]:
		op := operators()[r.rest[:2]]
		r.rest = r.rest[2:]
		left := r.expression()
		return left + op + r.expression()
	}
	r.fail()
	return ""
}

// parameter reads the number of a function's parameter: fp_, fp0_ ...
func (r *reader) parameter() string {
	n := 1
	if r.peek() != '_' {
		n = r.number() + 2
	}
	r.expect("_")
	return "param#" + strconv.Itoa(n)
}

func (r *reader) call() string {
	f := r.expression()
	return f + "(" + r.operands() + ")"
}

// member reads an object and the name of something in it.
func (r *reader) member(sign string) string {
	object := r.expression()
	return "(" + object + sign + r.withArguments(r.unqualified("").text) + ")"
}

// operands reads expressions up to an E.
func (r *reader) operands() string {
	var list []string
	for !r.take("E") {
		if r.failed || r.rest == "" {
			r.fail()
			return ""
		}
		list = append(list, r.expression())
	}
	return strings.Join(list, ", ")
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
	return join(scope, r.withArguments(r.unqualified("").text))
}

func (r *reader) withArguments(s string) string {
	if r.peek() == 'I' {
		return s + r.arguments()
	}
	return s
}
