package link

import (
	"context"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/slab"
)

// resolve enters the symbols of all inputs, in link order: functions first, then everything else, each table in its own
// order. A name has one symbol, made at its first mention; a later definition fills it in place (observed). The reference
// ends the link behind an input with errors, culink behind the last one.
func (l *link) resolve(ctx context.Context) error {
	defined, functions, sections := 0, 0, 0
	for _, in := range l.Inputs {
		defined += in.defined
		functions += in.functions
		sections += len(in.Secs)
	}
	// Undefined symbols are nearly always defined elsewhere; sections get symbols, too, when they are created. There are hardly ever
	// more than in the inputs; what is not used is not touched.
	l.Syms = slab.Cap[symbol](1, defined+sections+64)
	l.Funcs = slab.Cap[function](1, functions+16)
	l.names.grow(defined + 16)
	l.Protos = []string{""}
	l.protoID = map[string]protoID{}
	r := &resolver{l: l}
	r.locals.grow(0)
	before := l.Diag.Errors()
	accepted := l.Inputs[:0:0]
	extensible := slices.ContainsFunc(l.Inputs, func(in *input) bool { return in.File.Type == cubin.ETExtensible })
	for i, in := range l.Inputs {
		if r.droppedRuntime {
			return l.Diag.Fatal(diag.UnexpectedAfterCudadevrt)
		}
		if l.sources[i].Cudadevrt && !l.KeepSystemLibs && r.open == 0 {
			// A runtime library that nobody needs at its turn is left out; an archive before any other module is passed over.
			if len(accepted) > 0 || !l.release.archiveOpens || !l.sources[i].Archive {
				r.droppedRuntime = true
			}
			l.result.DroppedSources = append(l.result.DroppedSources, i)
			continue
		}
		in.ID = fileID(len(accepted))
		accepted = append(accepted, in)
		l.Inputs = accepted
		errors := l.Diag.Errors()
		if extensible && !l.sources[i].Cudadevrt && in.File.Type != cubin.ETExtensible {
			l.Diag.Report(diag.EwpObject, in.Name)
		}
		if err := r.input(in); err != nil {
			return err
		}
		if l.hasCompat() {
			if err := l.mergeCompat(in); err != nil {
				return err
			}
		}
		if l.Diag.Errors() > errors && l.AsReference {
			return l.Diag.Fatal(diag.MergeElfFailed)
		}
	}
	l.Inputs = accepted
	if l.Diag.Errors() > before {
		return l.Diag.Fatal(diag.MergeElfFailed)
	}
	return nil
}

type resolver struct {
	l *link
	// locals finds the first local symbol of a name; only filled with AsReference.
	locals nameTable
	// open counts undefined functions that are no system calls.
	open           int
	droppedRuntime bool
	regs           []map[uint32]uint32 // by fileID: EIATTR_REGCOUNT by symbol number, read when first asked for
	banks          map[symID]uint64    // parameter bank sizes of weak kernels
}

func (r *resolver) input(in *input) error {
	l := r.l
	view := l.view(in)
	r.regs = append(r.regs, nil)
	l.names.touch(l.Syms, in.hashes)
	for i := 1; i < len(view); i++ {
		y := &view[i]
		if y.Type() != cubin.STTFunc || y.Internal() || in.Syms[i] != 0 {
			continue
		}
		var err error
		if owner := in.ownerFirst(view, i); owner != 0 {
			if in.Syms[owner], err = r.function(in, int32(owner), &view[owner]); err != nil {
				return err
			}
		}
		if y.Value != 0 && r.inner(in, int32(i), y) {
			continue
		}
		if in.Syms[i], err = r.function(in, int32(i), y); err != nil {
			return err
		}
	}
	for i := 1; i < len(view); i++ {
		switch y := &view[i]; y.Type() {
		case cubin.STTSection:
			r.parameterBank(in, y.Shndx)
		case cubin.STTNotype, cubin.STTFunc:
		default:
			if y.Name == externInstance {
				continue // an instance of an earlier -r; entered by merge
			}
			in.Syms[i] = r.object(in, int32(i), y)
		}
	}
	l.mapPlainSymbols(in)
	if err := r.callgraph(in); err != nil {
		return err
	}
	r.takeDescriptors(in)
	if err := r.prototypes(in); err != nil {
		return err
	}
	return nil
}

