package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// verbose reports the lines of -v: the sizes of global and constant memory, then two lines for each kernel, by code
// section backwards (observed).
func (l *link) verbose() {
	own := l.kernelSections()
	gmem := uint64(0)
	var banks []string
	for _, s := range l.Secs[1:] {
		switch {
		case s.Kind == kindGlobal, s.Kind == kindGlobalInit:
			gmem += s.Size
		case s.Kind == kindConstUser && l.SM < 100 && l.present(s):
			banks = append(banks, bankText(s))
		}
	}
	slices.SortStableFunc(banks, compareBanks)
	l.Diag.Report(diag.GmemInfo, fmt.Sprintf("%d bytes gmem%s", gmem, strings.Join(banks, "")))
	for _, text := range slices.Backward(l.Kernels) {
		fn := l.Syms[l.Secs[text].Fn].Func
		l.Diag.Report(diag.FunctionProperties, l.Syms[l.Secs[text].Fn].Name)
		l.Diag.Report(diag.FunctionUsage, l.usage(fn, own[text]))
	}
}

// bankText is ", N bytes cmem[B]".
func bankText(s *section) string {
	return fmt.Sprintf(", %d bytes cmem[%d]", s.Size, cubin.BankOf(s.Name))
}

// compareBanks orders such texts by bank number.
func compareBanks(a, b string) int {
	bank := func(s string) string { return s[strings.IndexByte(s, '[')+1 : len(s)-1] }
	x, y := bank(a), bank(b)
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(x, y)
}

// kernelSections lists, by code section, the other sections of kernels that -v counts.
func (l *link) kernelSections() [][]*section {
	own := make([][]*section, len(l.Secs))
	for _, s := range l.Secs[1:] {
		switch s.Kind {
		case kindSharedEntry, kindLocal, kindConstEntry, kindConstFunc:
			if l.Secs[s.Owner].Kernel && l.present(s) {
				own[s.Owner] = append(own[s.Owner], s)
			}
		}
	}
	return own
}

// usage is the line of a kernel.
func (l *link) usage(fn funcID, own []*section) string {
	f := l.attr.view()
	var b strings.Builder
	fmt.Fprintf(&b, "used %d registers, ", l.usedRegisters(f, fn))
	if l.release.newAttributes {
		fmt.Fprintf(&b, "used %d barriers, ", f.barriers(fn))
	}
	shared, local := uint64(0), uint64(0)
	var banks []string
	for _, s := range own {
		switch s.Kind {
		case kindSharedEntry:
			shared = s.Size
			if l.SM >= 100 {
				shared -= min(shared, l.sharedReserve())
			}
		case kindLocal:
			local = s.Size
		default:
			if l.SM < 100 {
				banks = append(banks, bankText(s))
			}
		}
	}
	slices.SortStableFunc(banks, compareBanks)
	fmt.Fprintf(&b, "%d stack, %d bytes smem%s, %d bytes lmem", l.usedStack(f, fn), shared, strings.Join(banks, ""), local)
	if t := &l.table; l.SM < 100 && t.has != nil && t.has[fn] {
		for _, c := range []struct {
			n       int
			what    string
			without bool
		}{
			{t.textures, "textures", t.without[fn][0]},
			{t.surfaces, "surfaces", false},
			{t.samplers, "samplers", t.without[fn][1]},
		} {
			if c.n != 0 && !c.without {
				fmt.Fprintf(&b, ", %d %s", c.n, c.what)
			}
		}
	}
	return b.String()
}

func (l *link) usedRegisters(f *infoForm, fn funcID) uint32 {
	if l.rel || !l.Funcs[fn].Entry {
		return f.own[fn].reg
	}
	return f.registers(fn)
}

// usedStack is MIN_STACK_SIZE, or the kernel's own frame where that has no bound; a relocatable link says 0.
func (l *link) usedStack(f *infoForm, fn funcID) uint32 {
	switch {
	case l.rel:
		return 0
	case !l.Funcs[fn].Entry || l.attr.stack[fn] == recursive:
		return f.own[fn].frame
	}
	return l.attr.stack[fn]
}

// barriers is a kernel's NUM_BARRIERS in the image, 0 if it has none.
func (f *infoForm) barriers(fn funcID) uint16 {
	d := f.edits[fn]
	if d != nil && d.set[tBarriers] {
		return d.value[tBarriers]
	}
	if f.own[fn].has(tBarriers) {
		return f.own[fn].tracked.firstValue[tBarriers]
	}
	if d != nil {
		for i := range d.add {
			if d.add[i].Code == nvinfo.NumBarriers {
				return d.add[i].Field
			}
		}
	}
	return 0
}

// hasBarriers reports whether a function has a NUM_BARRIERS record in the image.
func (f *infoForm) hasBarriers(fn funcID) bool {
	if f.own[fn].has(tBarriers) {
		return true
	}
	d := f.edits[fn]
	return d != nil && slices.ContainsFunc(d.add, func(r nvinfo.Record) bool { return r.Code == nvinfo.NumBarriers })
}
