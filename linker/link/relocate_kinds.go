package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// symbolClass is what a symbol is for a relocation: the rows of the table of dispositions.
type symbolClass uint8

const (
	// classAbsent: not in the image and no function. Entries against it go.
	classAbsent symbolClass = iota
	// classLabel: a local label that the compiler left undefined in debug data: the value is 0, and all that is left is the
	// addend.
	classLabel
	// classMarker: one of the names of the unified tables (__UFT_OFFSET and its like).
	classMarker
	// classFunction: a function of the image, defined or not; the loader knows its address.
	classFunction
	// classDead: a function that is not in the image.
	classDead
	// classLoaded: a variable in global memory, or anything else whose value a later step decides.
	classLoaded
	// classDeferred: its value is known now, but a relocatable link leaves it to a later one.
	classDeferred
	// classConstant, classSection, classShared, classReserved: the value is known now. classSection is a section symbol
	// or no symbol at all.
	classConstant
	classSection
	classShared
	classReserved
	// classReference: texture, sampler or surface.
	classReference
	// classMissing: an undefined local object: the value is -1, or the size of the bank of user constants.
	classMissing
	symbolClasses
)

// typeClass is what a type is for a disposition: the columns of the table.
type typeClass uint8

const (
	typeUnknown typeClass = iota
	typeValue             // the link can write it
	typeLoader            // only the loader can
	typeNone              // R_CUDA_NONE
	typeClear             // UNUSED_CLEAR: zero the field if the symbol is not in the image
	typeYield
	typeUnified // only in relocatable links: executables have plain types in their place
	typePCRelative
	typeDescriptor // function descriptors that a link would have to build
	typeClasses
)

// disposition is what becomes of an entry.
type disposition uint8

const (
	drop disposition = iota
	keep
	apply
	clearField
	toNop // a YIELD
	// refuseDeleted, refuseBranch, refuseType, refuseDescriptor end the link: the reference does so, too, or crashes.
	refuseDeleted
	refuseBranch
	refuseType
	refuseDescriptor
)

type dispositionTable [symbolClasses][typeClasses]disposition

// executableTable was measured with all types 0 to 116 on both toolkits (observed).
var executableTable = dispositionTable{
	classAbsent: {},
	classLabel:  {typeValue: apply},
	classMarker: {},
	classFunction: {typeUnknown: keep, typeValue: keep, typeLoader: keep, typeYield: keep, typePCRelative: keep,
		typeDescriptor: keep},
	classDead: {typeClear: clearField},
	classDeferred: {typeUnknown: keep, typeValue: keep, typeLoader: keep, typeClear: keep, typeYield: keep, typePCRelative: keep,
		typeDescriptor: refuseDescriptor},
	classLoaded: {typeUnknown: keep, typeValue: keep, typeLoader: keep, typeNone: keep, typeClear: keep, typeYield: keep,
		typePCRelative: keep, typeDescriptor: refuseDescriptor},
	classConstant: {typeUnknown: refuseType, typeValue: apply, typeLoader: keep, typePCRelative: refuseBranch,
		typeDescriptor: refuseDescriptor},
	classSection: {typeUnknown: refuseType, typeValue: apply, typeLoader: keep, typePCRelative: refuseBranch,
		typeDescriptor: refuseDescriptor},
	// A loader's type against a shared variable stays if its symbol does; otherwise nothing could apply it.
	classShared: {typeUnknown: refuseType, typeValue: apply, typeLoader: keep, typeClear: clearField,
		typePCRelative: refuseBranch, typeDescriptor: refuseDescriptor},
	classReserved: {typeUnknown: refuseType, typeValue: apply, typeLoader: keep, typePCRelative: refuseBranch,
		typeDescriptor: refuseDescriptor},
	// References: only from code, and only by the types that ask for a descriptor (triggersDescriptor); others stay.
	classReference: {typeUnknown: keep, typeValue: apply, typeLoader: keep, typeYield: keep, typePCRelative: keep,
		typeDescriptor: refuseDescriptor},
	classMissing: {typeUnknown: refuseType, typeValue: apply, typeLoader: drop, typePCRelative: refuseBranch,
		typeDescriptor: refuseDescriptor},
}

