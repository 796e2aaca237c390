package main

import (
	"fmt"
	"strings"
)

// signature is the type of a function: types of PTX, or "bytes" for a structure.
type signature struct {
	result string // "" for none
	params []string
}

// structSize is the size of a structure that is passed by value, in bytes.
const structSize = 24

var signatures = []*signature{
	{"b32", []string{"b32"}},
	{"b64", []string{"b64"}},
	{"b32", []string{"b32", "b32"}},
	{"", []string{"b64"}},
	{"", nil},
	{"f64", []string{"f64"}},
	{"b32", []string{"bytes"}},
	{"bytes", []string{"b32"}},
}

// callback takes a function of the first signature.
var callback = &signature{"b32", []string{"b64", "b32"}}

func param(kind, name string) string {
	if kind == "bytes" {
		return fmt.Sprintf(".param .align 8 .b8 %s[%d]", name, structSize)
	}
	return fmt.Sprintf(".param .%s %s", kind, name)
}

// declaration is the head of a function, or a prototype if the name is "_".
func (s *signature) declaration(name string) string {
	var b strings.Builder
	if s.result != "" {
		b.WriteString("(" + param(s.result, "res") + ") ")
	}
	b.WriteString(name + " (")
	for i, p := range s.params {
		b.WriteString(strings.Repeat(", ", min(i, 1)) + param(p, fmt.Sprint("p", i)))
	}
	return b.String() + ")"
}

// accumulators are the registers that code of a function works on, by type.
var accumulators = map[string]string{"b32": "%r0", "b64": "%rd0", "f64": "%fd0", "bytes": "%rd0"}

func storeParam(kind, name string) string {
	if kind == "bytes" {
		kind = "b64"
	}
	return fmt.Sprintf("st.param.%s [%s], %s;", kind, name, accumulators[kind])
}

// call is a call of what target names; more follows the arguments.
func (s *signature) call(target, more string, args ...string) string {
	var b strings.Builder
	b.WriteString("{ ")
	var names []string
	for i, p := range s.params {
		name := fmt.Sprint("a", i)
		names = append(names, name)
		b.WriteString(param(p, name) + "; ")
		if i < len(args) {
			fmt.Fprintf(&b, "st.param.%s [%s], %s; ", p, name, args[i])
		} else {
			b.WriteString(storeParam(p, name) + " ")
		}
	}
	result := ""
	if s.result != "" {
		b.WriteString(param(s.result, "r") + "; ")
		result = "(r), "
	}
	list := ""
	if len(names) > 0 || more != "" {
		list = ", (" + strings.Join(names, ", ") + ")"
	}
	fmt.Fprintf(&b, "call.uni %s%s%s%s; ", result, target, list, more)
	switch s.result {
	case "b32":
		b.WriteString("ld.param.b32 %r1, [r]; add.u32 %r0, %r0, %r1; ")
	case "b64":
		b.WriteString("ld.param.b64 %rd4, [r]; cvt.u32.u64 %r1, %rd4; add.u32 %r0, %r0, %r1; ")
	case "f64":
		b.WriteString("ld.param.f64 %fd0, [r]; cvt.rzi.u32.f64 %r1, %fd0; xor.b32 %r0, %r0, %r1; ")
	case "bytes":
		b.WriteString("ld.param.b64 %rd4, [r+8]; cvt.u32.u64 %r1, %rd4; add.u32 %r0, %r0, %r1; ")
	}
	return b.String() + "}"
}

const registers = ".reg .b32 %r<128>; .reg .b64 %rd<16>; .reg .f64 %fd<4>; .reg .f32 %f<4>; .reg .pred %p<4>;\n"

// enter loads the parameters into the accumulators; leave stores the result and returns.
func (s *signature) enter() string {
	b := registers + "mov.u64 %rd0, 4096; mov.u32 %r0, %laneid; mov.f64 %fd0, 0d3ff0000000000000;\n"
	for i, p := range s.params {
		name := fmt.Sprint("[p", i, "]")
		switch {
		case p == "b32" && i == 0:
			b += "ld.param.b32 %r0, " + name + ";"
		case p == "b32":
			b += "ld.param.b32 %r1, " + name + "; add.u32 %r0, %r0, %r1;"
		case p == "b64":
			b += "ld.param.b64 %rd0, " + name + "; cvt.u32.u64 %r1, %rd0; add.u32 %r0, %r0, %r1;"
		case p == "f64":
			b += "ld.param.f64 %fd0, " + name + ";"
		default:
			b += "ld.param.b64 %rd4, [p" + fmt.Sprint(i) + "+16]; cvt.u32.u64 %r1, %rd4; xor.b32 %r0, %r0, %r1;"
		}
	}
	return b
}

func (s *signature) leave() string {
	switch s.result {
	case "":
		return "st.volatile.u32 [%rd0], %r0; ret;"
	case "b64":
		return "cvt.u64.u32 %rd1, %r0; add.u64 %rd0, %rd0, %rd1; st.param.b64 [res], %rd0; ret;"
	case "f64":
		return "cvt.rn.f64.u32 %fd1, %r0; add.f64 %fd0, %fd0, %fd1; st.param.f64 [res], %fd0; ret;"
	case "bytes":
		return "cvt.u64.u32 %rd1, %r0; st.param.b64 [res], %rd1; st.param.b64 [res+8], %rd0; st.param.b64 [res+16], %rd1; ret;"
	}
	return "st.param.b32 [res], %r0; ret;"
}