// ownerFirst is the number of the function that owns the code section of the alias i and stands behind it, 0 if there is
// none: the reference enters such a function when it meets the alias (observed). A relocatable link puts an alias in front if a
// caller in an earlier input named it first.
func (in *input) ownerFirst(view []cubin.Symbol, i int) int {
	shndx := view[i].Shndx
	if shndx == cubin.SHNUndef || int(shndx) >= len(in.File.Sections) {
		return 0
	}
	owner := int(in.File.Sections[shndx].TextIndex())
	if owner <= i || owner >= len(view) {
		return 0
	}
	if y := &view[owner]; y.Type() != cubin.STTFunc || y.Internal() || y.Shndx != shndx {
		return 0
	}
	return owner
}

const externInstance = "externsharedinstance"

// mapPlainSymbols relates .symtab to the view. In a Mercury input both tables have the same order; the plain one has more
// section symbols at its end (observed).
func (l *link) mapPlainSymbols(in *input) {
	if !l.Mercury {
		in.PlainSyms = in.Syms
		return
	}
	plain, merc := in.File.Symbols, in.File.MercSymbols
	in.PlainSyms = make([]symID, len(plain))
	var byName map[string]symID
	for i := range plain {
		y := &plain[i]
		if i < len(merc) && (merc[i].Name == y.Name || y.Type() == cubin.STTSection) {
			in.PlainSyms[i] = in.Syms[i]
			continue
		}
		if y.Type() == cubin.STTSection {
			continue
		}
		if byName == nil {
			byName = map[string]symID{}
			for j := range merc {
				if in.Syms[j] != 0 {
					byName[merc[j].Name] = in.Syms[j]
				}
			}
		}
		in.PlainSyms[i] = byName[y.Name]
	}
}

func (r *resolver) newSymbol(in *input, n int32, y *cubin.Symbol) symID {
	l := r.l
	id := symID(len(l.Syms))
	s := symbol{Name: y.Name, Info: y.Info, Other: y.Other, First: in.ID, Def: noFile, DefSym: n, Shndx: y.Shndx, Value: y.Value, Size: y.Size}
	if y.Shndx != cubin.SHNUndef {
		s.Def = in.ID
	}
	r.sizes(&s, in, n, y)
	l.Syms = append(l.Syms, s)
	return id
}

// sizes takes st_size and st_value from .symtab: the twin's table counts in Mercury code and without reserved areas.
func (r *resolver) sizes(s *symbol, in *input, n int32, y *cubin.Symbol) {
	if y.Shndx == cubin.SHNCommon {
		s.Align = y.Value
	}
	if !r.l.Mercury {
		return
	}
	s.MercSize = y.Size
	if plain := in.File.Symbols; int(n) < len(plain) && plain[n].Name == y.Name {
		s.Size, s.Value = plain[n].Size, plain[n].Value
	}
}

func (r *resolver) isFunction(id symID) bool { return r.l.Syms[id].Type() == cubin.STTFunc }

// function enters a function symbol.
func (r *resolver) function(in *input, n int32, y *cubin.Symbol) (symID, error) {
	l := r.l
	if y.Binding() == cubin.STBLocal {
		return r.local(in, n, r.newFunction(in, n, y)), nil
	}
	id, known := l.names.find(l.Syms, in.hashes[n], y.Name)
	if !known {
		if like := r.likeNamedLocal(in, n, y); like != 0 && (y.Other^l.Syms[like].Other)&cubin.STOEntry != 0 {
			l.Diag.Report(diag.NotGlobalEverywhere, y.Name)
		}
		id = r.newFunction(in, n, y)
		l.names.add(in.hashes[n], id)
		if y.Shndx == cubin.SHNUndef && !isSyscall(y.Name) {
			r.open++
		}
		return id, nil
	}
	s := &l.Syms[id]
	if (y.Other^s.Other)&cubin.STOEntry != 0 {
		l.Diag.Report(diag.NotGlobalEverywhere, y.Name)
	}
	if !r.isFunction(id) {
		return id, r.functionOverObject(in, y, s)
	}
	switch {
	case y.Shndx == cubin.SHNUndef:
	case s.Def == noFile:
		if !isSyscall(y.Name) {
			r.open--
		}
		s.First = in.ID
		unified := s.Other & cubin.STOUnified
		r.define(id, in, n, y)
		// The mark of a unified function is that of the first mention (observed).
		s.Other = s.Other&^cubin.STOUnified | unified
	case y.Binding() == cubin.STBGlobal && s.Binding() == cubin.STBGlobal:
		l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.fileName(s.First))
	case y.Binding() == cubin.STBGlobal, s.Binding() == cubin.STBWeak && r.better(in, n, y, s):
		l.displace(s)
		r.define(id, in, n, y)
	default:
		in.Lost[n] = lostOnArrival
	}
	return id, nil
}

