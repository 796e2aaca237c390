package diag

// ID names a message of the catalog.
type ID int

// Row is one message: its class, the reference linker's words as a format, and what culink adds under its own name.
type Row struct {
	Severity Severity
	Format   string
	// Hint is the likely cause and fix, printed under culink's own name.
	Hint string
	// KeepWarning marks a warning that -Werror does not promote.
	KeepWarning bool
}

// Messages of the link proper. Texts are the reference linker's (observed).
const (
	RawText ID = iota
	MergeElfFailed
	ElfLinkInternal
	UndefinedReference
	MultipleDefinition
	SpaceMismatch
	ManagedMismatch
	SizeMismatch
	NotGlobalEverywhere
	PrototypeMismatch
	DuplicateWeakParamBank
	CommonLarger
	NoCallgraphNode
	NoRegisterCount
	DeletedSymbol
	TooMuchShared
	TooMuchConstant
	TooMuchCompilerConstant
	ReservedSharedNotAllowed
	RegisterLimit
	StackSizeUnknown
	AddressTakenUncalled
	PreserveRelocsIncomplete
	TooManyTextures
	TooManySamplers
	TooManySurfaces
	CtaGroupConflict
	MissingCompatAttribute
	FinalizerError
	BranchOtherSection
	UnexpectedNVRS
	UnexpectedRelocSection
	UnexpectedReloc
	UnifiedWithoutIndex
	NoSuchUuid
	NoMatchingUuid
	UuidTwice
	FunctionWindow
	DataWindow
	NotIndexed
	WrongSlot
	SharedUuid
	IgnoreHostInfo
	LimitedToArch
	ArchMismatch
	AbiMismatch
	NewerThanToolkit
	NewerThanKnown
	RecompileToolkit
	Expected64Bit
	EwpObject
	EwpToolkit
	UnexpectedAfterCudadevrt
	MalformedInput
	UnsupportedInput
	GmemInfo
	FunctionProperties
	FunctionUsage
	CodeKept

	// Messages of the input stage.
	NoInputFile
	CubinNotELF
	CubinNotDevice
	FatbinFormat
	NvvmWithoutLTO
	BitcodeInput
	UnrecognizedFormat
	FatbinaryError
	UncompressFailed
	UnknownArch
	ArchiveFormat
	OutOfMemory
	NoLongNames
	NoFatbin
	ArchNotFound
	SkippingIncompatible
	LTOObjects
	SizeMismatch64
	SizeMismatch32
	NoClass32
	LostCode
	RescuedCode
	IgnoredInput
	NullPointers
	LTOInput
	LibraryNotFound
	NoPtxas
	NotRelocatable
	EmptyImage

	// Messages of the command line; those up to StrayCharacter come from the parser of options.
	UnknownOption
	ArgumentExpected
	NoArgumentExpected
	ValueNotDefined
	ExpectedNumber
	NumberOutOfRange
	ExpectedBool
	Redefinition
	NoOptionsFile
	TooManyOptionsFiles
	StrayCharacter
	NoOutputFile
	NoInputFiles
	InputsWithScript
	VirtualTarget
	NvvmpathMissing
	LinkerLibrary
	ConflictingOptions
	UnsupportedOption
	NotUidx
	MalformedUidx
	UnreadableUidx
	APIVersionSyntax
	APIVersionMajor
	NoOutput
	OutputCutShort
	NoTimeFile
	ScriptFailed

	// Messages that only culink has.
	IgnoredOption
	LTOOption
	ReferenceDiffers
	NvHost
	OutputIsInput

	messageCount
)

// SizeMismatchOf is the message for a file of another ELF class than that of the link.
func SizeMismatchOf(is64 bool) ID {
	if is64 {
		return SizeMismatch64
	}
	return SizeMismatch32
}

