package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bazelbuild/buildtools/build"
)

const head = `# Rule reference

This page is made from the docstrings of the rules: ` + "`bazelw run //docs:update`" + ` rewrites it, and a test compares.
`

// generate returns the page for the definitions of the sources below root.
func generate(root string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(head)
	for _, s := range sources {
		data, err := os.ReadFile(filepath.Join(root, s.file))
		if err != nil {
			return nil, err
		}
		file, err := build.ParseBzl(s.file, data)
		if err != nil {
			return nil, err
		}
		for _, statement := range file.Stmt {
			if err := describe(&out, statement, s.load); err != nil {
				return nil, fmt.Errorf("%s: %w", s.file, err)
			}
		}
	}
	return out.Bytes(), nil
}

// describe writes the section of a public rule, provider or macro; other statements have none.
func describe(out *bytes.Buffer, statement build.Expr, load string) error {
	switch x := statement.(type) {
	case *build.AssignExpr:
		name, ok := x.LHS.(*build.Ident)
		call, isCall := x.RHS.(*build.CallExpr)
		if !ok || !isCall || strings.HasPrefix(name.Name, "_") {
			return nil
		}
		function, ok := call.X.(*build.Ident)
		if !ok {
			return nil
		}
		switch function.Name {
		case "rule":
			return describeRule(out, name.Name, call, load)
		case "provider":
			return describeProvider(out, name.Name, call, load)
		}
	case *build.DefStmt:
		if strings.HasPrefix(x.Name, "_") {
			return nil
		}
		return describeMacro(out, x, load)
	}
	return nil
}

func section(out *bytes.Buffer, name, load, doc string) {
	fmt.Fprintf(out, "\n## %s\n\n```starlark\nload(%q, %q)\n```\n\n%s\n", name, load, name, strings.TrimSpace(doc))
}

func describeRule(out *bytes.Buffer, name string, call *build.CallExpr, load string) error {
	doc, err := text(argument(call, "doc"))
	if err != nil {
		return fmt.Errorf("doc of %s: %w", name, err)
	}
	section(out, name, load, doc)
	fmt.Fprintf(out, "\n| attribute | type | what it is |\n|---|---|---|\n| `name` | name | The name of the target. Mandatory. |\n")
	attrs, _ := argument(call, "attrs").(*build.DictExpr)
	if attrs == nil {
		return nil
	}
	for _, entry := range attrs.List {
		attribute, err := text(entry.Key)
		if err != nil {
			return err
		}
		if strings.HasPrefix(attribute, "_") {
			continue
		}
		value, ok := entry.Value.(*build.CallExpr)
		if !ok {
			return fmt.Errorf("attribute %s of %s is not a call", attribute, name)
		}
		doc, err := text(argument(value, "doc"))
		if err != nil {
			return fmt.Errorf("doc of attribute %s of %s: %w", attribute, name, err)
		}
		if isTrue(argument(value, "mandatory")) {
			doc += " Mandatory."
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", attribute, kind(value), cell(doc))
	}
	return nil
}

func describeProvider(out *bytes.Buffer, name string, call *build.CallExpr, load string) error {
	doc, err := text(argument(call, "doc"))
	if err != nil {
		return fmt.Errorf("doc of %s: %w", name, err)
	}
	section(out, name, load, doc)
	fields, ok := argument(call, "fields").(*build.DictExpr)
	if !ok {
		return fmt.Errorf("the fields of %s are not described", name)
	}
	fmt.Fprintf(out, "\n| field | what it is |\n|---|---|\n")
	for _, entry := range fields.List {
		field, err := text(entry.Key)
		if err != nil {
			return err
		}
		doc, err := text(entry.Value)
		if err != nil {
			return fmt.Errorf("doc of field %s of %s: %w", field, name, err)
		}
		fmt.Fprintf(out, "| `%s` | %s |\n", field, cell(doc))
	}
	return nil
}

func describeMacro(out *bytes.Buffer, def *build.DefStmt, load string) error {
	if len(def.Body) == 0 {
		return fmt.Errorf("%s has no docstring", def.Name)
	}
	doc, err := text(def.Body[0])
	if err != nil {
		return fmt.Errorf("docstring of %s: %w", def.Name, err)
	}
	doc, args, _ := strings.Cut(doc, "\n    Args:\n")
	section(out, def.Name, load, unindented(doc))
	if args == "" {
		return nil
	}
	fmt.Fprintf(out, "\n| argument | what it is |\n|---|---|\n")
	for _, arg := range strings.Split(strings.TrimSpace(args), "\n        ") {
		name, doc, _ := strings.Cut(strings.TrimSpace(arg), ": ")
		fmt.Fprintf(out, "| `%s` | %s |\n", name, cell(doc))
	}
	return nil
}

// unindented takes the indentation of a function's body from its docstring.
func unindented(doc string) string {
	return strings.ReplaceAll(doc, "\n    ", "\n")
}

// cell makes a text fit a table.
func cell(doc string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(doc), " "), "|", "\\|")
}

// argument returns the value of a keyword argument, nil if the call has none.
func argument(call *build.CallExpr, name string) build.Expr {
	for _, arg := range call.List {
		if assign, ok := arg.(*build.AssignExpr); ok {
			if left, ok := assign.LHS.(*build.Ident); ok && left.Name == name {
				return assign.RHS
			}
		}
	}
	return nil
}

// text evaluates a string, or strings joined by +.
func text(x build.Expr) (string, error) {
	switch x := x.(type) {
	case *build.StringExpr:
		return x.Value, nil
	case *build.BinaryExpr:
		if x.Op != "+" {
			break
		}
		left, err := text(x.X)
		if err != nil {
			return "", err
		}
		right, err := text(x.Y)
		return left + right, err
	case *build.ParenExpr:
		return text(x.X)
	}
	return "", fmt.Errorf("not a string")
}

func isTrue(x build.Expr) bool {
	name, ok := x.(*build.Ident)
	return ok && name.Name == "True"
}

// kind names the type of an attribute.
func kind(call *build.CallExpr) string {
	dot, ok := call.X.(*build.DotExpr)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(strings.ReplaceAll(dot.Name, "_", " "), "bool", "boolean")
}