// functionOverObject reports that a name that stands for a variable so far is a function here. The reference goes on to
// compare weak copies by register counts, which a variable has not (observed).
func (r *resolver) functionOverObject(in *input, y *cubin.Symbol, s *symbol) error {
	l := r.l
	defined := y.Shndx != cubin.SHNUndef && (s.Def != noFile || s.dynamicArray())
	l.Diag.Report(diag.SpaceMismatch, y.Name, in.Name, l.firstName(s))
	switch {
	case defined && y.Binding() == cubin.STBGlobal && s.Binding() == cubin.STBGlobal:
		l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.firstName(s))
	case defined && y.Binding() == cubin.STBWeak && s.Binding() == cubin.STBWeak && l.release.weakByAttributes:
		return l.Diag.Fatal(diag.NoRegisterCount)
	}
	return nil
}

// local enters a local symbol by name for the few checks of the reference that find it; others of its name stay behind it.
func (r *resolver) local(in *input, n int32, id symID) symID {
	if l := r.l; l.AsReference {
		if _, known := r.locals.find(l.Syms, in.hashes[n], l.Syms[id].Name); !known {
			r.locals.add(in.hashes[n], id)
		}
	}
	return id
}

// likeNamedLocal is the first local symbol with the name of a new global one. The reference compares the two in some
// respects although they have nothing to do with each other (observed): a kernel must not be called like a local symbol, and
// neither must a texture reference.
func (r *resolver) likeNamedLocal(in *input, n int32, y *cubin.Symbol) symID {
	if !r.l.AsReference {
		return 0
	}
	id, _ := r.locals.find(r.l.Syms, in.hashes[n], y.Name)
	return id
}

func (r *resolver) newFunction(in *input, n int32, y *cubin.Symbol) symID {
	id := r.newSymbol(in, n, y)
	r.l.Syms[id].Func = funcID(len(r.l.Funcs))
	r.l.Funcs = append(r.l.Funcs, function{Sym: id})
	return id
}

// define makes this input's definition the one that counts.
func (r *resolver) define(id symID, in *input, n int32, y *cubin.Symbol) {
	s := &r.l.Syms[id]
	s.Info, s.Other = y.Info, y.Other
	s.Def, s.DefSym, s.Shndx, s.Value, s.Size = in.ID, n, y.Shndx, y.Value, y.Size
	r.sizes(s, in, n, y)
}

// better decides between two weak copies: the new one wins with fewer registers or, if they have as many, when it was compiled for a
// higher virtual architecture than the first copy of all, even if that was replaced since (observed).
func (r *resolver) better(in *input, n int32, y *cubin.Symbol, s *symbol) bool {
	old := r.l.Inputs[s.Def]
	have, had := r.registers(in, n, y.Shndx), r.registers(old, s.DefSym, s.Shndx)
	return have < had || have == had && r.l.virtualOf(in) > r.l.virtualOf(r.l.Inputs[s.First])
}

// registers is a definition's register count: the top byte of its code section's sh_info, or, where that is 0,
// EIATTR_REGCOUNT. 12.4 knows the former only (observed).
func (r *resolver) registers(in *input, n int32, shndx uint32) uint32 {
	l := r.l
	if int(shndx) < len(in.File.Sections) {
		text := int32(shndx)
		if l.Mercury && in.Secs[text].Twin != 0 {
			text = in.Secs[text].Twin
		}
		if top := in.File.Sections[text].Info >> 24; top != 0 {
			return top
		}
	}
	if !l.release.weakByAttributes {
		return 0
	}
	if r.regs[in.ID] == nil {
		r.regs[in.ID] = readRegisterCounts(l, in)
	}
	return r.regs[in.ID][uint32(n)]
}

// readRegisterCounts collects EIATTR_REGCOUNT of the view's .nv.info by symbol number.
func readRegisterCounts(l *link, in *input) map[uint32]uint32 {
	counts := map[uint32]uint32{}
	for i := range in.Secs {
		if in.Secs[i].Type != cubin.SHTCudaInfo || in.sectionName(i) != ".nv.info" {
			continue
		}
		for r := nvinfo.Read(in.File.Sections[i].Data); r.Next(); {
			if rec := &r.Record; rec.Format == nvinfo.SVAL && rec.Code == nvinfo.Regcount && rec.Words() >= 2 {
				counts[rec.Word(0)] = rec.Word(1)
			}
		}
	}
	return counts
}

