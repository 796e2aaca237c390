package link

import (
	"context"
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/slab"
)

// memory is what layout knows and later passes ask for.
type memory struct {
	// banks is the section of bank 0 of a kernel, by code section.
	banks []secID
	// dynamic is where dynamic shared memory begins for a function and a symbol.
	dynamic map[dynamicUse]uint64
	// sharedTwice are the variables in whose value the reserved bytes are twice.
	sharedTwice map[symID]bool
	// variables are, by fileID, the variables of an input by section.
	variables []*variableIndex
	// replacedBanks are sections of compiler constants none of whose constants stayed.
	replacedBanks []secID
	// copies are the bytes to move once all sizes are known.
	copies []copyJob
	// nullValue is st_value of the null symbol. The reference gives it the place of the last losing copy of a function's
	// constants, whose symbols are not in the image (observed with both toolkits).
	nullValue uint64
	// lastUnit is the place of the last unit of user constants, if there is one.
	lastUnit uint64
	hasUnit  bool
	// gap is the number of bytes between contributions, which alignment alone asks for.
	gap uint64
	// unified are the entries of the two unified tables, functions first, if they were placed.
	unified [2][]unifiedEntry
	// refused is what is wrong with the unified tables, nil if nothing is.
	refused *refusal
	// dynamicUncounted: the values of dynamic arrays do not count the reserved bytes (layout_dynamic.go).
	dynamicUncounted bool
	// Errors that are reported in the reference's order (reportLayoutErrors).
	excessShared    []excess
	excessCompiler  []string
	excessConstants []excess
}

// excess is a section that holds more than its space has.
type excess struct {
	sec       secID
	name      string
	size, max uint64
}

// copyJob moves one contribution to its place.
type copyJob struct {
	sec  secID
	merc bool
	off  uint64
	src  []byte
}

// layout gives every variable an address in its space and every section of code and data its size and bytes. Sizes come
// first, in one sequential walk; then the bytes of all sections are allocated at once and copied in parallel.
func (l *link) layout(ctx context.Context) error {
	l.mem.copies = slab.Cap[copyJob](0, len(l.Secs))
	for _, s := range l.Secs[1:] {
		l.join(s)
	}
	l.placeCommons()
	l.variableAddresses()
	l.mem.refused = l.placeUnified()
	l.pruneConstants()
	if l.rel {
		l.sharedSizes()
	} else {
		if err := l.sharedMemory(); err != nil {
			return err
		}
		l.reservedShared()
		l.joinNew(l.kernelConstants) // behind the shared sections that layout creates (observed)
		l.compilerConstants()
	}
	if !l.rel && !l.Mercury {
		l.relAction = l.sec(".nv.rel.action", 0, 0) // behind what layout creates (observed)
	}
	l.eraseEmptyBanks()
	l.markUnits()
	l.checkConstants()
	if err := l.fill(); err != nil {
		return err
	}
	if l.Mercury && l.uft != 0 && l.mem.refused == nil {
		return l.makeTable()
	}
	return nil
}

// extent is the size of a section so far and its alignment.
type extent struct{ size, align uint64 }

// add places size bytes of that alignment at the end and returns where.
func (e *extent) add(size, align uint64) uint64 {
	at := alignUp(e.size, align)
	e.size, e.align = at+size, max(e.align, align)
	return at
}

// joinNew joins the sections that a step creates.
func (l *link) joinNew(create func()) {
	from := len(l.Secs)
	create()
	for _, s := range l.Secs[from:] {
		l.join(s)
	}
}

// join places the contributions of a section one after the other, each whole and at its own alignment: nothing is
// sorted, merged or left out, so the bytes of definitions that lost stay (observed). Sections that other passes encode
// are left alone.
func (l *link) join(s *section) {
	plain, twin := extent{align: 1}, extent{align: 1}
	switch s.Kind {
	case kindConstFunc:
		if s.Owner != 0 {
			plain.align = l.leaveOutReplaced(s)
		}
	case kindDebug, kindGlobal, kindGlobalInit, kindConstUser, kindConstEntry, kindConstIndices, kindText, kindLocal,
		kindUFT, kindUDT, kindUFTEntry, kindUDTEntry, kindOther:
	default:
		return
	}
	units := l.unitsOf(s)
	// An executable's unified tables are filled when places in them are known.
	later := !l.rel && (s.Kind == kindUFT || s.Kind == kindUDT)
	for i := range s.Parts {
		if s.Parts[i].Sec != 0 {
			l.joinPlain(s, i, &plain, units, later)
		}
		if s.Parts[i].Merc != 0 {
			l.joinTwin(s, &s.Parts[i], &twin, later)
		}
	}
	l.setJoined(s, plain, twin)
}

