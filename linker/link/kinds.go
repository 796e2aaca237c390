package link

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Kinds of output sections.
const (
	kindNone kind = iota
	kindShstrtab
	kindStrtab
	kindSymtab
	kindSymtabShndx
	kindTkinfo
	kindCuinfo
	kindInfo     // .nv.info
	kindInfoFunc // .nv.info.F
	kindCompat
	kindDebug // .debug_*, .nv_debug_* but .nv_debug.shared
	kindCallgraph
	kindPrototype
	kindRelAction
	kindRel
	kindRela
	kindResolved  // .nv.resolvedrela*
	kindConstUser // .nv.constantN without function; .nv.constant.user
	kindConstEntry
	kindConstFunc    // bank 2: compiler constants and jump tables; .nv.constant.optimizer.F
	kindConstIndices // .nv.constant.entry_image_header_indices.K, Mercury only; .nv.constant0.K in the image
	kindText
	kindGlobalInit
	kindGlobal
	kindSharedEntry // .nv.shared.K
	kindSharedFuncs // .nv_debug.shared
	kindSharedReserved
	kindLocal
	kindUFT      // .nv.uft, .nv.uft.rel.F: code of the table of unified functions
	kindUDT      // .nv.udt: the table of unified variables
	kindUFTEntry // .nv.uft.entry
	kindUDTEntry // .nv.udt.entry
	kindUIDX     // .nv.uidx
	kindOther    // anything else that is copied as it comes
)

// shared reports whether sections of the kind are in shared memory.
func (k kind) shared() bool {
	return k == kindSharedEntry || k == kindSharedFuncs || k == kindSharedReserved
}

// orderClass is a section's place in the order of the image: sections are sorted by orderClass, inside a orderClass they stand in
// the order of their creation (observed).
type orderClass uint8

// The seven classes of the order, after .shstrtab, .strtab and .symtab.
const (
	orderFixed orderClass = iota
	orderDebug
	orderMeta
	orderReloc
	orderConstant
	orderText
	orderGlobalInit
	orderNobits
)

