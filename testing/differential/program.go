package main

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
)

// target is what a program is compiled and linked for.
type target struct {
	arch.Arch
	release int // of the toolkit: 124, 130
}

func (t target) String() string { return arch.Name{Arch: t.Arch}.String() }

// ptxVersions are the least PTX version that a program of this target can be written in and the greatest of the release.
func (t target) ptxVersions() []string {
	least, most := "7.8", "8.4"
	switch {
	case t.SM >= 110 && t.SM < 120:
		least = "9.0"
	case t.SM >= 100:
		least = "8.8"
	case t.SM >= 90:
		least = "8.0"
	}
	if t.release >= 130 {
		most = "9.0"
	}
	return []string{least, most}
}

// program is a number of files that are compiled alone and linked together. Files are made of items and parts, so that
// a program stays a program when some are taken away.
type program struct {
	target      target
	version     string // of PTX
	independent bool   // textures and samplers are apart
	symbols     []*symbol
	files       []*file
}

type file struct {
	name  string
	flags []string // for ptxas
	items []*item
}

// symbol is a name that several files know.
type symbol struct {
	name    string
	kind    symbolKind
	binding binding
	declare string // the declaration in files that do not define it, without ".extern"
	files   []int  // that define it
	sig     *signature
	space   string // of a variable: global, const, shared
	size    int    // bytes
	align   int    // bytes
	filled  bool   // has an initializer
	managed bool
	element string // of a texture: texref, samplerref, surfref
}

type symbolKind int

const (
	function symbolKind = iota
	kernel
	variable
	dynamic // shared memory whose size the launch decides
	texture
	table // pointers to functions and variables
	service
)

type binding int

const (
	strong binding = iota
	weak
	local
	common
	undefined
)

// usableIn reports whether code of a file can name the symbol.
func (s *symbol) usableIn(f int) bool { return s.binding != local || slices.Contains(s.files, f) }

// part is a piece of an item that can be taken away: statements, an element of an initializer, a directive.
type part struct {
	text string
	uses []*symbol
}

// item is a definition in one file.
type item struct {
	sym        *symbol
	head       string
	forward    string // a declaration ahead of all definitions
	directives []part // between head and body
	initial    []part // elements of the initializer
	open       string // first lines of the body; "" if there is no body
	body       []part
	close      string // last lines of the body
	alias      *symbol
}

func (i *item) parts() []*[]part { return []*[]part{&i.directives, &i.initial, &i.body} }

// text is the file in PTX.
func (p *program) text(f *file) string {
	var b strings.Builder
	b.WriteString(".version " + p.version + "\n.target " + p.target.String())
	if p.independent {
		b.WriteString(", texmode_independent")
	}
	b.WriteString("\n.address_size 64\n.file 1 \"" + f.name + ".cu\"\n")
	inlined := false
	for _, d := range p.declarations(f) {
		b.WriteString(d + "\n")
	}
	for _, i := range f.items {
		i.write(&b, f)
		inlined = inlined || slices.ContainsFunc(i.body, func(s part) bool { return strings.Contains(s.text, inlinedName) })
	}
	if inlined {
		b.WriteString(".section .debug_str {\n" + inlinedName + ":\n.b8 105, 110, 0\n}\n")
	}
	return b.String()
}

// inlinedName is the label of the name of a function that line information says was inlined.
const inlinedName = "$L__info_string0"

// declarations are those of all symbols that the file uses and does not define, and those ahead of definitions.
func (p *program) declarations(f *file) []string {
	var out []string
	seen := make(map[*symbol]bool)
	for _, i := range f.items {
		seen[i.sym] = true
	}
	for _, i := range f.items {
		for _, parts := range i.parts() {
			for _, s := range *parts {
				for _, u := range s.uses {
					if !seen[u] {
						seen[u] = true
						out = append(out, ".extern "+u.declare+";")
					}
				}
			}
		}
	}
	for _, i := range f.items {
		if i.forward != "" && (i.alias == nil || f.defines(i.alias)) {
			out = append(out, i.forward+";")
		}
	}
	return out
}

func (f *file) defines(s *symbol) bool {
	return slices.ContainsFunc(f.items, func(i *item) bool { return i.sym == s })
}

func (i *item) write(b *strings.Builder, f *file) {
	switch {
	case i.alias != nil:
		if f.defines(i.alias) {
			b.WriteString(".alias " + i.sym.name + ", " + i.alias.name + ";\n")
		}
		return
	case i.open == "":
		b.WriteString(i.head)
		for n, e := range i.initial {
			b.WriteString([]string{" = {", ", "}[min(n, 1)] + e.text)
		}
		b.WriteString(strings.Repeat("}", min(len(i.initial), 1)) + ";\n")
		return
	}
	b.WriteString(i.head + "\n")
	for _, d := range i.directives {
		b.WriteString(d.text + "\n")
	}
	b.WriteString("{\n" + i.open + "\n")
	for _, s := range i.body {
		b.WriteString(s.text + "\n")
	}
	b.WriteString(i.close + "\n}\n")
}