// joinPlain places the i-th contribution: behind those before it, or where a unit of the same bytes is already.
func (l *link) joinPlain(s *section, i int, e *extent, units *units, later bool) {
	p := &s.Parts[i]
	in := l.Inputs[p.In]
	h := &in.File.Sections[p.Sec]
	size, src := h.Size, h.Data
	switch {
	case s.Kind == kindConstFunc:
		size = l.copySize(s.Owner, p)
		src = in.constants(p.Sec, size)
		l.mem.gap += size - min(size, uint64(len(h.Data)))
	case !s.NoBits():
		size = uint64(len(h.Data))
	}
	before := e.size
	if at, ok := units.equal(i, h); ok {
		// What stays of its entries are at the place that it would have had, over the bytes of the copies behind it (observed).
		p.Off, in.Secs[p.Sec].Off = at, alignUp(before, h.Addralign)
	} else {
		p.Off = e.add(size, h.Addralign)
		in.Secs[p.Sec].Off = p.Off
		l.mem.gap += p.Off - before
		if units.enter(h, p.Off) {
			l.mem.lastUnit, l.mem.hasUnit = p.Off, true
		}
	}
	if !later && !(s.Kind == kindConstFunc && l.emptyCopy(p.In, s.Owner)) {
		l.copyTo(s, false, p.Off, src)
	}
}

// setJoined gives a section the size and alignment of both forms' contributions.
func (l *link) setJoined(s *section, plain, twin extent) {
	s.Size, s.MercSize = plain.size, twin.size
	switch s.Kind {
	case kindConstIndices:
		s.Size = l.table.end()
		s.MercSize = slotSize * uint64(len(l.table.refs))
	case kindConstEntry:
		if s.Owner != 0 && l.hasDescriptors(l.Syms[l.Secs[s.Owner].Fn].Func) && !l.Mercury {
			s.Size = l.table.end()
		}
	}
	switch {
	case s.Kind == kindText: // every definition's alignment counts, not the winner's alone; it is set already
	case s.Kind == kindUFTEntry && !l.rel:
		s.Align = unifiedAlign
	default:
		s.Align = plain.align
	}
	s.ShareOff = s.Kind == kindGlobalInit || s.Kind == kindConstUser
}

// end is the size of a parameter bank with the table.
func (t *bindlessTable) end() uint64 { return t.base + slotSize*uint64(len(t.refs)) }

// joinTwin places the Mercury form of a contribution. A twin that shares the plain section's bytes has its places, too.
func (l *link) joinTwin(s *section, p *part, twin *extent, later bool) {
	in := l.Inputs[p.In]
	h := &in.File.Sections[p.Merc]
	switch s.Kind {
	case kindText, kindUFT: // capsules are copied where they are understood
		return
	case kindGlobalInit, kindConstUser:
		p.MercOff = p.Off
		if p.Sec == 0 {
			p.MercOff = twin.add(uint64(len(h.Data)), h.Addralign)
		}
		twin.size = max(twin.size, p.MercOff+uint64(len(h.Data)))
		if p.Sec != 0 {
			in.Secs[p.Merc].Off = in.Secs[p.Sec].Off
			return
		}
	default:
		src := h.Data
		if s.Kind == kindConstFunc && p.Sec != 0 {
			src = src[:min(uint64(len(src)), l.copySize(s.Owner, p))]
		}
		before := twin.size
		p.MercOff = twin.add(uint64(len(src)), h.Addralign)
		l.mem.gap += p.MercOff - before
		if !later {
			l.copyTo(s, true, p.MercOff, src)
		}
	}
	in.Secs[p.Merc].Off = p.MercOff
}

func (l *link) copyTo(s *section, merc bool, off uint64, src []byte) {
	if len(src) > 0 {
		l.mem.copies = append(l.mem.copies, copyJob{s.ID, merc, off, src})
	}
}

// variableAddresses turns the values of variables in joined sections into addresses.
func (l *link) variableAddresses() {
	for i := 1; i < len(l.Syms); i++ {
		s := &l.Syms[i]
		if l.AllowUndefGlobals && s.Def == noFile && s.Space() != 0 && !isReservedSmem(s.Name) {
			s.Value = 0 // whatever an earlier relocatable link wrote (observed)
		}
		if s.Def < 0 || s.CommonPlaced || s.Shndx == cubin.SHNUndef || s.Shndx >= cubin.SHNLoRes {
			continue
		}
		if !s.isObject() {
			continue
		}
		sec := &l.Inputs[s.Def].Secs[s.Shndx]
		if !l.Secs[sec.Out].Kind.shared() {
			s.Value += sec.Off
		}
	}
}

