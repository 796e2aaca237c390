package inspect

import (
	"fmt"
	"strings"
)

// fact is one statement about a file.
type fact struct {
	key, value string
}

// facts flattens an image. Keys are unique and hold names, not numbers.
func (im *Image) facts() []fact {
	f := &factList{repeats: map[string]int{}}
	im.headerFacts(f)
	for i := range im.Sections {
		s := &im.Sections[i]
		f.add("section "+s.Key, "", fmt.Sprintf("%s, %#x bytes", s.Type, s.Size))
		f.add("section "+s.Key, "type", s.Type)
		f.add("section "+s.Key, "flags", hex(s.Flags))
		f.add("section "+s.Key, "addr", hex(s.Addr))
		f.add("section "+s.Key, "offset", hex(s.Offset))
		f.add("section "+s.Key, "size", hex(s.Size))
		f.add("section "+s.Key, "link", s.Link)
		f.add("section "+s.Key, "info", s.Info)
		f.add("section "+s.Key, "align", hex(s.Addralign))
		f.add("section "+s.Key, "entsize", hex(s.Entsize))
	}
	symbolFacts(f, "symbol ", im.Symbols)
	symbolFacts(f, "mercury symbol ", im.MercSymbols)
	for i := range im.Attributes {
		l := &im.Attributes[i]
		for _, a := range l.Records {
			f.repeated(strings.TrimRight("attribute "+l.Section+" "+a.Code+" "+a.Symbol, " "), a.Format+" "+a.Value)
		}
	}
	for _, e := range im.CallGraph {
		f.repeated("call graph "+e.Kind+" "+e.From+" -> "+e.To, "present")
	}
	for _, p := range im.Prototypes {
		f.repeated("prototype "+p.Function, p.Text)
	}
	for _, n := range im.Notes {
		key := f.unique(fmt.Sprintf("note %s type %d", n.Section, n.Type))
		for i, t := range n.Text {
			f.add(key, fmt.Sprintf("line %d", i+1), t)
		}
	}
	for i := range im.Relocations {
		l := &im.Relocations[i]
		for _, r := range l.Entries {
			value := r.Type + " " + r.Symbol
			if r.Addend != nil {
				value += " " + signed(*r.Addend)
			}
			f.repeated(fmt.Sprintf("relocation %s %#x", l.Section, r.Offset), value)
		}
	}
	im.capsuleFacts(f)
	for i, p := range im.Problems {
		f.add("problem", fmt.Sprint(i+1), p)
	}
	return f.list
}

func (im *Image) headerFacts(f *factList) {
	h := &im.Header
	f.add("header", "class", h.Class)
	f.add("header", "osabi", hex(uint64(h.OSABI)))
	f.add("header", "abi version", fmt.Sprint(h.ABIVersion))
	f.add("header", "type", h.Type)
	f.add("header", "version", fmt.Sprint(h.Version))
	f.add("header", "flags", hex(uint64(h.Flags)))
	f.add("header", "entry", hex(h.Entry))
	f.add("header", "program headers", hex(h.Phoff))
	f.add("header", "section headers", hex(h.Shoff))
	for i, s := range im.Segments {
		f.add(fmt.Sprintf("segment %d", i), "", fmt.Sprintf("%s %s offset %#x vaddr %#x paddr %#x filesz %#x memsz %#x align %#x",
			segmentType(s.Type), permissions(s.Flags), s.Offset, s.Vaddr, s.Paddr, s.Filesz, s.Memsz, s.Align))
	}
}

func symbolFacts(f *factList, prefix string, symbols []Symbol) {
	for i := range symbols {
		s := &symbols[i]
		f.add(prefix+s.Key, "", s.Type+" "+s.Binding+" in "+s.Section)
		f.add(prefix+s.Key, "type", s.Type)
		f.add(prefix+s.Key, "binding", s.Binding)
		f.add(prefix+s.Key, "other", hex(uint64(s.Other)))
		f.add(prefix+s.Key, "section", s.Section)
		f.add(prefix+s.Key, "value", hex(s.Value))
		f.add(prefix+s.Key, "size", hex(s.Size))
	}
}

func hex(x uint64) string { return fmt.Sprintf("%#x", x) }

// factList collects facts.
type factList struct {
	list    []fact
	repeats map[string]int
}

// add adds a fact about part of a thing; the part "" is the thing itself.
func (f *factList) add(thing, part, value string) {
	if part != "" {
		thing += " " + part
	}
	f.list = append(f.list, fact{thing, value})
}

// unique gives repeated keys a number.
func (f *factList) unique(key string) string {
	f.repeats[key]++
	if n := f.repeats[key]; n > 1 {
		return fmt.Sprintf("%s #%d", key, n)
	}
	return key
}

// repeated adds a fact whose key may have come before.
func (f *factList) repeated(key, value string) { f.add(f.unique(key), "", value) }
