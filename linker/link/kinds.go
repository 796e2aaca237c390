package link

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Kinds of output sections.
const (
	KindNone Kind = iota
	KindShstrtab
	KindStrtab
	KindSymtab
	KindSymtabShndx
	KindTkinfo
	KindCuinfo
	KindInfo     // .nv.info
	KindInfoFunc // .nv.info.F
	KindCompat
	KindDebug // .debug_*, .nv_debug_* but .nv_debug.shared
	KindCallgraph
	KindPrototype
	KindRelAction
	KindRel
	KindRela
	KindResolved  // .nv.resolvedrela*
	KindConstUser // .nv.constantN without function; .nv.constant.user
	KindConstEntry
	KindConstFunc    // bank 2: compiler constants and jump tables; .nv.constant.optimizer.F
	KindConstIndices // .nv.constant.entry_image_header_indices.K, Mercury only; .nv.constant0.K in the image
	KindText
	KindGlobalInit
	KindGlobal
	KindSharedEntry // .nv.shared.K
	KindSharedFuncs // .nv_debug.shared
	KindSharedReserved
	KindLocal
	KindUFT      // .nv.uft, .nv.uft.rel.F: code of the table of unified functions
	KindUDT      // .nv.udt: the table of unified variables
	KindUFTEntry // .nv.uft.entry
	KindUDTEntry // .nv.udt.entry
	KindUIDX     // .nv.uidx
	KindOther    // anything else that is copied as it comes
)

// shared reports whether sections of the kind are in shared memory.
func (k Kind) shared() bool {
	return k == KindSharedEntry || k == KindSharedFuncs || k == KindSharedReserved
}

// Class is a section's place in the order of the image: sections are sorted by class, inside a class they stand in
// the order of their creation (observed).
type Class uint8

// The seven classes of the order, after .shstrtab, .strtab and .symtab.
const (
	ClassFixed Class = iota
	ClassDebug
	ClassMeta
	ClassReloc
	ClassConstant
	ClassText
	ClassGlobalInit
	ClassNobits
)

// kindRow is everything that follows from a section's kind. Columns of sh_type differ between executable and
// relocatable images; 0 in rel means the same as exec.
type kindRow struct {
	class     Class
	exec, rel cubin.SectionType
	flags     uint64
	align     uint64 // fixed sh_addralign, 0: the layout's
	entsize   uint64
	table     bool // sh_addralign and sh_entsize follow the file's class
	link      linkTo
	noSymbol  bool // no section symbol in .symtab
	merc      cubin.SectionType
	mercFlags uint64
}

type linkTo uint8

const (
	linkNone linkTo = iota
	linkSymtab
	linkStrtab
	linkTkinfo
)

// kindRows is the table of section headers (observed on every image of both toolkits).
func kindRows() *[KindOther + 1]kindRow { return &kindTable }

var kindTable = [KindOther + 1]kindRow{
	KindShstrtab:       {class: ClassFixed, exec: cubin.SHTStrtab, align: 1, noSymbol: true},
	KindStrtab:         {class: ClassFixed, exec: cubin.SHTStrtab, align: 1, noSymbol: true},
	KindSymtab:         {class: ClassFixed, exec: cubin.SHTSymtab, table: true, link: linkStrtab, noSymbol: true},
	KindSymtabShndx:    {class: ClassFixed, exec: cubin.SHTSymtabShndx, align: 4, entsize: 4, link: linkSymtab, noSymbol: true},
	KindTkinfo:         {class: ClassMeta, exec: cubin.SHTNote, flags: cubin.SHFTkinfo, align: 4},
	KindCuinfo:         {class: ClassMeta, exec: cubin.SHTNote, flags: cubin.SHFCuinfo, align: 4, link: linkTkinfo},
	KindInfo:           {class: ClassMeta, exec: cubin.SHTCudaInfo, align: 4, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercInfo},
	KindInfoFunc:       {class: ClassMeta, exec: cubin.SHTCudaInfo, flags: 0x40, align: 4, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercInfo, mercFlags: 0x40},
	KindCompat:         {class: ClassMeta, exec: cubin.SHTCudaCompat, align: 4, noSymbol: true},
	KindDebug:          {class: ClassDebug, exec: cubin.SHTProgbits, merc: cubin.SHTProgbits},
	KindCallgraph:      {class: ClassMeta, exec: cubin.SHTCudaCallgraph, align: 4, entsize: 8, link: linkSymtab},
	KindPrototype:      {class: ClassMeta, exec: cubin.SHTCudaPrototype, align: 4, entsize: 8, link: linkSymtab},
	KindRelAction:      {class: ClassMeta, exec: cubin.SHTCudaRelAction, align: 8, entsize: 8},
	KindRel:            {class: ClassReloc, exec: cubin.SHTRel, flags: 0x40, table: true, link: linkSymtab, noSymbol: true, merc: cubin.SHTRel, mercFlags: 0x40},
	KindRela:           {class: ClassReloc, exec: cubin.SHTRela, flags: 0x40, table: true, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercRela, mercFlags: 0x40},
	KindResolved:       {class: ClassReloc, exec: cubin.SHTCudaResolved, flags: 0x40, table: true, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercResolved, mercFlags: 0x40},
	KindConstUser:      {class: ClassConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 2, merc: cubin.SHTMercUser, mercFlags: 2},
	KindConstEntry:     {class: ClassConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 0x42, align: 4},
	KindConstFunc:      {class: ClassConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 0x42, merc: cubin.SHTMercOptimizer, mercFlags: 0x42},
	KindConstIndices:   {class: ClassConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 0x42, align: 4, merc: cubin.SHTMercIndices, mercFlags: 0x42},
	KindText:           {class: ClassText, exec: cubin.SHTProgbits, flags: 6, link: linkSymtab, merc: cubin.SHTCudaCapsule},
	KindGlobalInit:     {class: ClassGlobalInit, exec: cubin.SHTProgbits, rel: cubin.SHTCudaGlobalInit, flags: 3, merc: cubin.SHTCudaGlobalInit, mercFlags: 3},
	KindGlobal:         {class: ClassNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaGlobal, flags: 3},
	KindSharedEntry:    {class: ClassNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaShared, flags: 0x43},
	KindSharedFuncs:    {class: ClassNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaShared, flags: 3},
	KindSharedReserved: {class: ClassNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaSharedRes, flags: 3, merc: cubin.SHTCudaSharedRes, mercFlags: 3},
	KindLocal:          {class: ClassNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaLocal, flags: 0x43},
	KindUFT:            {class: ClassText, exec: cubin.SHTCudaUFT, flags: 6, entsize: unifiedSlot, link: linkSymtab, merc: cubin.SHTCudaCapsule},
	KindUDT:            {class: ClassGlobalInit, exec: cubin.SHTCudaUDT, flags: 3, merc: cubin.SHTCudaUDT, mercFlags: 3},
	KindUFTEntry:       {class: ClassMeta, exec: cubin.SHTCudaUFTEntry, entsize: unifiedEntrySize, link: linkSymtab, merc: cubin.SHTCudaUFTEntry},
	KindUDTEntry:       {class: ClassMeta, exec: cubin.SHTCudaUDTEntry, entsize: unifiedEntrySize, link: linkSymtab, merc: cubin.SHTCudaUDTEntry},
	KindUIDX:           {class: ClassMeta, exec: cubin.SHTCudaUIDX, align: 1, merc: cubin.SHTCudaUIDX},
	KindOther:          {class: ClassMeta, exec: cubin.SHTProgbits},
}