// checkConstants notes constant banks that hold too much.
func (l *link) checkConstants() {
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstUser && s.Size > bankLimit {
			l.mem.excessConstants = append(l.mem.excessConstants, excess{s.ID, "", s.Size, bankLimit})
		}
	}
}

// reportLayoutErrors reports what does not fit, in the reference's order: the kernels' shared memory and the constants of
// all in the order in which their sections were created, then constants of the compiler (observed). It reports nothing a
// second time.
func (l *link) reportLayoutErrors() {
	m := &l.mem
	constants := m.excessConstants
	constantsBefore := func(sec secID) {
		for len(constants) > 0 && constants[0].sec < sec {
			l.Diag.Report(diag.TooMuchConstant, constants[0].size, constants[0].max)
			constants = constants[1:]
		}
	}
	for _, e := range m.excessShared {
		constantsBefore(e.sec)
		l.Diag.Report(diag.TooMuchShared, e.name, e.size, e.max)
	}
	constantsBefore(noSharedSection)
	for _, name := range m.excessCompiler {
		l.Diag.Report(diag.TooMuchCompilerConstant, name)
	}
	m.excessShared, m.excessConstants, m.excessCompiler = nil, nil, nil
}

// reportReserved names the functions that use the reserved shared memory although it is switched off. 12.4 takes the code as
// it is (observed).
func (l *link) reportReserved() {
	if !l.DisableSmemReserve || !l.release.refusesReserved {
		return
	}
	for _, name := range l.attr.view().reservedUsers() {
		l.Diag.Report(diag.ReservedSharedNotAllowed, name)
	}
}

// gapLimit is how many bytes alignment may ask for beyond the inputs' own size; no program comes near it: each byte of the
// inputs may ask for as many, which is room for an alignment of 16 KiB for every small variable. A damaged sh_addralign
// could otherwise ask for any amount of memory.
func (l *link) gapLimit() uint64 {
	const floor, factor = 8 << 20, 256
	return floor + factor*uint64(sizeOf(l.sources))
}

// fill allocates the bytes of all sections and copies the contributions into them.
func (l *link) fill() error {
	total := l.dataTotal()
	if l.mem.gap > l.gapLimit() {
		return l.Diag.Fatal(diag.UnsupportedInput, l.fileName(0), fmt.Sprintf("the alignments of sections ask for %#x bytes of padding", l.mem.gap))
	}
	all := slab.Make[byte](int(total))
	take := func(n uint64) []byte {
		b := all[:n:n]
		all = all[n:]
		return b
	}
	for _, s := range l.Secs[1:] {
		if !l.holdsBytes(s) {
			continue
		}
		s.Data = take(s.Size)
		if !s.ShareOff {
			s.MercData = take(s.MercSize)
		} else {
			s.MercData = s.Data
		}
	}
	copies := l.mem.copies
	l.mem.copies = nil
	return l.parallel(len(copies), func(i int) error {
		c := &copies[i]
		s := l.Secs[c.sec]
		if !l.holdsBytes(s) {
			return nil // bytes in a section that is uninitialised by its name: a damaged sh_type
		}
		dst := s.Data
		if c.merc {
			dst = s.MercData
		}
		if c.off < uint64(len(dst)) { // a damaged twin can be longer than what it is a twin of
			copy(dst[c.off:], c.src)
		}
		return nil
	})
}

// dataTotal is the number of bytes of all sections that layout fills.
func (l *link) dataTotal() uint64 {
	total := uint64(0)
	for _, s := range l.Secs[1:] {
		if l.holdsBytes(s) {
			total += s.Size
			if !s.ShareOff {
				total += s.MercSize
			}
		}
	}
	return total
}

// holdsBytes reports whether layout makes a section's bytes. Constants that do not fit are not made: the link fails.
func (l *link) holdsBytes(s *section) bool {
	switch s.Kind {
	case kindDebug, kindGlobalInit, kindConstEntry, kindConstIndices, kindText, kindUFT, kindUDT, kindUFTEntry, kindUDTEntry, kindOther:
		return true
	case kindConstUser:
		return s.Size <= bankLimit
	case kindConstFunc:
		return len(l.mem.excessCompiler) == 0
	}
	return false
}