// fileName is the name of an input as messages show it.
func (l *link) fileName(id fileID) string {
	if id < 0 || int(id) >= len(l.Inputs) {
		return inputPlaceholder
	}
	return l.Inputs[id].Name
}

// firstName is the name of the input that a message about a symbol calls the first.
func (l *link) firstName(s *symbol) string {
	if isReference(s.Type()) && l.AsReference {
		return inputPlaceholder
	}
	return l.fileName(s.First)
}

// prototypes checks .nv.prototype: the same function has one prototype everywhere.
func (r *resolver) prototypes(in *input) error {
	l := r.l
	for _, i := range in.tables {
		if in.Secs[i].Type != cubin.SHTCudaPrototype {
			continue
		}
		for p := nvinfo.ReadPrototypes(in.File.Sections[i].Data); p.Next(); {
			id := r.symbolAt(in, p.Symbol)
			proto, ok := in.File.String(p.String)
			if !ok {
				return l.Diag.Fatal(diag.MalformedInput, in.Name, "a prototype lies outside the string table")
			}
			if id == 0 {
				continue
			}
			f := r.graphNode(&l.Syms[id])
			if f == 0 {
				return l.Diag.Fatal(diag.NoCallgraphNode)
			}
			r.checkPrototype(in, id, f, l.proto(proto))
		}
	}
	return nil
}

// graphNode is the function whose place in the call graph a symbol has, 0 if none. A variable that is called like a function is
// an error already; what the reference says next depends on which function it takes it for: it reads the number of the
// function where shared and common variables have their alignment (observed).
func (r *resolver) graphNode(s *symbol) funcID {
	if s.Func != 0 {
		return s.Func
	}
	if (s.Shndx == cubin.SHNCommon || s.Shared() && s.Def != noFile) && s.Value < uint64(len(r.l.Funcs)) {
		return funcID(s.Value)
	}
	return 0
}

// checkPrototype notes a function's prototype; one that differs from the known one is an error.
func (r *resolver) checkPrototype(in *input, id symID, node funcID, p protoID) {
	l := r.l
	s, f := &l.Syms[id], &l.Funcs[node]
	if f.Proto != 0 && f.Proto != p && !samePrototype(l.Protos[f.Proto], l.Protos[p]) {
		l.Diag.Report(diag.PrototypeMismatch, s.Name, in.Name, l.fileName(s.First))
		return
	}
	f.Proto = p
}

// samePrototype compares what stands before '|'; "#ill" fits everything (observed).
func samePrototype(a, b string) bool {
	if strings.HasPrefix(a, "#ill") || strings.HasPrefix(b, "#ill") {
		return true
	}
	a, _, _ = strings.Cut(a, "|")
	b, _, _ = strings.Cut(b, "|")
	return a == b
}

func (l *link) proto(s string) protoID {
	id, ok := l.protoID[s]
	if !ok {
		id = protoID(len(l.Protos))
		l.Protos = append(l.Protos, s)
		l.protoID[s] = id
	}
	return id
}

// symbolAt maps a symbol number as .nv.callgraph and .nv.prototype use it (numbers of the view: both tables agree) to a symbol, 0 if it names none.
func (r *resolver) symbolAt(in *input, n uint32) symID {
	if int(n) >= len(in.Syms) {
		return 0
	}
	return in.Syms[n]
}

// parameterBank compares the size of the parameter bank that a section symbol stands for with that of an earlier weak copy of the
// kernel, if both are weak; not done from sm_100 on (observed).
func (r *resolver) parameterBank(in *input, section uint32) {
	l := r.l
	if l.SM >= 100 || int64(section) >= int64(len(in.Secs)) || in.Secs[section].kind != kindConstEntry {
		return
	}
	bank := &in.File.Sections[section]
	n := in.File.Sections[bank.TextIndex()].TextIndex()
	if int64(n) >= int64(len(in.Syms)) {
		return
	}
	y, id := &l.view(in)[n], in.Syms[n]
	if !y.Entry() || y.Binding() != cubin.STBWeak || y.Shndx == cubin.SHNUndef || id == 0 || l.Syms[id].Binding() != cubin.STBWeak {
		return
	}
	if r.banks == nil {
		r.banks = map[symID]uint64{}
	}
	if first, seen := r.banks[id]; !seen {
		r.banks[id] = bank.Size
	} else if first != bank.Size {
		l.Diag.Report(diag.DuplicateWeakParamBank, y.Name)
	}
}