// dispositions is the table of this link. A relocatable link keeps unified types, whatever they name, and clears nothing
// (observed). One that keeps what a later link can still change keeps the clearing of dead functions' ranges, too: the later
// link may remove the function.
func (l *link) dispositions() *dispositionTable {
	t := executableTable
	if l.withoutYield() {
		t[classSection][typeYield] = toNop
		if l.rel && l.KeepSettledRelocs {
			t[classSection][typeYield] = keep // a later link may have inputs that need it
		}
	}
	if l.plainTypes() {
		return &t
	}
	for _, class := range []symbolClass{classFunction, classDeferred, classLoaded, classConstant, classSection, classShared, classReserved, classReference} {
		t[class][typeUnified] = keep
	}
	if !l.rel {
		return &t
	}
	t[classShared][typeClear] = drop
	if l.KeepSettledRelocs {
		t[classFunction][typeClear] = keep
	}
	return &t
}

// typeClassOf tells what a type of a plain section is. R_MERCURY types belong to twins alone.
func typeClassOf(t reloc.Type) typeClass {
	d, ok := reloc.Lookup(t)
	if !ok || t.Mercury() {
		return typeUnknown
	}
	if d.Loader {
		return typeLoader
	}
	switch d.Class {
	case reloc.ClassNone:
		return typeNone
	case reloc.ClassClear:
		return typeClear
	case reloc.ClassYield:
		return typeYield
	case reloc.ClassUnified:
		return typeUnified
	case reloc.ClassPCRelative:
		return typePCRelative
	case reloc.ClassFunctionDescriptor:
		return typeDescriptor
	}
	return typeValue
}

// symbolClass tells what a symbol is for relocations.
func (l *link) symbolClass(s *symbol) symbolClass {
	keepsSettled := l.rel && l.KeepSettledRelocs
	weakLater := l.rel && s.Binding() == cubin.STBWeak
	switch {
	case isUnifiedMarker(s.Name) && (l.hasUFT || l.release.markersWantIndex && l.Index != nil && !l.rel):
		return classLoaded
	case isUnifiedMarker(s.Name):
		return classMarker
	case s.Of != 0:
		return classSection
	case s.Type() == cubin.STTFunc:
		if s.Dead || s.Index == 0 {
			return classDead
		}
		return classFunction
	case isReference(s.Type()):
		if keepsSettled {
			return classDeferred
		}
		return classReference
	case s.Binding() == cubin.STBLocal && s.Def == noFile && s.Shndx == cubin.SHNUndef && s.Name != externInstance:
		return classMissing
	case s.Space() == cubin.STOReservedShrd:
		if weakLater || keepsSettled {
			return classDeferred
		}
		return classReserved
	case l.inSharedMemory(s):
		if weakLater || keepsSettled {
			return classDeferred
		}
		return classShared
	case l.inConstantBank(s):
		if weakLater || keepsSettled {
			return classDeferred
		}
		return classConstant
	case s.Index == 0:
		return classAbsent
	}
	return classLoaded
}

func (l *link) inSharedMemory(s *symbol) bool {
	switch l.Secs[s.Sec].Kind {
	case kindSharedEntry, kindSharedFuncs:
		return true
	}
	return s.Shared()
}

// inConstantBank reports whether the symbol is a constant whose place is known: one that is undefined counts in a
// relocatable link only, where the reference writes -1 for it (observed).
func (l *link) inConstantBank(s *symbol) bool {
	switch l.Secs[s.Sec].Kind {
	case kindConstUser, kindConstEntry, kindConstFunc, kindConstIndices:
		return true
	}
	return s.Type() == cubin.STTCudaObject && s.Space() == cubin.STOConstant && (s.Def != noFile || l.rel)
}

// triggersDescriptor tells the types that, in code, ask for a descriptor of a texture, sampler or surface (all of 0 to
// 129 were tried with both toolkits; observed).
func triggersDescriptor(t reloc.Type) bool {
	switch t {
	case 5, 12, 17, 18, 22, 23, 24, 25, 29, 30, 38, 39, 42, 46, 50, 51, 54, 55, 59, 64, 65, 66, 115:
		return true
	}
	return false
}
