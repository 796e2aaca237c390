package link

import (
	"github.com/culink/culink/linker/cubin"
)

// fileID is the position of an input in link order.
type fileID int32

// secID indexes link.Secs; 0 is no section.
type secID int32

// symID indexes link.Syms; 0 is no symbol. Symbols are numbered in the order in which the inputs first mention them,
// which is the reference linker's internal order ("rank").
type symID int32

// funcID indexes link.Funcs; 0 is no function. Functions are numbered by rank, too.
type funcID int32

// protoID indexes link.Protos; 0 is no prototype.
type protoID int32

// noFile is the fileID of symbols that the linker makes itself.
const noFile fileID = -1

// input is one device ELF of the link, parsed, with what the link knows about it. File is never changed.
type input struct {
	ID   fileID
	Name string // as messages show it
	File *cubin.File
	// Secs is parallel to File.Sections.
	Secs []inSection
	// Syms maps the symbol numbers of the table that the link goes by (view) to symbols of the image; 0 for section
	// symbols, labels and symbols that are not entered.
	Syms []symID
	// PlainSyms maps the numbers of .symtab; the same slice as Syms except in a Mercury link.
	PlainSyms []symID
	// Lost marks, by symbol number of the view, definitions that did not become the image's: lostOnArrival when an earlier one stood,
	// replacedLater when a later one took their place.
	Lost []lossKind
	// Unnamed is 12.4's nameless function symbol of this input, 0 if it has none.
	Unnamed symID
	// virtual is what virtualOf found; 0 before it is asked.
	virtual uint32
	// isa is the Mercury instruction set of the input's code, as .nv.compat has it.
	isa uint16
	// hashes are the hashes of the view's global and weak names, by symbol number, for the name table.
	hashes []uint64
	// unified: the input has unified functions.
	unified bool
	// descriptors are the symbol numbers, in the view's table, of relocations that ask for a function's descriptor.
	descriptors []uint32
	// defined and functions count the view's definitions and, among them, functions; weakKernels: some are weak kernels.
	defined, functions int
	weakKernels        bool
	// tables are the indices of the few sections that are neither code nor data nor belong to either (isTable).
	tables []int32
	// replaced: a later definition took the place of one of this input's.
	replaced bool
	hasRels  []bool // what patched returns
}

// displace notes that a later definition takes the place of the one that s has.
func (l *link) displace(s *symbol) {
	in := l.Inputs[s.Def]
	in.Lost[s.DefSym] = replacedLater
	in.replaced = true
	s.Replaced = true
}

type lossKind uint8

const (
	notLost lossKind = iota
	lostOnArrival
	replacedLater
)

// view is the symbol table that creation order follows: .nv.merc.symtab in a Mercury link, .symtab otherwise.
func (l *link) view(in *input) []cubin.Symbol {
	if l.Mercury {
		return in.File.MercSymbols
	}
	return in.File.Symbols
}

// inSection is what the link knows about one section of an input.
type inSection struct {
	// Off is where its bytes begin in the output section (in the twin's bytes, for a twin), once layout has run.
	Off uint64
	// Type is the section's in the linker's view: in a Mercury link the sections that twins stand for are hidden (SHTNull);
	// otherwise it is the file's.
	Type cubin.SectionType
	// Twin is, in a Mercury link, the index of the other form of the section: of the twin for a plain one, of the
	// plain one for a twin; 0 if there is none.
	Twin int32
	// Out is the output section that the section joins (the same for both forms), 0 if none.
	Out secID
	// ghost is the dead function that the section belongs to.
	ghost funcID
	// Dead marks the section of a function that is not in the image.
	Dead   bool
	placed bool
	// kind is the section's kind by its name in the view.
	kind kind
	// mark is the length of what a twin's name begins with and the name that it goes under does not have.
	mark uint8
	// Lost marks a code section (or a section that belongs to one) whose function's definition lost to another.
	Lost lossKind
}