// kindRow is everything that follows from a section's kind. Columns of sh_type differ between executable and
// relocatable images; 0 in rel means the same as exec.
type kindRow struct {
	class     orderClass
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
func kindRows() *[kindOther + 1]kindRow { return &kindTable }

var kindTable = [kindOther + 1]kindRow{
	kindShstrtab:       {class: orderFixed, exec: cubin.SHTStrtab, align: 1, noSymbol: true},
	kindStrtab:         {class: orderFixed, exec: cubin.SHTStrtab, align: 1, noSymbol: true},
	kindSymtab:         {class: orderFixed, exec: cubin.SHTSymtab, table: true, link: linkStrtab, noSymbol: true},
	kindSymtabShndx:    {class: orderFixed, exec: cubin.SHTSymtabShndx, align: 4, entsize: 4, link: linkSymtab, noSymbol: true},
	kindTkinfo:         {class: orderMeta, exec: cubin.SHTNote, flags: cubin.SHFTkinfo, align: 4},
	kindCuinfo:         {class: orderMeta, exec: cubin.SHTNote, flags: cubin.SHFCuinfo, align: 4, link: linkTkinfo},
	kindInfo:           {class: orderMeta, exec: cubin.SHTCudaInfo, align: 4, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercInfo},
	kindInfoFunc:       {class: orderMeta, exec: cubin.SHTCudaInfo, flags: 0x40, align: 4, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercInfo, mercFlags: 0x40},
	kindCompat:         {class: orderMeta, exec: cubin.SHTCudaCompat, align: 4, noSymbol: true},
	kindDebug:          {class: orderDebug, exec: cubin.SHTProgbits, merc: cubin.SHTProgbits},
	kindCallgraph:      {class: orderMeta, exec: cubin.SHTCudaCallgraph, align: 4, entsize: 8, link: linkSymtab},
	kindPrototype:      {class: orderMeta, exec: cubin.SHTCudaPrototype, align: 4, entsize: 8, link: linkSymtab},
	kindRelAction:      {class: orderMeta, exec: cubin.SHTCudaRelAction, align: 8, entsize: 8},
	kindRel:            {class: orderReloc, exec: cubin.SHTRel, flags: 0x40, table: true, link: linkSymtab, noSymbol: true, merc: cubin.SHTRel, mercFlags: 0x40},
	kindRela:           {class: orderReloc, exec: cubin.SHTRela, flags: 0x40, table: true, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercRela, mercFlags: 0x40},
	kindResolved:       {class: orderReloc, exec: cubin.SHTCudaResolved, flags: 0x40, table: true, link: linkSymtab, noSymbol: true, merc: cubin.SHTMercResolved, mercFlags: 0x40},
	kindConstUser:      {class: orderConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 2, merc: cubin.SHTMercUser, mercFlags: 2},
	kindConstEntry:     {class: orderConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 0x42, align: 4},
	kindConstFunc:      {class: orderConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 0x42, merc: cubin.SHTMercOptimizer, mercFlags: 0x42},
	kindConstIndices:   {class: orderConstant, exec: cubin.SHTProgbits, rel: cubin.SHTCudaConstant0, flags: 0x42, align: 4, merc: cubin.SHTMercIndices, mercFlags: 0x42},
	kindText:           {class: orderText, exec: cubin.SHTProgbits, flags: 6, link: linkSymtab, merc: cubin.SHTCudaCapsule},
	kindGlobalInit:     {class: orderGlobalInit, exec: cubin.SHTProgbits, rel: cubin.SHTCudaGlobalInit, flags: 3, merc: cubin.SHTCudaGlobalInit, mercFlags: 3},
	kindGlobal:         {class: orderNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaGlobal, flags: 3},
	kindSharedEntry:    {class: orderNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaShared, flags: 0x43},
	kindSharedFuncs:    {class: orderNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaShared, flags: 3},
	kindSharedReserved: {class: orderNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaSharedRes, flags: 3, merc: cubin.SHTCudaSharedRes, mercFlags: 3},
	kindLocal:          {class: orderNobits, exec: cubin.SHTNobits, rel: cubin.SHTCudaLocal, flags: 0x43},
	kindUFT:            {class: orderText, exec: cubin.SHTCudaUFT, flags: 6, entsize: unifiedSlot, link: linkSymtab, merc: cubin.SHTCudaCapsule},
	kindUDT:            {class: orderGlobalInit, exec: cubin.SHTCudaUDT, flags: 3, merc: cubin.SHTCudaUDT, mercFlags: 3},
	kindUFTEntry:       {class: orderMeta, exec: cubin.SHTCudaUFTEntry, entsize: unifiedEntrySize, link: linkSymtab, merc: cubin.SHTCudaUFTEntry},
	kindUDTEntry:       {class: orderMeta, exec: cubin.SHTCudaUDTEntry, entsize: unifiedEntrySize, link: linkSymtab, merc: cubin.SHTCudaUDTEntry},
	kindUIDX:           {class: orderMeta, exec: cubin.SHTCudaUIDX, align: 1, merc: cubin.SHTCudaUIDX},
	kindOther:          {class: orderMeta, exec: cubin.SHTProgbits},
}

func (s *section) row() *kindRow { return &kindRows()[s.Kind] }

// Class is the section's place in the image's order.
func (s *section) Class() orderClass { return s.row().class }

// NoBits reports whether the section takes no bytes in the image.
func (s *section) NoBits() bool { return s.Class() == orderNobits }

const (
	mercUser      = ".nv.constant.user"
	mercIndices   = ".nv.constant.entry_image_header_indices."
	mercOptimizer = ".nv.constant.optimizer."
)

// prefixKind is the table of section names; the first row that fits decides. perFunc rows are for sections with an owner.
type prefixKind struct {
	name    string
	exact   bool
	kind    kind
	perFunc bool
}

var prefixKinds = []prefixKind{
	{".text.", false, kindText, false},
	{uftSection, true, kindUFT, false},
	{uftRelPrefix, false, kindUFT, false},
	{uftEntrySection, true, kindUFTEntry, false},
	{".nv.udt", true, kindUDT, false},
	{".nv.udt.entry", true, kindUDTEntry, false},
	{uidxSection, true, kindUIDX, false},
	{".nv.info", true, kindInfo, false},
	{".nv.info.", false, kindInfoFunc, true},
	{".nv.compat", true, kindCompat, false},
	{".nv_debug.shared", true, kindSharedFuncs, false},
	{".debug", false, kindDebug, false},
	{".nv_debug_", false, kindDebug, false},
	{".nv.callgraph", true, kindCallgraph, false},
	{".nv.prototype", true, kindPrototype, false},
	{".note.nv.tkinfo", true, kindTkinfo, false},
	{".note.nv.cuinfo", true, kindCuinfo, false},
	{".nv.rel.action", true, kindRelAction, false},
	{".nv.resolvedrela", false, kindResolved, false},
	{".rela.", false, kindRela, false},
	{".rel.", false, kindRel, false},
	{".nv.global.init", true, kindGlobalInit, false},
	{".nv.global", true, kindGlobal, false},
	{".nv.shared.reserved.", false, kindSharedReserved, false},
	{".nv.shared.", false, kindSharedEntry, true},
	{".nv.local.", false, kindLocal, true},
	{mercUser, true, kindConstUser, false},
	{mercIndices, false, kindConstIndices, true},
	{mercOptimizer, false, kindConstFunc, true},
	{".shstrtab", true, kindShstrtab, false},
	{".strtab", true, kindStrtab, false},
	{".symtab", true, kindSymtab, false},
	{".symtab_shndx", true, kindSymtabShndx, false},
}

// telling is the index of the byte that most names in prefixKinds differ in; all of them have it.
const telling = 4

// kindOf tells a section's kind from its name in the linker's view and whether it belongs to a code section.
func kindOf(name string, owned bool) kind {
	for i := range prefixKinds {
		p := &prefixKinds[i]
		if len(name) <= telling || name[telling] != p.name[telling] {
			continue
		}
		if p.exact && name == p.name || !p.exact && strings.HasPrefix(name, p.name) {
			if p.perFunc && !owned {
				return kindOther
			}
			return p.kind
		}
	}
	if bank := cubin.BankOf(name); bank >= 0 {
		switch {
		case !owned:
			return kindConstUser
		case bank == 0:
			return kindConstEntry
		default:
			return kindConstFunc
		}
	}
	return kindOther
}

// plainName is the name of a section in the image: Mercury's constant sections go under the banks they stand for.
func plainName(name string) string {
	from, to := renamedPrefix(name)
	if from == "" {
		return name
	}
	return to + name[len(from):]
}

// renamedPrefix is the part of a section's name that is another one in the image, and that one; "" if the section keeps its name.
func renamedPrefix(name string) (from, to string) {
	for _, prefix := range []string{".nv.resolvedrela", ".rela", ".rel", ""} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		switch {
		case rest == mercUser:
			return prefix + mercUser, prefix + ".nv.constant3"
		case strings.HasPrefix(rest, mercOptimizer):
			return prefix + mercOptimizer, prefix + ".nv.constant2."
		case strings.HasPrefix(rest, mercIndices):
			return prefix + mercIndices, prefix + ".nv.constant0."
		}
	}
	return "", ""
}
