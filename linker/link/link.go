package link

import (
	"context"
	"fmt"
	"io"
	"time"
	"unsafe"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/slab"
	"github.com/culink/culink/linker/uidx"
)

// Options are what a link can be told. The command line fills them; the zero value of each is that of an ordinary
// link, but SM and Toolkit must be set.
type Options struct {
	// SM is the target's number (90 for sm_90a), Suffix "", "a" or "f".
	SM     int
	Suffix string
	// Toolkit is the release to imitate: 124 or 130.
	Toolkit int
	// Class is the class of the inputs and of the image; 0 means ELF64.
	Class cubin.Class

	Relocatable        bool // -r
	Debug              bool // -g
	SuppressDebugInfo  bool
	PreserveRelocs     bool
	ForceRela          bool // -force-rela: entries of REL sections get into RELA sections
	Verbose            bool // -v
	ExtraWarnings      bool // -extrawarn
	DumpCallgraph      bool // -dump-callgraph, -dump-callgraph-no-demangle (the same text)
	DotGraph           bool // --dot-file
	NoStackSizeWarning bool // -suppress-stack-size-warning
	KeepSystemLibs     bool // -keep-system-libraries
	AllowUndefGlobals  bool // --allow-undefined-globals
	DisableSmemReserve bool // --disable-smem-reservation=true
	ReserveNullPointer bool // --reserve-null-pointer
	ExtendedSmem       bool // --enable-extended-smem=true
	IgnoreHostInfo     bool
	// KernelsUsed and VariablesUsed are the pieces of -kernels-used and -variables-used; FilterGiven says that one of the options was given with a value.
	KernelsUsed   []string
	VariablesUsed []string
	FilterGiven   bool
	// OptionsText is the text of nvlink's own .note.nv.tkinfo: the options in fixed order, ready made by the command line.
	OptionsText string
	// ObjectName is the first string of that note: empty, or with -g the base name of the output.
	ObjectName string
	// ToolName is the second string of that note: nil for nvlink's name.
	ToolName *string
	// Output, if not nil, is where the image is written to, from its beginning to its end, once nothing but writing can fail;
	// Result.Image is nil then. A Reserver is told the size before.
	Output io.Writer
	// Trace, if not nil, is told of each pass when it has ended.
	Trace func(pass string, elapsed time.Duration)
	// Jobs limits how many goroutines work at once; 0 means GOMAXPROCS.
	Jobs int
	// KeepSettledRelocs: with -r keep relocations that a later link can still change (culink's own behaviour); without
	// it relocations are settled as the reference does.
	KeepSettledRelocs bool
	// KeepPointers: constants keep pointers to functions and variables of which another file has the copy that counts (culink's own
	// behaviour); without it such pointers are null where the reference leaves them so.
	KeepPointers bool
	// WarnNullPointers: without KeepPointers, warn of each symbol that pointers are lost to.
	WarnNullPointers bool
	// AsReference also makes those checks of the reference that refuse programs without a mistake.
	AsReference bool
	// Index is the index file of the program's unified functions and variables, nil if there is none.
	Index *uidx.Index
}

// Reserver is an output that can use to know how many bytes are coming. An error ends the link.
type Reserver interface {
	Reserve(size int64) error
}

// Source is one module to link, in link order: a device ELF and where it came from.
type Source struct {
	Name      string // as messages show it: "in/a.cubin", "in/libdev.a:b.o"
	Data      []byte
	File      *cubin.File // Data parsed, if that is done already
	Cudadevrt bool        // the path contains "cudadevrt"
	Archive   bool        // the module is a member of an archive
	// HostKernelPatterns etc. hold the host references of the module; HasHostRefs tells whether it came with any sections of that kind.
	HasHostRefs                            bool
	HostKernelsExternal, HostKernelsStatic []string
	HostVariables                          []string
}

// Result is what a link makes.
type Result struct {
	Image []byte
	// DotGraph is the call graph in the language of Graphviz, if it was asked for.
	DotGraph []byte
	// AnewCandidates are kernels whose code the reference would have generated anew (sm_100 and later).
	AnewCandidates []string
	// DroppedSources are the indices of sources that were left out (cudadevrt that nobody needs).
	DroppedSources []int
}