func (s *Section) row() *kindRow { return &kindRows()[s.Kind] }

// Class is the section's place in the image's order.
func (s *Section) Class() Class { return s.row().class }

// NoBits reports whether the section takes no bytes in the image.
func (s *Section) NoBits() bool { return s.Class() == ClassNobits }

const (
	mercUser      = ".nv.constant.user"
	mercIndices   = ".nv.constant.entry_image_header_indices."
	mercOptimizer = ".nv.constant.optimizer."
)

// prefixKind is the table of section names; the first row that fits decides. perFunc rows are for sections with an owner.
type prefixKind struct {
	name    string
	exact   bool
	kind    Kind
	perFunc bool
}

var prefixKinds = []prefixKind{
	{".text.", false, KindText, false},
	{uftSection, true, KindUFT, false},
	{uftRelPrefix, false, KindUFT, false},
	{uftEntrySection, true, KindUFTEntry, false},
	{".nv.udt", true, KindUDT, false},
	{".nv.udt.entry", true, KindUDTEntry, false},
	{uidxSection, true, KindUIDX, false},
	{".nv.info", true, KindInfo, false},
	{".nv.info.", false, KindInfoFunc, true},
	{".nv.compat", true, KindCompat, false},
	{".nv_debug.shared", true, KindSharedFuncs, false},
	{".debug", false, KindDebug, false},
	{".nv_debug_", false, KindDebug, false},
	{".nv.callgraph", true, KindCallgraph, false},
	{".nv.prototype", true, KindPrototype, false},
	{".note.nv.tkinfo", true, KindTkinfo, false},
	{".note.nv.cuinfo", true, KindCuinfo, false},
	{".nv.rel.action", true, KindRelAction, false},
	{".nv.resolvedrela", false, KindResolved, false},
	{".rela.", false, KindRela, false},
	{".rel.", false, KindRel, false},
	{".nv.global.init", true, KindGlobalInit, false},
	{".nv.global", true, KindGlobal, false},
	{".nv.shared.reserved.", false, KindSharedReserved, false},
	{".nv.shared.", false, KindSharedEntry, true},
	{".nv.local.", false, KindLocal, true},
	{mercUser, true, KindConstUser, false},
	{mercIndices, false, KindConstIndices, true},
	{mercOptimizer, false, KindConstFunc, true},
	{".shstrtab", true, KindShstrtab, false},
	{".strtab", true, KindStrtab, false},
	{".symtab", true, KindSymtab, false},
	{".symtab_shndx", true, KindSymtabShndx, false},
}

// telling is the index of the byte that most names in prefixKinds differ in; all of them have it.
const telling = 4

// kindOf tells a section's kind from its name in the linker's view and whether it belongs to a code section.
func kindOf(name string, owned bool) Kind {
	for i := range prefixKinds {
		p := &prefixKinds[i]
		if len(name) <= telling || name[telling] != p.name[telling] {
			continue
		}
		if p.exact && name == p.name || !p.exact && strings.HasPrefix(name, p.name) {
			if p.perFunc && !owned {
				return KindOther
			}
			return p.kind
		}
	}
	if bank := cubin.BankOf(name); bank >= 0 {
		switch {
		case !owned:
			return KindConstUser
		case bank == 0:
			return KindConstEntry
		default:
			return KindConstFunc
		}
	}
	return KindOther
}

// PlainName is the name of a section in the image: Mercury's constant sections go under the banks they stand for.
func plainName(name string) string {
	for _, prefix := range []string{".nv.resolvedrela", ".rela", ".rel", ""} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		switch {
		case rest == mercUser:
			return prefix + ".nv.constant3"
		case strings.HasPrefix(rest, mercOptimizer):
			return prefix + ".nv.constant2." + rest[len(mercOptimizer):]
		case strings.HasPrefix(rest, mercIndices):
			return prefix + ".nv.constant0." + rest[len(mercIndices):]
		}
	}
	return name
}
