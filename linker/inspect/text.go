package inspect

import (
	"bufio"
	"fmt"
	"io"
)

// WriteText writes a dump for readers. The layout is for people: the JSON form is the one to parse.
func (im *Image) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	im.headerText(out)
	im.sectionText(out)
	im.symbolText(out, "Symbols", im.Symbols)
	im.symbolText(out, "Mercury symbols", im.MercSymbols)
	im.attributeText(out)
	im.graphText(out)
	im.noteText(out)
	im.relocationText(out)
	im.capsuleText(out)
	for _, p := range im.Problems {
		fmt.Fprintf(out, "\nProblem: %s\n", p)
	}
	return out.Flush()
}

func (im *Image) headerText(w io.Writer) {
	h := &im.Header
	fmt.Fprintf(w, "Header\n  %s, ABI %d (OSABI %#x, version %d), %s, sm_%d", h.Class, h.ABI, h.OSABI, h.ABIVersion, h.Type, h.SM)
	if h.Mercury {
		fmt.Fprint(w, " with Mercury")
	}
	fmt.Fprintf(w, ", e_version %d, e_flags %#x, e_entry %#x, %d bytes\n  program headers at %#x, section headers at %#x\n",
		h.Version, h.Flags, h.Entry, h.Size, h.Phoff, h.Shoff)
	if len(im.Segments) > 0 {
		fmt.Fprintf(w, "\nSegments\n  %-6s %-5s %10s %10s %10s %10s %8s\n", "type", "flags", "offset", "vaddr", "filesz", "memsz", "align")
	}
	for _, s := range im.Segments {
		fmt.Fprintf(w, "  %-6s %-5s %#10x %#10x %#10x %#10x %#8x\n", segmentType(s.Type), permissions(s.Flags), s.Offset, s.Vaddr, s.Filesz, s.Memsz, s.Align)
	}
}

func (im *Image) sectionText(w io.Writer) {
	fmt.Fprintf(w, "\nSections\n  %4s  %-20s %10s %10s %8s %5s %5s  %s\n", "", "type", "offset", "size", "flags", "align", "ents", "name")
	for i := range im.Sections {
		s := &im.Sections[i]
		fmt.Fprintf(w, "  [%3d] %-20s %#10x %#10x %#8x %5d %5d  %s", s.Index, s.Type, s.Offset, s.Size, s.Flags, s.Addralign, s.Entsize, s.Key)
		if s.Link != "" {
			fmt.Fprintf(w, "  link %s", s.Link)
		}
		if s.Info != "" {
			fmt.Fprintf(w, "  info %s", s.Info)
		}
		if s.Addr != 0 {
			fmt.Fprintf(w, "  addr %#x", s.Addr)
		}
		fmt.Fprintln(w)
	}
}

func (im *Image) symbolText(w io.Writer, title string, symbols []Symbol) {
	if len(symbols) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n  %5s  %10s %8s %-11s %-6s %5s  %s\n", title, "", "value", "size", "type", "bind", "other", "name")
	for i := range symbols {
		s := &symbols[i]
		fmt.Fprintf(w, "  [%4d] %#10x %#8x %-11s %-6s %#5x  %s  in %s", s.Index, s.Value, s.Size, s.Type, s.Binding, s.Other, s.Key, s.Section)
		if s.Space != "" {
			fmt.Fprintf(w, "  (%s)", s.Space)
		}
		fmt.Fprintln(w)
	}
}

func (im *Image) attributeText(w io.Writer) {
	for i := range im.Attributes {
		l := &im.Attributes[i]
		fmt.Fprintf(w, "\nAttributes %s\n", l.Section)
		for _, a := range l.Records {
			fmt.Fprintf(w, "  %-4s %-32s", a.Format, a.Code)
			if a.Symbol != "" {
				fmt.Fprintf(w, " %s:", a.Symbol)
			}
			fmt.Fprintf(w, " %s\n", a.Value)
		}
	}
}

func (im *Image) graphText(w io.Writer) {
	if len(im.CallGraph) > 0 {
		fmt.Fprint(w, "\nCall graph\n")
	}
	for _, e := range im.CallGraph {
		fmt.Fprintf(w, "  %-8s %s -> %s\n", e.Kind, e.From, e.To)
	}
	if len(im.Prototypes) > 0 {
		fmt.Fprint(w, "\nPrototypes\n")
	}
	for _, p := range im.Prototypes {
		fmt.Fprintf(w, "  %s %s\n", p.Function, p.Text)
	}
}

func (im *Image) noteText(w io.Writer) {
	for _, n := range im.Notes {
		fmt.Fprintf(w, "\nNote %s, %q, type %d\n", n.Section, n.Name, n.Type)
		for _, t := range n.Text {
			fmt.Fprintf(w, "  %s\n", t)
		}
	}
}

func (im *Image) relocationText(w io.Writer) {
	for i := range im.Relocations {
		l := &im.Relocations[i]
		fmt.Fprintf(w, "\nRelocations %s of %s\n", l.Section, l.Target)
		for _, r := range l.Entries {
			fmt.Fprintf(w, "  %#10x  %-32s %s", r.Offset, r.Type, r.Symbol)
			if r.Addend != nil {
				fmt.Fprintf(w, " %s", signed(*r.Addend))
			}
			fmt.Fprintln(w)
		}
	}
}

// signed shows an addend: +0x10, -0x8.
func signed(x int64) string {
	if x < 0 {
		return fmt.Sprintf("-%#x", -uint64(x))
	}
	return fmt.Sprintf("+%#x", x)
}