// sectionName is the name of a section in the linker's view: in a Mercury link twins go under their plain names.
func (in *input) sectionName(index int) string {
	return in.File.Sections[index].Name[in.Secs[index].mark:]
}

// symbol is a symbol of the image, or one that was considered for it.
type symbol struct {
	Name  string
	Info  uint8
	Other uint8
	// First is the input that texts name ("first defined in", "Undefined reference ... in").
	First fileID
	// Def and DefSym are the input and the number (in the view's table) of the definition that counts; Def is noFile for undefined symbols and those that the linker makes.
	Def    fileID
	DefSym int32
	// Shndx is the input's st_shndx of that definition: SHNUndef, SHNCommon or an ordinary index.
	Shndx uint32
	// Sec is the output section, 0 if undefined.
	Sec secID
	// Value is st_value in the image: before layout the input's, afterwards the address in its space.
	Value uint64
	Size  uint64
	// MercSize is st_size in .nv.merc.symtab of a function (Mercury links).
	MercSize uint64
	// Align is the alignment of a COMMON or shared variable in bytes (their st_value in the inputs).
	Align uint64
	// Func is the call graph node of a function symbol.
	Func funcID
	// Of is the section whose section symbol this is.
	Of secID
	// Local side or global side of the symbol table; unset while the symbol is in neither.
	Side side
	// Dead marks a function that dead code elimination removed, or a symbol of such a function's sections.
	Dead bool
	// CommonPlaced marks a symbol whose place is in the common area of .nv.global.
	CommonPlaced bool
	// Replaced: a definition took the place of an earlier one.
	Replaced bool
	// CodeRef is set when a merged code section refers to the symbol.
	CodeRef bool
	// Index is the symbol's number in the image's .symtab, 0 if it is not there. The number in .nv.merc.symtab is the same.
	Index uint32
	// nameOff is st_name, once the string table is made.
	nameOff uint32
}

type side uint8

const (
	noSide side = iota
	localSide
	globalSide
)

// Type is the low half of st_info.
func (s *symbol) Type() cubin.SymbolType { return cubin.SymbolType(s.Info & 15) }

// Binding is the high half of st_info.
func (s *symbol) Binding() cubin.Binding { return cubin.Binding(s.Info >> 4) }

// Undefined reports whether no input defines the symbol; section symbols count as defined.
func (s *symbol) Undefined() bool { return s.Shndx == cubin.SHNUndef && s.Of == 0 }

// Space is the memory space of a variable: bits 5 to 7 of st_other, in place.
func (s *symbol) Space() uint8 { return s.Other & cubin.STOSpace }

// isObject reports whether the symbol is a variable, under ELF's type or under NVIDIA's.
func (s *symbol) isObject() bool {
	return s.Type() == cubin.STTObject || s.Type() == cubin.STTCudaObject
}

// undefinedKernel reports whether device code starts the kernel, but no input defines it.
func (s *symbol) undefinedKernel() bool { return s.Undefined() && s.Other&cubin.STOEntry != 0 }

// Shared reports whether the symbol is a variable in (unreserved) shared memory.
func (s *symbol) Shared() bool {
	return s.Type() == cubin.STTCudaObject && s.Space() == cubin.STOShared
}

// dynamicArray reports whether the symbol is an extern shared array without a size that nothing defines: the reference holds it
// for a definition in some of its checks (observed).
func (s *symbol) dynamicArray() bool {
	return s.Def == noFile && s.Shared() && s.Size == 0 && s.Binding() == cubin.STBGlobal
}

// kind says what an output section is; the table of kinds (kinds.go) holds everything that follows from it.
type kind uint8

// part is one input section's share of an output section.
type part struct {
	In  fileID
	Sec int32 // index in the input's file of the plain section, 0 if none
	// Merc is the index of its Mercury twin, 0 if none.
	Merc int32
	// Off and MercOff are where the bytes begin in the output section and in its twin.
	Off, MercOff uint64
}