// catalog is a table, never changed after it is built by the compiler.
var catalog = [messageCount]Row{
	RawText:                  {Info, "%s", "", false},
	MergeElfFailed:           {Fatal, "merge_elf failed", "", false},
	ElfLinkInternal:          {Fatal, "elfLink internal error", "", false},
	UndefinedReference:       {Error, "Undefined reference to '%s' in '%s'", "no input defines it. Add the object or library that does (libraries: -L DIR -l NAME); compile the file that defines it with -rdc=true (clang: -fgpu-rdc); or check that both sides declare the same C++ signature and linkage.", false},
	MultipleDefinition:       {Error, "Multiple definition of '%s' in '%s', first defined in '%s'", "two inputs define it. If an input is given twice, give it once; if it is defined in a header, make it inline, static or a template.", false},
	SpaceMismatch:            {Error, "Memory space doesn't match for '%s' in '%s', first specified in '%s'", "one side declares it in another memory space (__device__, __constant__, __shared__, or a function of that name). Make the declarations agree.", false},
	ManagedMismatch:          {Error, "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'", "one side says __managed__, the other does not. Make the declarations agree.", false},
	SizeMismatch:             {Error, "Size doesn't match for '%s' in '%s', first specified in '%s'", "the declarations have types of different sizes. Recompile all inputs with the same headers and options.", false},
	NotGlobalEverywhere:      {Error, "Function '%s' not declared __global__ in all source files", "one side declares it __global__, the other __device__. Make the declarations agree.", false},
	PrototypeMismatch:        {Error, "Prototype doesn't match for '%s' in '%s', first defined in '%s'", "the declarations have different parameters or results. Make them agree; extern \"C\" hides such differences from the compiler.", false},
	DuplicateWeakParamBank:   {Error, "Duplicate weak parameter bank for '%s' is not the same size", "two inputs instantiate this kernel with different parameters. Recompile both with the same headers and options.", false},
	CommonLarger:             {Error, "Common symbol '%s' in file '%s' has larger size than initialization", "a tentative definition is larger than the one with a value. Make the declarations agree.", false},
	NoCallgraphNode:          {Fatal, "Internal error: no callgraph node", "", false},
	NoRegisterCount:          {Fatal, "Internal error: no such original reg count", "", false},
	DeletedSymbol:            {Fatal, "Internal error: reference to deleted symbol", "", false},
	TooMuchShared:            {Error, "Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)", "use dynamic shared memory beyond the limit of static shared memory, or smaller arrays.", false},
	TooMuchConstant:          {Error, "File uses too much global constant data (0x%x bytes, 0x%x max)", "constant memory has 64 KiB for all inputs together: move tables to __device__ memory.", false},
	TooMuchCompilerConstant:  {Error, "Entry function '%s' uses too much data for compiler-generated constants; please recompile with -Xptxas --disable-optimizer-constants", "recompile the inputs with -Xptxas --disable-optimizer-constants.", false},
	ReservedSharedNotAllowed: {Error, "Function '%s' uses reserved shared memory when not allowed.", "link without --disable-smem-reservation.", false},
	RegisterLimit:            {Error, "entry function '%s' with max regcount of %d calls function '%s' with regcount of %d", "the kernel promises at most that many registers (__launch_bounds__, -maxrregcount). Compile the function with the same limit, or raise the kernel's.", false},
	StackSizeUnknown:         {Warning, "Stack size for entry function '%s' cannot be statically determined", "the kernel reaches recursive code. Set the stack with cudaDeviceSetLimit(cudaLimitStackSize, N); -suppress-stack-size-warning silences this line.", false},
	AddressTakenUncalled:     {Warning, "Function '%s' has address taken but no calls to it found", "no indirect call of its type is left: its callees are removed.", false},
	PreserveRelocsIncomplete: {Warning, "Option '--preserve-relocs' is not fully implemented for gpu archtecture '%s' and may not work as expected", "", false},
	TooManyTextures:          {Fatal, "More than %d textures used in entry function '%s'", "the kernel and what it calls use more textures than the hardware has: use texture objects.", false},
	TooManySamplers:          {Fatal, "More than %d samplers used in entry function '%s'", "use texture objects.", false},
	TooManySurfaces:          {Fatal, "More than %d surfaces used in entry function '%s'", "use surface objects.", false},
	CtaGroupConflict:         {Error, "Function '%s' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.", "one kernel uses tcgen05 instructions of both CTA group sizes: split the kernel.", false},
	MissingCompatAttribute:   {Warning, "Output is limited to run on SM Arch '%d' only, due to missing attribute '%s' in input file '%s'", "recompile that input with the toolkit of the others.", false},
	FinalizerError:           {Fatal, "Internal FNLZR error '%s' ", "", false},
	BranchOtherSection:       {Fatal, "Internal error: PC relative branch address should be in the same section", "", false},
	UnexpectedNVRS:           {Fatal, "Internal error: unexpected NVRS", "", false},
	UnexpectedRelocSection:   {Fatal, "Internal error: unexpected reloc section", "", false},
	UnexpectedReloc:          {Fatal, "Internal error: unexpected reloc", "", false},
	UnifiedWithoutIndex:      {Fatal, "Unified symbols found but index file not specified.", "name the index file of the program's unified functions and variables with --uidx-file.", false},
	NoSuchUuid:               {Fatal, "Internal error: uuid not found", "the index file lists an id that no unified function or variable of the link has.", false},
	NoMatchingUuid:           {Fatal, "Internal error: matching uuid not found", "the index file lists an id that no unified function or variable of the link has.", false},
	UuidTwice:                {Fatal, "Internal error: entry was already found?", "the index file lists an id twice.", false},
	FunctionWindow:           {Fatal, "Internal error: size of uidx window != nv.uft", "the index file was made for another set of unified functions.", false},
	DataWindow:               {Fatal, "Internal error: size of uidx window != nv.udt", "the index file was made for another set of unified variables.", false},
	NotIndexed:               {Fatal, "unified '%s' is not in the index file", "the index file was made for another program.", false},
	WrongSlot:                {Fatal, "index file: the place of unified '%s', %#x, overlaps another or lies outside the window", "", false},
	SharedUuid:               {Fatal, "unified '%s' and '%s' have the same id", "", false},
	IgnoreHostInfo:           {Info, "ignore -use-host-info because -kernels-used or -variables-used is specified", "", false},
	LimitedToArch:            {Warning, "Output is limited to run on SM Arch '%d' only due to limitations in input file %s", "recompile that input for the target.", false},
	ArchMismatch:             {Fatal, "Input file '%s' arch does not match target '%s'", "compile the input for the target (-gencode arch=compute_N,code=sm_N), or link for the architecture that it has.", false},
	AbiMismatch:              {Fatal, "Input file '%s' abi does not match", "objects of CUDA 12 and of CUDA 13 do not go into one image. Recompile all of them with one toolkit.", false},
	NewerThanToolkit:         {Fatal, "Input file '%s' newer than toolkit (%d vs %d)", "recompile the input with a toolkit that culink knows (12.x or 13.0), or use a newer culink.", false},
	NewerThanKnown:           {Warning, "Input file '%s' newer than toolkit (%d vs %d), linked as the latter would", "its release is newer than all that are known here; its own nvlink may have other rules.", false},
	RecompileToolkit:         {Fatal, "Input file '%s' must be recompiled with toolkit >= Cuda 12.0", "recompile the input with CUDA 12.0 or later.", false},
	Expected64Bit:            {Warning, "expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", "the object has 32-bit addresses: recompile it with -m64, or link all of them with -m32.", false},
	EwpToolkit:               {Fatal, "linking with -ewp objects requires using current toolkit", "recompile the objects with the toolkit of the link.", false},
	EwpObject:                {Warning, "'%s': -ewp compiled objects should only link with libcudadevrt", "", false},
	UnexpectedAfterCudadevrt: {Fatal, "unexpected object after cudadevrt", "put libcudadevrt behind all other inputs.", false},
	MalformedInput:           {Fatal, "Input file '%s' is malformed: %s", "build the file again.", false},
	UnsupportedInput:         {Fatal, "Input file '%s': %s", "", false},
	GmemInfo:                 {Info, "%s", "", false},
	FunctionProperties:       {Info, "Function properties for '%s':", "", false},
	FunctionUsage:            {Info, "%s", "", false},
	CodeKept:                 {Info, "the compiler's code of '%s' is kept; nvlink would generate it anew", "", false},

	NoInputFile:          {Fatal, "Could not open input file '%s'", "", false},
	CubinNotELF:          {Fatal, "cubin not an elf?", "the name ends in .cubin, the content does not agree.", false},
	CubinNotDevice:       {Fatal, "cubin not a device elf?", "the name ends in .cubin, but this is an ELF file for a host.", false},
	FatbinFormat:         {Fatal, "fatbin wrong format?", "the name ends in .fatbin, the content does not agree.", false},
	NvvmWithoutLTO:       {Fatal, "should only see nvvm files when -lto", "recompile with machine code for the target (code=sm_90 in place of code=lto_90): link-time optimisation is not supported", false},
	BitcodeInput:         {Fatal, "should never see bc files", "compile the bitcode to an object first.", false},
	UnrecognizedFormat:   {Error, "Binary format for key='0', ident='' is not recognized", "the content is neither a cubin nor PTX.", false},
	FatbinaryError:       {Fatal, "elfLink fatbinary error", "", false},
	UncompressFailed:     {Error, "Uncompress failed", "the container is damaged, or was compressed by a later toolkit.", false},
	UnknownArch:          {Fatal, "Unknown arch name '%s'", "give the architecture to link for: -arch=sm_90 (culink help lists all options).", false},
	ArchiveFormat:        {Fatal, "unexpected archive format", "the archive is damaged or of a format other than GNU ar's.", false},
	OutOfMemory:          {Fatal, "Memory allocation failure", "", false},
	NoLongNames:          {Fatal, "longnames header not found", "the archive is damaged.", false},
	NoFatbin:             {Fatal, "Could not find fatbin in '%s'", "the object says that it has device code, but has none: was it changed by objcopy or strip?", false},
	ArchNotFound:         {Warning, "SM Arch ('%s') not found in '%s'", "", false},
	SkippingIncompatible: {Warning, "Skipping incompatible '%s' when searching for -l%s", "the library is for another host; -cpu-arch says which is wanted.", false},
	LTOObjects:           {Fatal, "LTO objects found, use -dlto", "recompile with machine code for the target (code=sm_90 in place of code=lto_90): link-time optimisation is not supported", false},
	SizeMismatch64:       {Fatal, "Input file '%s' size does not match target '-m64'", "link with -m32, or recompile it with -m64.", false},
	SizeMismatch32:       {Fatal, "Input file '%s' size does not match target '-m32'", "link without -m32, or recompile it with -m32.", false},
	NoClass32:            {Fatal, "Option '-m32' not supported for gpu architecture '%s'", "32-bit device code exists up to sm_89, and is linked as CUDA 12.4 does.", false},
	LostCode:             {Warning, "code of '%s' is lost: %s", "", true},
	RescuedCode:          {Warning, "linked '%s', whose code nvlink loses: %s", "", true},
	IgnoredInput:         {Warning, "'%s' contributes nothing: %s", "", true},
	NullPointers:         {Warning, "pointers to '%s' in the constants of '%s' are null: the copy that counts is another file's", "nvlink loses such pointers. Under its own name culink keeps them, and tables in __device__ memory have them.", true},
	LTOInput:             {Fatal, "'%s' holds code for link-time optimisation", "recompile with machine code for the target (code=sm_90 in place of code=lto_90): link-time optimisation is not supported", false},
	LibraryNotFound:      {Warning, "no library found for -l%s", "libNAME.a is looked for in the folders of -L and then of LIBRARY_PATH: is the right one among them?", true},
	NotRelocatable:       {Warning, "the device code in '%s' is not relocatable", "it was compiled without -rdc=true (clang: -fgpu-rdc), or is linked already: no other file can use it, nor does it come into the image.", true},
	EmptyImage:           {Warning, "the image is empty: no input has relocatable code for %s", "", true},
	NoPtxas:              {Fatal, "no ptxas to compile the PTX of '%s'", "give --ptxas=FILE, set CUDA_HOME or put ptxas on PATH; or compile the file for the target (code=sm_N)", false},

	UnknownOption:       {Fatal, "Unknown option '%s'", "culink help lists the options.", false},
	ArgumentExpected:    {Fatal, "argument expected after '%s'", "culink help lists the options and their arguments.", false},
	NoArgumentExpected:  {Fatal, "no argument expected after '%s'", "", false},
	ValueNotDefined:     {Fatal, "Value '%s' is not defined for option '%s'", "", false},
	ExpectedNumber:      {Fatal, "'%s': expected a number", "", false},
	NumberOutOfRange:    {Fatal, "32-bit integer value (%s) out of range", "", false},
	ExpectedBool:        {Fatal, "'%s': expected true or false", "", false},
	Redefinition:        {Warning, "incompatible redefinition for option '%s', the last value of this option was used", "", true},
	NoOptionsFile:       {Fatal, "Could not open options file '%s'", "", false},
	TooManyOptionsFiles: {Fatal, "Too many options file opened '%s'", "options files name each other in a circle.", false},
	StrayCharacter:      {Fatal, "Stray '%s' character", "a quote in an options file is never closed, or the file ends in a backslash.", false},
	NoOutputFile:        {Fatal, "Must specify output file with -o option", "give the file to write: -o FILE.", false},
	NoInputFiles:        {Fatal, "No input files specified; use option --help for more information", "name the objects, archives, cubins and fatbins to link; libraries of -l alone are not enough.", false},
	InputsWithScript:    {Fatal, "Input files are not allowed with -ghls option; use --help for more information", "", false},
	VirtualTarget:       {Fatal, "Link target of '%s' is virtual target that is not JIT-able; use 'sm_' target instead", "link for machine code: -arch=sm_N.", false},
	NvvmpathMissing:     {Fatal, "-nvvmpath should be specified with -lto", "", false},
	LinkerLibrary:       {Fatal, "elfLink linker library load error", "", false},
	ConflictingOptions:  {Fatal, "Conflicting options '%s' and '%s'", "", false},
	UnsupportedOption:   {Fatal, "Unknown option '%s'", "", false},
	NotUidx:             {Fatal, "Internal error: not uidx input", "the file of --uidx-file does not begin as an index file does.", false},
	MalformedUidx:       {Fatal, "Internal error: malformed uidx input", "the size of the file of --uidx-file does not follow from the counts in its header.", false},
	UnreadableUidx:      {Fatal, "Could not read file '%s'", "", false},
	APIVersionSyntax:    {Fatal, "--cuda-api-version value cannot be parsed", "", false},
	APIVersionMajor:     {Fatal, "--cuda-api-version major number must be == toolkit version", "", false},
	NoOutput:            {Fatal, "Could not open output file '%s'", "", false},
	NoTimeFile:          {Fatal, "Cannot open file '%s'", "", false},
	OutputCutShort:      {Fatal, "Internal error: writing file", "", false},
	ScriptFailed:        {Fatal, "Host linker script creation failed.", "the host's linker must be on PATH as ld, and the output file's folder must exist.", false},

	IgnoredOption:    {Info, "option '%s' has no effect: %s", "", false},
	LTOOption:        {Fatal, "option '%s' needs link-time optimisation, which culink does not do", "leave the option out, and compile the inputs to machine code (code=sm_90 in place of code=lto_90).", false},
	NvHost:           {Fatal, "storing a host object in the image with --nv-host is not supported", "link without --nv-host.", false},
	OutputIsInput:    {Fatal, "'%s' is an input and cannot be the output, too", "name another file behind -o.", false},
	ReferenceDiffers: {Fatal, "the reference linker disagrees:\n%s", "", false},
}
