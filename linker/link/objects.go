package link

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// isUnifiedMarker tells the eight weak symbols that every device file mentions and no check looks at (observed).
func isUnifiedMarker(name string) bool {
	switch name {
	case "__UDT_OFFSET", "__UFT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL", "__UFT", "__UDT", "__UFT_END", "__UDT_END":
		return true
	}
	return false
}

func isReservedSmem(name string) bool {
	const p = ".nv.reservedSmem"
	return len(name) >= len(p) && name[:len(p)] == p
}

func isReference(t cubin.SymbolType) bool { return t >= cubin.STTTexture && t <= cubin.STTSurface }

// inputPlaceholder is how the reference names the file of a texture reference in texts.
const inputPlaceholder = "<input>"

// object enters a symbol that is no function: variables, commons, texture references.
func (r *resolver) object(in *input, n int32, y *cubin.Symbol) symID {
	l := r.l
	if y.Binding() == cubin.STBLocal {
		return r.local(in, n, r.newSymbol(in, n, y))
	}
	id, known := l.names.find(l.Syms, in.hashes[n], y.Name)
	if !known {
		if isReference(y.Type()) {
			if like := r.likeNamedLocal(in, n, y); like != 0 {
				l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.firstName(&l.Syms[like]))
			}
		}
		id = r.newSymbol(in, n, y)
		l.names.add(in.hashes[n], id)
		return id
	}
	if isUnifiedMarker(y.Name) || isReservedSmem(y.Name) {
		return id
	}
	s := &l.Syms[id]
	if isReference(y.Type()) {
		if y.Type() != s.Type() {
			l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.firstName(s))
		}
		return id
	}
	if r.isFunction(id) || isReference(s.Type()) || y.Space() != s.Space() {
		l.Diag.Report(diag.SpaceMismatch, y.Name, in.Name, l.firstName(s))
	}
	if (y.Other^s.Other)&cubin.STOManaged != 0 {
		l.Diag.Report(diag.ManagedMismatch, y.Name, in.Name, l.firstName(s))
	}
	if isReference(s.Type()) {
		return id
	}
	r.variable(in, n, y, id)
	return id
}

// variable decides between a known variable and one of this input.
func (r *resolver) variable(in *input, n int32, y *cubin.Symbol, id symID) {
	l := r.l
	s := &l.Syms[id]
	oldCommon, newCommon := s.Shndx == cubin.SHNCommon, y.Shndx == cubin.SHNCommon
	if oldCommon && newCommon {
		// The larger size counts, but the alignment of the first mention (the reference's fault, needed for addresses).
		if y.Size > s.Size {
			s.Size, s.First = y.Size, in.ID
		}
		return
	}
	if oldCommon != newCommon && y.Shndx != cubin.SHNUndef && (s.Def != noFile || s.dynamicArray()) {
		r.commonAndDefinition(in, n, y, id)
		return
	}
	size := s.Size
	if l.Mercury && r.isFunction(id) {
		size = s.MercSize // of functions the two tables have different ones
	}
	if y.Size != size && size != 0 && y.Size != 0 {
		l.sizeMismatch(in, y, s)
	}
	switch {
	case y.Shndx == cubin.SHNUndef:
	case s.Def == noFile && s.dynamicArray() && y.Binding() == cubin.STBGlobal && (y.Space() != cubin.STOShared || y.Size == 0 && !l.KeepSettledRelocs):
		// The reference gives a dynamic array a section at its first mention; what its relocatable link wrote defines it again (observed).
		l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.fileName(s.First))
	case s.Def == noFile:
		if newCommon {
			s.First = in.ID
		}
		unified := s.Other & cubin.STOUnifiedData
		r.define(id, in, n, y)
		// Whether a variable counts as unified is up to the first mention (observed).
		s.Other = s.Other&^cubin.STOUnifiedData | unified
	case s.Binding() == cubin.STBGlobal && y.Binding() == cubin.STBGlobal:
		l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.fileName(s.First))
	case y.Binding() == cubin.STBGlobal:
		l.displace(s)
		if s.Shared() {
			l.replacedShared = append(l.replacedShared, sharedDef{sym: id, file: s.Def, number: s.DefSym, align: s.Value, size: s.Size, replaced: true})
		}
		r.define(id, in, n, y)
	default:
		in.Lost[n] = lostOnArrival
	}
}

// commonAndDefinition decides between a COMMON and a definition, in either order.
func (r *resolver) commonAndDefinition(in *input, n int32, y *cubin.Symbol, id symID) {
	l := r.l
	s := &l.Syms[id]
	oldCommon := s.Shndx == cubin.SHNCommon
	var initialised bool
	switch {
	case y.Space() != s.Space() || s.Def == noFile: // an error already, after which sizes are compared as usual
	case oldCommon:
		initialised = hasBytes(in.File, y.Shndx)
	default:
		initialised = hasBytes(l.Inputs[s.Def].File, s.Shndx)
	}
	if initialised {
		common, definition, file := s.Size, y.Size, s.First
		if !oldCommon {
			common, definition, file = y.Size, s.Size, in.ID
		}
		switch {
		case common > definition:
			l.Diag.Report(diag.CommonLarger, y.Name, l.fileName(file))
		case oldCommon:
			// A weak definition wins, too, where the reference crashes.
			s.First = in.ID
			r.define(id, in, n, y)
		default:
			in.Lost[n] = lostOnArrival
		}
		return
	}
	if y.Size != s.Size {
		l.sizeMismatch(in, y, s)
	}
	switch {
	case oldCommon:
		if y.Binding() == cubin.STBGlobal && y.Size == s.Size {
			// The definition counts for its attributes, its bytes stay reserved, but the place is the common's.
			r.define(id, in, n, y)
			s.CommonPlaced = true
		} else {
			in.Lost[n] = lostOnArrival
		}
	case s.Binding() == cubin.STBGlobal:
		l.Diag.Report(diag.MultipleDefinition, y.Name, in.Name, l.fileName(s.First))
	default:
		// Weak and uninitialised: it becomes a common and keeps its weak binding.
		s.CommonPlaced = true
		s.Align = y.Value
		in.Lost[n] = lostOnArrival
	}
}

// sizeMismatch reports that an input has a symbol in another size than the inputs before it.
func (l *link) sizeMismatch(in *input, y *cubin.Symbol, s *symbol) {
	_ = l.Diag.Add(diag.Message{ID: diag.SizeMismatch, Args: []any{y.Name, in.Name, l.fileName(s.First)}, Cause: fmt.Sprintf("%d bytes and %d", y.Size, s.Size)})
}

// hasBytes reports whether a definition is initialised: its section has bytes in the file.
func hasBytes(f *cubin.File, shndx uint32) bool {
	return shndx < cubin.SHNLoRes && !f.Sections[shndx].NoBits()
}
