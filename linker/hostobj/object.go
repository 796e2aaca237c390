package hostobj

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrMachine is returned for a machine that objects are not written for.
var ErrMachine = errors.New("no host objects for this machine")

// Sections of the object, in order.
const (
	secNull = iota
	secText
	secRelaText
	secBSS
	secModuleIDs
	secFatbin
	secSegmentNo
	secRelaSegment
	secProperty
	secStack
	secSymtab
	secStrtab
	secShstrtab
	sectionCount
)

const (
	flagWrite = 1
	flagAlloc = 2
	flagExec  = 4
	flagInfo  = 0x40

	shtNote = 7

	symLocal, symGlobal            = 0 << 4, 1 << 4
	symNone, symFunc, symSectionST = 0, 2, 3
)

// outSection is a section of the object being written.
type outSection struct {
	name       string
	typ        uint32
	flags      uint64
	data       []byte
	size       uint64 // of a section without data
	link, info uint32
	align      uint64
	entsize    uint64
}

// outSymbol is a symbol of the object being written.
type outSymbol struct {
	name        string
	info        byte
	shndx       uint16
	value, size uint64
}

// Object encodes the object as an ELF relocatable for a machine: position independent, for executables and shared libraries alike.
func (l *Linked) Object(m Machine) ([]byte, error) {
	p := programOf(m)
	if p == nil {
		return nil, fmt.Errorf("%w: e_machine %d", ErrMachine, m)
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	if len(l.IDs) > math.MaxInt32/pointerSize/4 {
		return nil, fmt.Errorf("%d modules in one object", len(l.IDs))
	}
	w := &objectWriter{linked: l, program: p, bss: layoutBSS(len(l.IDs))}
	w.localSymbols()
	if err := w.code(); err != nil {
		return nil, err
	}
	return w.write(m)
}

// pointerSize in bytes, on both machines.
const pointerSize = 8

// bss are the offsets of the variables.
type bss struct {
	handle, count, modules, callbacks, end int64
}

// layoutBSS places the handle, the count, the list of the modules' containers, which ends with a null pointer, and the callbacks.
func layoutBSS(n int) bss {
	b := bss{handle: 0, count: pointerSize, modules: 2 * pointerSize}
	b.callbacks = b.modules + int64(n+1)*pointerSize
	b.end = b.callbacks + int64(n)*pointerSize
	return b
}

type objectWriter struct {
	linked  *Linked
	program *program
	bss     bss
	symbols []outSymbol
	locals  int
	text    []byte
	relas   []rela
	ids     []byte
}

// Numbers of the local symbols: the null symbol, then the symbols of the sections that code and data refer to, then the two functions.
const (
	symText = iota + 1
	symBSS
	symFatbin
	symSegment
)

func (w *objectWriter) localSymbols() {
	w.symbols = append(w.symbols, outSymbol{})
	for _, s := range []uint16{secText, secBSS, secFatbin, secSegmentNo} {
		w.symbols = append(w.symbols, outSymbol{info: symLocal | symSectionST, shndx: s})
	}
	w.locals = len(w.symbols)
}

func (w *objectWriter) global(name string, info byte, shndx uint16, value, size uint64) uint32 {
	w.symbols = append(w.symbols, outSymbol{name, symGlobal | info, shndx, value, size})
	return uint32(len(w.symbols) - 1)
}

// code encodes the functions and makes their symbols. Without modules nothing registers the image, as with nvcc (observed).
func (w *objectWriter) code() error {
	n := len(w.linked.IDs)
	if n == 0 {
		return nil
	}
	var wrap uint32
	extern := map[place]uint32{}
	c := &code{modules: n}
	c.symbol = func(p place) (uint32, int64) {
		switch p {
		case placeHandle:
			return symBSS, w.bss.handle
		case placeCount:
			return symBSS, w.bss.count
		case placeModules:
			return symBSS, w.bss.modules
		case placeCallbacks:
			return symBSS, w.bss.callbacks
		case placeCallbacksEnd:
			return symBSS, w.bss.end
		case placeRecord:
			return symSegment, 0
		case placeUnregister:
			return symText, int64(c.labels[placeUnregister])
		case placeWrap:
			return wrap, 0
		}
		return extern[p], 0
	}
	// Local functions come before global symbols, whose numbers the code needs: so their sizes are known first.
	unregisterSize, registerSize := sizeOf(w.program.unregister), sizeOf(w.program.register)
	w.symbols = append(w.symbols,
		outSymbol{"culink_unregister", symLocal | symFunc, secText, 0, uint64(unregisterSize)},
		outSymbol{"culink_register", symLocal | symFunc, secText, uint64(unregisterSize), uint64(registerSize)})
	w.locals = len(w.symbols)
	for _, e := range []struct {
		place place
		name  string
	}{
		{placeCudaRegister, nameRegister}, {placeCudaRegisterEnd, nameRegisterEnd},
		{placeCudaUnregister, nameUnregister}, {placeAtExit, nameAtExit},
	} {
		extern[e.place] = w.global(e.name, symNone, 0, 0, 0)
	}
	for _, list := range [][]ins{w.program.unregister, w.program.register} {
		if err := c.add(list); err != nil {
			return err
		}
	}
	for _, id := range w.linked.IDs {
		start := len(c.text)
		wrap = w.global(nameWrap+id, symNone, 0, 0, 0)
		if err := c.add(w.program.module); err != nil {
			return err
		}
		w.global(nameRegisterLinked+id, symFunc, secText, uint64(start), uint64(len(c.text)-start))
		w.ids = append(append(append(w.ids, moduleIDPrefix...), id...), 0)
	}
	w.text, w.relas = c.text, c.relas
	return nil
}

func sizeOf(list []ins) int {
	n := 0
	for _, i := range list {
		n += len(i.code)
	}
	return n
}

// record is the content of .nvFatBinSegment and its two pointers.
func (w *objectWriter) record() ([]byte, []rela) {
	b := make([]byte, recordSize)
	binary.LittleEndian.PutUint32(b, recordMagic)
	binary.LittleEndian.PutUint32(b[4:], recordVersion)
	return b, []rela{
		{recordContainer, w.program.abs64, symFatbin, 0},
		{recordModules, w.program.abs64, symBSS, w.bss.modules},
	}
}

// property is the note that says that the code may run with branch tracking on.
func (w *objectWriter) property() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 4)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.program.property)))
	b = binary.LittleEndian.AppendUint32(b, 5) // NT_GNU_PROPERTY_TYPE_0
	return append(append(b, "GNU\x00"...), w.program.property...)
}

