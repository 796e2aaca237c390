package inspect

import (
	"fmt"
	"strings"
	"sync"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// AttributeList is one section of attributes: .nv.info, .nv.info.F, their Mercury twins, .nv.compat.
type AttributeList struct {
	Section string      `json:"section"`
	Records []Attribute `json:"records"`
}

// Attribute is one record. Symbol is the symbol that it is about, if its code has one; Value is the rest.
type Attribute struct {
	Code   string `json:"code"`
	Format string `json:"format"`
	Symbol string `json:"symbol,omitempty"`
	Value  string `json:"value,omitempty"`
}

// Edge is one record of .nv.callgraph. From and To are functions, or prototypes where the kind says so.
type Edge struct {
	Kind string `json:"kind"` // calls, taken, indirect, takes
	From string `json:"from"`
	To   string `json:"to"`
}

// Prototype is one record of .nv.prototype.
type Prototype struct {
	Function string `json:"function"`
	Text     string `json:"text"`
}

// Note is one entry of a note section.
type Note struct {
	Section string   `json:"section"`
	Name    string   `json:"name"`
	Type    uint32   `json:"type"`
	Text    []string `json:"text"` // decoded lines, or the bytes in hexadecimal
}

// contents decodes one section by its type.
func (d *describer) contents(i int) {
	s := &d.f.Sections[i]
	switch {
	case s.NumRels() > 0:
		d.relocations(i)
	case s.Type == cubin.SHTCudaInfo || s.Type == cubin.SHTMercInfo:
		d.attributes(i, false)
	case s.Type == cubin.SHTCudaCompat:
		d.attributes(i, true)
	case s.Type == cubin.SHTCudaCapsule:
		d.capsule(i)
	case s.Type == cubin.SHTCudaCallgraph:
		d.callGraph(s)
	case s.Type == cubin.SHTCudaPrototype:
		d.prototypes(s)
	case s.Type == cubin.SHTNote:
		d.notes(i)
	}
}

// decoded reports whether contents explains a section, so that its bytes need not be compared.
func decoded(s *cubin.Section) bool {
	switch s.Type {
	case cubin.SHTCudaInfo, cubin.SHTMercInfo, cubin.SHTCudaCompat, cubin.SHTCudaCallgraph, cubin.SHTCudaPrototype, cubin.SHTNote,
		cubin.SHTSymtab, cubin.SHTMercSymtab:
		return true
	}
	return s.NumRels() > 0 || isCapsule(s)
}

func (d *describer) attributes(i int, compat bool) {
	s := &d.f.Sections[i]
	list := AttributeList{Section: d.sections[i]}
	merc := s.Mercury()
	r := nvinfo.Read(s.Data)
	for r.Next() {
		a := Attribute{Code: r.Code.String(), Format: strings.TrimPrefix(r.Format.String(), "EIFMT_")}
		if compat {
			a.Code = nvinfo.CompatCode(r.Code).String()
			a.Value = plainValue(r.Record)
		} else {
			a.Symbol, a.Value = d.value(r.Record, merc)
		}
		list.Records = append(list.Records, a)
	}
	if err := r.Err(); err != nil {
		d.problem("section %s: %v", d.sections[i], err)
	}
	d.image.Attributes = append(d.image.Attributes, list)
}

// plainValue shows a record's value without names.
func plainValue(r nvinfo.Record) string {
	switch r.Format {
	case nvinfo.NVAL:
		return ""
	case nvinfo.BVAL:
		return fmt.Sprintf("%#x", r.Field&0xff)
	case nvinfo.HVAL:
		return fmt.Sprintf("%#x", r.Field)
	case nvinfo.SVAL:
		return words(r, 0)
	}
	return fmt.Sprintf("field %#x", r.Field)
}

// words shows a payload from word i on, as words where it is whole words.
func words(r nvinfo.Record, i int) string {
	if len(r.Payload)%4 != 0 {
		return fmt.Sprintf("% x", r.Payload[min(4*i, len(r.Payload)):])
	}
	var b strings.Builder
	for ; i < r.Words(); i++ {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%#x", r.Word(i))
	}
	return b.String()
}

// value shows a record's symbol and value.
func (d *describer) value(r nvinfo.Record, merc bool) (symbol, value string) {
	if r.Format != nvinfo.SVAL {
		return "", plainValue(r)
	}
	a := nvinfo.Lookup(r.Code)
	switch {
	case a.Symbols == nvinfo.AllWords && len(r.Payload)%4 == 0:
		var names []string
		for i := range r.Words() {
			names = append(names, d.symbolName(r.Word(i), merc))
		}
		return "", strings.Join(names, " ")
	case a.Symbols == nvinfo.FirstWord || a.Symbols == nvinfo.FirstWordOrZero:
		if n, ok := r.Symbol(); ok {
			if n != 0 || a.Symbols == nvinfo.FirstWord {
				symbol = d.symbolName(n, merc)
			}
			return symbol, words(r, 1)
		}
	}
	return "", words(r, 0)
}

var edgeKinds = sync.OnceValue(func() map[nvinfo.Edge]string {
	return map[nvinfo.Edge]string{
		nvinfo.Calls: "calls", nvinfo.AddressTaken: "taken", nvinfo.CallsIndirect: "indirect", nvinfo.TakesAddress: "takes",
	}
})

func (d *describer) callGraph(s *cubin.Section) {
	g := nvinfo.ReadGraph(s.Data)
	for g.Next() {
		e := Edge{Kind: edgeKinds()[g.Edge], From: d.symbolName(g.A, false)}
		if g.Edge == nvinfo.AddressTaken || g.Edge == nvinfo.CallsIndirect {
			e.To = d.text(g.B)
		} else {
			e.To = d.symbolName(g.B, false)
		}
		d.image.CallGraph = append(d.image.CallGraph, e)
	}
	if err := g.Err(); err != nil {
		d.problem("section %s: %v", s.Name, err)
	}
}

// text is a string of the symbols' string table.
func (d *describer) text(off uint32) string {
	t, ok := d.f.String(off)
	if !ok {
		return fmt.Sprintf("string at %#x", off)
	}
	return fmt.Sprintf("%q", t)
}

func (d *describer) prototypes(s *cubin.Section) {
	p := nvinfo.ReadPrototypes(s.Data)
	for p.Next() {
		d.image.Prototypes = append(d.image.Prototypes, Prototype{d.symbolName(p.Symbol, false), d.text(p.String)})
	}
	if err := p.Err(); err != nil {
		d.problem("section %s: %v", s.Name, err)
	}
}

func (d *describer) notes(i int) {
	s := &d.f.Sections[i]
	n := nvinfo.ReadNotes(s.Data)
	for n.Next() {
		d.image.Notes = append(d.image.Notes, Note{Section: d.sections[i], Name: n.Name, Type: n.Type, Text: noteText(n.Note)})
	}
	if err := n.Err(); err != nil {
		d.problem("section %s: %v", s.Name, err)
	}
}

// noteText decodes a note's descriptor.
func noteText(n nvinfo.Note) []string {
	switch n.Type {
	case nvinfo.NoteTkinfo:
		if t, err := nvinfo.DecodeTkinfo(n.Desc); err == nil {
			return []string{"object: " + t.Object, "tool: " + t.Tool, "release: " + t.Release, "build: " + t.Build, "options: " + t.Options}
		}
	case nvinfo.NoteCuinfo:
		if c, err := nvinfo.DecodeCuinfo(n.Desc); err == nil {
			return []string{fmt.Sprintf("version: %d", c.Version), fmt.Sprintf("virtual SM: %d", c.VirtualSM), fmt.Sprintf("toolkit: %d", c.Toolkit)}
		}
	}
	return []string{fmt.Sprintf("% x", n.Desc)}
}