// section is an output section. In a Mercury link one section stands for the plain section and its twin.
type section struct {
	ID   secID
	Name string // the name at creation: in a Mercury link constant sections have their Mercury names
	Kind kind
	// Owner is the code section of a per-function section, Target the section that a relocation section patches.
	Owner, Target secID
	// Fn is, for a code section, the function symbol that created it.
	Fn symID
	// Parts are the contributions, in link order. A code section, and what belongs to one function, has the winner's alone,
	// except for compiler constants (bank 2).
	Parts []part
	// Align is sh_addralign in bytes; Size is sh_size; Data are the section's bytes once they are made (nil for NOBITS).
	Align uint64
	Size  uint64
	Data  []byte
	// MercData are the twin's bytes, MercSize its size.
	MercData []byte
	MercSize uint64
	// Rels and MercRels are the entries that stay in a relocation section, in image order.
	Rels, MercRels []outRel
	// ExtraFlags and ExtraInfo are bits that a pass adds to sh_flags (barrier counts) and sh_info (register counts).
	ExtraFlags uint64
	ExtraInfo  uint32
	// KeepEmpty keeps the section in the image though its size is 0.
	KeepEmpty bool
	// Erased takes the section back: it is not in the image, and neither its name nor its symbols are in the string tables.
	Erased bool
	// Drop removes the section from the image whatever its size.
	Drop bool
	// Kernel marks the code section of a kernel.
	Kernel bool
	// Appended marks a section that stands behind the ordinary ones: in a Mercury link the parameter banks of kernels
	// without descriptors, which are created last and have no name among the early ones.
	Appended bool
	// late marks the shared section of a kernel that a filter rejects, made for its dynamic memory alone: functions'
	// alignments do not count in it (observed).
	late bool
	// NoTwin marks a section that has no Mercury form although its kind has one.
	NoTwin bool
	// ShareOff: the twin has the plain section's file offset and takes no room of its own.
	ShareOff bool
	// Sym is the section symbol, 0 if the section has none.
	Sym symID
	// Index and MercIndex are the header numbers in the image; 0: not in the image.
	Index, MercIndex uint32
	// Offset and MercOffset are sh_offset.
	Offset, MercOffset   uint64
	nameOff, mercNameOff uint32
	// symbolName is st_name of the section's symbol where the image shows the section under another name, otherwise 0.
	symbolName uint32
	// born is the number of the section's creation, those of dead functions counted.
	born uint32
	// firstChild and lastChild are the ends of the list of sections whose Owner or Target this one is, in order of creation;
	// sibling is the next in the list that this section is in.
	firstChild, lastChild, sibling secID
}

// outRel is a relocation entry of the image; Sym is resolved to a number when it is written.
type outRel struct {
	Offset uint64
	Sym    symID
	Type   uint32
	Addend int64
}

// function is a node of the call graph: one per function symbol, defined or not.
type function struct {
	Sym symID
	// Text is the output code section of a defined function, 0 otherwise.
	Text secID
	// AliasOf is the function that owns the code section, if that is another one.
	AliasOf funcID
	// Inside is the function whose code this one is a part of, 0 if it has its own: in code that was compiled as an
	// extensible whole program.
	Inside funcID
	// Unbounded: its object says that the stack has no bound, since a function that is part of its code calls itself.
	Unbounded bool
	// Calls (-1 records), Indirect (-3) and Takes (-4) are in reading order; the reference keeps them newest first.
	Calls    []funcID
	Indirect []protoID
	Takes    []funcID
	// Taken: some record takes the function's address.
	Taken bool
	// Proto is the last prototype read, 0 if none.
	Proto protoID
	// Live: reached from a root by calls. Kept: stays in the image. Entry: a kernel that counts as one in the image.
	Live, Kept, Entry bool
	// Passes: a kernel that passes the filter of kernels, if there is one.
	Passes bool
}

// funcConst are the compiler constants (bank 2) of a function that is no kernel: every copy of every input, in link order.
// An executable has no section for them; layout puts them into the kernels that reach the function.
type funcConst struct {
	Owner secID // the function's code section
	Parts []part
}