// link is the state of one link, handed from pass to pass.
type link struct {
	Options
	Diag *diag.Collector
	// tool and release are the rows of the release to imitate, profile that of the target (an empty one for a number that no
	// release knows).
	tool    *arch.Toolkit
	release releaseRules
	profile arch.Profile
	// rel is Relocatable, but false for a toolkit that has no relocatable link (12.4).
	rel bool
	// ABI is the dialect written: 7 or 8. Mercury: the image has Mercury twins.
	ABI     int
	Mercury bool
	form    *cubin.Form
	// dce: dead code elimination is on.
	dce bool
	// filtered: a kernel filter is active; filterPassed is how many kernels pass it.
	filtered     bool
	filterPassed int
	// hasInner: some function is part of another one's code.
	hasInner bool

	sources []Source
	Inputs  []*input
	Syms    []symbol // [0] is the null symbol
	Secs    []*section
	Funcs   []function // [0] is unused
	Protos  []string
	// Local and Global are the two sides of the symbol table, in order of creation.
	Local, Global []symID

	names     nameTable
	protoID   map[string]protoID
	protoList []protoID // prototypes in the order in which the string table holds them
	// Entries are the kernels of the image in order of their code sections' creation.
	Entries []funcID
	Kernels []secID // code sections of kernels in order of creation
	// FuncConsts, in order of the inputs' sections, are the constants of functions that are no kernels (executables only).
	FuncConsts []funcConst

	graph graph
	// singles are, by name, the sections that belong to no other. Those that do are found beside their owner or target: two local
	// functions of one name give two sections of one name.
	singles map[string]secID
	// resolved are the sections that preserve applied entries, by the name of the section that the entries patched.
	resolved map[string]secID
	slabs    linkSlabs
	// created is the number of sections that the reference would have created.
	created uint32
	// Sections that exist once, 0 while they do not.
	shstrtab, strtab, symtab, symtabShndx, tkinfo, cuinfo, info, compat, callgraph, prototype, relAction secID
	globalSec, globalInit, sharedFuncs, sharedReserved                                                   secID
	uft, udt                                                                                             secID
	// hasUFT: some input has unified functions.
	hasUFT bool

	// replacedShared are definitions of shared variables in whose place later ones came.
	replacedShared []sharedDef
	// externInstance is, in a relocatable link, the symbol that stands for a kernel's dynamic shared memory, by code section;
	// with -g it is 0.
	externInstance map[secID]symID
	// instance is the symbol that stands for the instances of dynamic shared memory that earlier relocatable links made, 0 if
	// there are none.
	instance symID
	// externUses are, in a relocatable link with -g, the kernels' references to dynamic arrays.
	externUses []externUse

	// lostDebug are, in reading order, relocation sections of debug data whose functions are all lost copies.
	lostDebug []lostEntries

	mem       memory
	table     bindlessTable
	numbering numbering
	attr      attributeState
	// strings and sectionStrings are .strtab and .shstrtab.
	strings, sectionStrings *stringTable
	// earlyStrings is the size of .strtab before the names that only a Mercury image's plain half has.
	earlyStrings uint64
	shoff        uint64 // e_shoff
	result       Result
}

// linkSlabs is where the sequential passes take what a link has tens of thousands of.
type linkSlabs struct {
	sections slab.Pool[section]
	parts    slab.Pool[part]
	names    slab.Pool[byte]
}

// name joins two strings in a slab: most sections are named after a function.
func (s *linkSlabs) name(prefix, rest string) string {
	b := s.names.Take(len(prefix) + len(rest))
	copy(b[copy(b, prefix):], rest)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// pass is one step of a link. The names are those that -v, --time and traces show.
type pass struct {
	name string
	run  func(*link, context.Context) error
}

// passes is the table of contents of the linker. Each sentence says why the pass stands where it does.
func passes() []pass {
	return []pass{
		// read: every later pass indexes parsed files. After it, no byte of an input is interpreted as a header again.
		{"read", (*link).read},
		// resolve: symbols by name decide whose code and data count. After it, no input is added.
		{"resolve", (*link).resolve},
		// reach: what no kernel reaches leaves no trace in the image, not even a name; so liveness comes before sections are created.
		{"reach", (*link).reach},
		// merge: sections and symbols are created in the order that numbers, names and addresses follow.
		// After it, no symbol is added, and no section but those of bindless and kernels' banks and shared memory in layout.
		{"merge", (*link).merge},
		// bindless: descriptors enlarge the parameter bank of kernels, so they come before sizes are known.
		{"bindless", (*link).bindless},
		// layout: addresses in constant, global and shared space. After it, addresses, sizes of data and symbol numbers are fixed.
		{"layout", (*link).place},
		// relocate: every relocation is applied, kept for the loader, or dropped for a stated reason.
		{"relocate", (*link).relocate},
		// finalize: attributes, call graph, notes, and the numbers of sections. After it, every size is known.
		{"finalize", (*link).finalize},
		// write: the image is encoded in pieces, each to its own place; nothing is decided any more.
		{"write", (*link).write},
	}
}

// Run links sources into an image. Messages go to d, in the reference linker's order; the error is a *diag.FatalError
// if a fatal message ended the link, ErrFailed if errors were reported, or the context's.
// The result of a link that failed says which sources were left out until then, and has no image.
func Run(ctx context.Context, opts Options, sources []Source, d *diag.Collector) (*Result, error) {
	if opts.Jobs <= 0 && sizeOf(sources) < smallLink {
		opts.Jobs = 1
	}
	l := &link{Options: opts, Diag: d, sources: sources, externInstance: map[secID]symID{}}
	for _, p := range passes() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := p.run(l, ctx); err != nil {
			return &l.result, err
		}
		if l.Trace != nil {
			l.Trace(p.name, time.Since(start))
		}
	}
	return &l.result, nil
}

// smallLink is the size of inputs in bytes below which goroutines cost more than they save.
const smallLink = 1 << 20

func sizeOf(sources []Source) int {
	size := 0
	for i := range sources {
		size += len(sources[i].Data)
	}
	return size
}

// ErrFailed says that errors were collected and no image was made; the reference exits with 255 then.
var ErrFailed = fmt.Errorf("errors were reported")

// alignUp rounds x up to a multiple of a, which need not be a power of two.
func alignUp(x, a uint64) uint64 {
	if a <= 1 {
		return x
	}
	if a&(a-1) == 0 {
		return (x + a - 1) &^ (a - 1)
	}
	return (x + a - 1) / a * a
}