func encodeRelas(list []rela) []byte {
	b := make([]byte, len(list)*relaSize)
	for i, r := range list {
		e, le := b[i*relaSize:], binary.LittleEndian
		le.PutUint64(e, r.offset)
		le.PutUint64(e[8:], uint64(r.sym)<<32|uint64(r.typ))
		le.PutUint64(e[16:], uint64(r.addend))
	}
	return b
}

// symtab encodes the symbols and their names.
func (w *objectWriter) symtab() (table, names []byte) {
	table = make([]byte, len(w.symbols)*symbolSize)
	names = []byte{0}
	for i, s := range w.symbols {
		e, le := table[i*symbolSize:], binary.LittleEndian
		if s.name != "" {
			le.PutUint32(e, uint32(len(names)))
			names = append(append(names, s.name...), 0)
		}
		e[4] = s.info
		le.PutUint16(e[6:], s.shndx)
		le.PutUint64(e[8:], s.value)
		le.PutUint64(e[16:], s.size)
	}
	return table, names
}

func (w *objectWriter) sections() []outSection {
	record, pointers := w.record()
	table, names := w.symtab()
	return []outSection{
		secNull:        {},
		secText:        {name: ".text", typ: shtProgbits, flags: flagAlloc | flagExec, data: w.text, align: 16},
		secRelaText:    {name: ".rela.text", typ: shtRela, flags: flagInfo, data: encodeRelas(w.relas), link: secSymtab, info: secText, align: 8, entsize: relaSize},
		secBSS:         {name: ".bss", typ: shtNobits, flags: flagAlloc | flagWrite, size: uint64(w.bss.end), align: 8},
		secModuleIDs:   {name: secModuleID, typ: shtProgbits, flags: flagAlloc, data: w.ids, align: 1},
		secFatbin:      {name: secLinkedFat, typ: shtProgbits, flags: flagAlloc, data: w.linked.Container, align: 8},
		secSegmentNo:   {name: secSegment, typ: shtProgbits, flags: flagAlloc | flagWrite, data: record, align: 8},
		secRelaSegment: {name: ".rela" + secSegment, typ: shtRela, flags: flagInfo, data: encodeRelas(pointers), link: secSymtab, info: secSegmentNo, align: 8, entsize: relaSize},
		secProperty:    {name: ".note.gnu.property", typ: shtNote, flags: flagAlloc, data: w.property(), align: 8},
		secStack:       {name: ".note.GNU-stack", typ: shtProgbits, align: 1},
		secSymtab:      {name: ".symtab", typ: shtSymtab, data: table, link: secStrtab, info: uint32(w.locals), align: 8, entsize: symbolSize},
		secStrtab:      {name: ".strtab", typ: shtStrtab, data: names, align: 1},
		secShstrtab:    {name: ".shstrtab", typ: shtStrtab, align: 1},
	}
}

// write lays the sections out behind the ELF header, the section header table at the end.
func (w *objectWriter) write(m Machine) ([]byte, error) {
	secs := w.sections()
	nameOf := make([]uint32, sectionCount)
	names := []byte{0}
	for i, s := range secs[1:] {
		nameOf[i+1] = uint32(len(names))
		names = append(append(names, s.name...), 0)
	}
	secs[secShstrtab].data = names
	offset := make([]int, sectionCount)
	at := elfHeaderSize
	for i, s := range secs {
		if s.typ == shtNull {
			continue
		}
		at = alignUp(at, int(s.align))
		offset[i] = at
		at += len(s.data)
	}
	table := alignUp(at, 8)
	out := make([]byte, table+sectionCount*sectionHeaderSize)
	for i, s := range secs {
		copy(out[offset[i]:], s.data)
	}
	le := binary.LittleEndian
	for i, s := range secs {
		h := out[table+i*sectionHeaderSize:]
		size := uint64(len(s.data))
		if s.typ == shtNobits {
			size = s.size
		}
		le.PutUint32(h, nameOf[i])
		le.PutUint32(h[4:], s.typ)
		le.PutUint64(h[8:], s.flags)
		le.PutUint64(h[24:], uint64(offset[i]))
		le.PutUint64(h[32:], size)
		le.PutUint32(h[40:], s.link)
		le.PutUint32(h[44:], s.info)
		le.PutUint64(h[48:], s.align)
		le.PutUint64(h[56:], s.entsize)
	}
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[offType:], etRel)
	le.PutUint16(out[offMachine:], uint16(m))
	le.PutUint32(out[20:], 1) // e_version
	le.PutUint64(out[offShoff:], uint64(table))
	le.PutUint16(out[52:], elfHeaderSize)
	le.PutUint16(out[offShentsize:], sectionHeaderSize)
	le.PutUint16(out[offShnum:], sectionCount)
	le.PutUint16(out[offShstrndx:], secShstrtab)
	return out, nil
}

func alignUp(n, align int) int { return (n + align - 1) / align * align }
