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
	UnifiedWithoutIndex
	IgnoreHostInfo
	LimitedToArch
	ArchMismatch
	AbiMismatch
	NewerThanToolkit
	RecompileToolkit
	Expected64Bit
	EwpObject
	UnexpectedAfterCudadevrt
	MalformedInput
	UnsupportedInput
	GmemInfo
	FunctionProperties
	FunctionUsage

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
	LostCode
	IgnoredInput
	LTOInput
	LibraryNotFound
	NoPtxas

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
	APIVersionSyntax
	APIVersionMajor
	NoOutput
	NoTimeFile

	// Messages that only culink has.
	IgnoredOption
	LTOOption
	ReferenceDiffers

	messageCount
)

// catalog is a table, never changed after it is built by the compiler.
var catalog = [messageCount]Row{
	RawText:                  {Info, "%s", "", false},
	MergeElfFailed:           {Fatal, "merge_elf failed", "", false},
	ElfLinkInternal:          {Fatal, "elfLink internal error", "", false},
	UndefinedReference:       {Error, "Undefined reference to '%s' in '%s'", "", false},
	MultipleDefinition:       {Error, "Multiple definition of '%s' in '%s', first defined in '%s'", "", false},
	SpaceMismatch:            {Error, "Memory space doesn't match for '%s' in '%s', first specified in '%s'", "", false},
	ManagedMismatch:          {Error, "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'", "", false},
	SizeMismatch:             {Error, "Size doesn't match for '%s' in '%s', first specified in '%s'", "", false},
	NotGlobalEverywhere:      {Error, "Function '%s' not declared __global__ in all source files", "", false},
	PrototypeMismatch:        {Error, "Prototype doesn't match for '%s' in '%s', first defined in '%s'", "", false},
	DuplicateWeakParamBank:   {Error, "Duplicate weak parameter bank for '%s' is not the same size", "", false},
	CommonLarger:             {Error, "Common symbol '%s' in file '%s' has larger size than initialization", "", false},
	NoCallgraphNode:          {Fatal, "Internal error: no callgraph node", "", false},
	DeletedSymbol:            {Fatal, "Internal error: reference to deleted symbol", "", false},
	TooMuchShared:            {Error, "Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)", "", false},
	TooMuchConstant:          {Error, "File uses too much global constant data (0x%x bytes, 0x%x max)", "", false},
	TooMuchCompilerConstant:  {Error, "Entry function '%s' uses too much data for compiler-generated constants; please recompile with -Xptxas --disable-optimizer-constants", "", false},
	ReservedSharedNotAllowed: {Error, "Function '%s' uses reserved shared memory when not allowed.", "", false},
	RegisterLimit:            {Error, "entry function '%s' with max regcount of %d calls function '%s' with regcount of %d", "", false},
	StackSizeUnknown:         {Warning, "Stack size for entry function '%s' cannot be statically determined", "", false},
	AddressTakenUncalled:     {Warning, "Function '%s' has address taken but no calls to it found", "", false},
	PreserveRelocsIncomplete: {Warning, "Option '--preserve-relocs' is not fully implemented for gpu archtecture '%s' and may not work as expected", "", false},
	TooManyTextures:          {Fatal, "More than %d textures used in entry function '%s'", "", false},
	TooManySamplers:          {Fatal, "More than %d samplers used in entry function '%s'", "", false},
	TooManySurfaces:          {Fatal, "More than %d surfaces used in entry function '%s'", "", false},
	CtaGroupConflict:         {Error, "Function '%s' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.", "", false},
	MissingCompatAttribute:   {Warning, "Output is limited to run on SM Arch '%d' only, due to missing attribute '%s' in input file '%s'", "", false},
	FinalizerError:           {Fatal, "Internal FNLZR error '%s' ", "", false},
	BranchOtherSection:       {Fatal, "Internal error: PC relative branch address should be in the same section", "", false},
	UnexpectedNVRS:           {Fatal, "Internal error: unexpected NVRS", "", false},
	UnexpectedRelocSection:   {Fatal, "Internal error: unexpected reloc section", "", false},
	UnifiedWithoutIndex:      {Fatal, "Unified symbols found but index file not specified.", "", false},
	IgnoreHostInfo:           {Info, "ignore -use-host-info because -kernels-used or -variables-used is specified", "", false},
	LimitedToArch:            {Warning, "Output is limited to run on SM Arch '%d' only due to limitations in input file %s", "", false},
	ArchMismatch:             {Fatal, "Input file '%s' arch does not match target '%s'", "", false},
	AbiMismatch:              {Fatal, "Input file '%s' abi does not match", "", false},
	NewerThanToolkit:         {Fatal, "Input file '%s' newer than toolkit (%d vs %d)", "", false},
	RecompileToolkit:         {Fatal, "Input file '%s' must be recompiled with toolkit >= Cuda 12.0", "", false},
	Expected64Bit:            {Warning, "expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", "", false},
	EwpObject:                {Warning, "'%s': -ewp compiled objects should only link with libcudadevrt", "", false},
	UnexpectedAfterCudadevrt: {Fatal, "unexpected object after cudadevrt", "", false},
	MalformedInput:           {Fatal, "Input file '%s' is malformed: %s", "", false},
	UnsupportedInput:         {Fatal, "Input file '%s': %s", "", false},
	GmemInfo:                 {Info, "%s", "", false},
	FunctionProperties:       {Info, "Function properties for '%s':", "", false},
	FunctionUsage:            {Info, "%s", "", false},

	NoInputFile:          {Fatal, "Could not open input file '%s'", "", false},
	CubinNotELF:          {Fatal, "cubin not an elf?", "", false},
	CubinNotDevice:       {Fatal, "cubin not a device elf?", "", false},
	FatbinFormat:         {Fatal, "fatbin wrong format?", "", false},
	NvvmWithoutLTO:       {Fatal, "should only see nvvm files when -lto", "recompile with machine code for the target (code=sm_90 in place of code=lto_90): link-time optimisation is not supported", false},
	BitcodeInput:         {Fatal, "should never see bc files", "", false},
	UnrecognizedFormat:   {Error, "Binary format for key='0', ident='' is not recognized", "", false},
	FatbinaryError:       {Fatal, "elfLink fatbinary error", "", false},
	UncompressFailed:     {Error, "Uncompress failed", "", false},
	UnknownArch:          {Fatal, "Unknown arch name '%s'", "", false},
	ArchiveFormat:        {Fatal, "unexpected archive format", "", false},
	OutOfMemory:          {Fatal, "Memory allocation failure", "", false},
	NoLongNames:          {Fatal, "longnames header not found", "", false},
	NoFatbin:             {Fatal, "Could not find fatbin in '%s'", "", false},
	ArchNotFound:         {Warning, "SM Arch ('%s') not found in '%s'", "", false},
	SkippingIncompatible: {Warning, "Skipping incompatible '%s' when searching for -l%s", "", false},
	LTOObjects:           {Fatal, "LTO objects found, use -dlto", "recompile with machine code for the target (code=sm_90 in place of code=lto_90): link-time optimisation is not supported", false},
	SizeMismatch64:       {Fatal, "Input file '%s' size does not match target '-m64'", "", false},
	LostCode:             {Warning, "code of '%s' is lost: %s", "", true},
	IgnoredInput:         {Warning, "'%s' contributes nothing: %s", "", true},
	LTOInput:             {Fatal, "'%s' holds code for link-time optimisation", "recompile with machine code for the target (code=sm_90 in place of code=lto_90): link-time optimisation is not supported", false},
	LibraryNotFound:      {Warning, "no library found for -l%s", "", true},
	NoPtxas:              {Fatal, "Input file '%s' has only PTX for target '%s', and there is no ptxas to compile it: %s", "give --ptxas=FILE, or set CUDA_HOME, or put ptxas on PATH; or compile the file for the target", false},

	UnknownOption:       {Fatal, "Unknown option '%s'", "", false},
	ArgumentExpected:    {Fatal, "argument expected after '%s'", "", false},
	NoArgumentExpected:  {Fatal, "no argument expected after '%s'", "", false},
	ValueNotDefined:     {Fatal, "Value '%s' is not defined for option '%s'", "", false},
	ExpectedNumber:      {Fatal, "'%s': expected a number", "", false},
	NumberOutOfRange:    {Fatal, "32-bit integer value (%s) out of range", "", false},
	ExpectedBool:        {Fatal, "'%s': expected true or false", "", false},
	Redefinition:        {Warning, "incompatible redefinition for option '%s', the last value of this option was used", "", true},
	NoOptionsFile:       {Fatal, "Could not open options file '%s'", "", false},
	TooManyOptionsFiles: {Fatal, "Too many options file opened '%s'", "", false},
	StrayCharacter:      {Fatal, "Stray '%s' character", "", false},
	NoOutputFile:        {Fatal, "Must specify output file with -o option", "", false},
	NoInputFiles:        {Fatal, "No input files specified; use option --help for more information", "", false},
	InputsWithScript:    {Fatal, "Input files are not allowed with -ghls option; use --help for more information", "", false},
	VirtualTarget:       {Fatal, "Link target of '%s' is virtual target that is not JIT-able; use 'sm_' target instead", "", false},
	NvvmpathMissing:     {Fatal, "-nvvmpath should be specified with -lto", "", false},
	LinkerLibrary:       {Fatal, "elfLink linker library load error", "", false},
	ConflictingOptions:  {Fatal, "Conflicting options '%s' and '%s'", "", false},
	UnsupportedOption: {Fatal, "Unknown option '%s'", "", false},
	APIVersionSyntax:    {Fatal, "--cuda-api-version value cannot be parsed", "", false},
	APIVersionMajor:     {Fatal, "--cuda-api-version major number must be == toolkit version", "", false},
	NoOutput:            {Fatal, "Could not open output file '%s'", "", false},
	NoTimeFile:          {Fatal, "Cannot open file '%s'", "", false},

	IgnoredOption:    {Info, "option '%s' has no effect: %s", "", false},
	LTOOption:        {Fatal, "option '%s' needs link-time optimisation, which culink does not do", "", false},
	ReferenceDiffers: {Error, "the reference linker makes another image of the same inputs:\n%s", "", false},
}
