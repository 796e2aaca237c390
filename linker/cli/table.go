package cli

// The options, in the order of the table.
const (
	optOfastCompile optionID = iota
	optXnvvm
	optXptxas
	optArch
	optCPUArch
	optDebug
	optStackProtector
	optDisableInfos
	optDisableWarnings
	optDlto
	optDumpCallgraph
	optDumpCallgraphRaw
	optEmitPTX
	optExtraWarnings
	optGhls
	optHelp
	optIgnoreHostInfo
	optKeepSystemLibraries
	optKernelsUsed
	optLibrary
	optLibraryPath
	optLTO
	optMachine
	optMaxrregcount
	optNvvmpath
	optOptionsFile
	optOutputFile
	optPreserveRelocs
	optRegister
	optRelocatable
	optReportArch
	optSplitCompile
	optSplitCompileExtended
	optSuppressArchWarning
	optSuppressDebugInfo
	optSuppressStackWarning
	optTime
	optUidx
	optUseHostInfo
	optVariablesUsed
	optVerbose
	optVersion
	optWerror
	optAllowUndefinedGlobals
	optCudaAPIVersion
	optDisableSmemReservation
	optDontReserveNull
	optDotFile
	optEnableExtendedSmem
	optFdcmpt
	optForcePartialLTO
	optForceRela
	optForceWholeLTO
	optHostCcbin
	optHostLinkerOptions
	optNvHost
	optReserveNull
	optShared
	optStackProtectorThreshold
	optSyscallConstOffset
	optToolName
	optUumn
	optVerboseTkinfo
	optToolkit
	optPtxas
	optFatbin
	optHostObject
	optHostSource
	optJobs
	optColor
	optErrorLimit
	numOptions
)

// options has one row for each option. The reference's rows are in the order of its --help, then its hidden options,
// then culink's own.
var options = [numOptions]option{
	optOfastCompile: {
		Long: "Ofast-compile", Short: "Ofc", Form: formValue,
		Since: 130, Implied: "0", // which level it is cannot be seen: the option only goes with link-time optimisation
		Arg:    "<0|min|mid|max>",
		Help:   "Specify fast-compile level for device code, which controls the tradeoff between compilation speed and runtime performance by disabling certain optimizations at varying levels. \nLevels: \n        'max': Focus only on the fastest compilation speed, disabling many optimizations.\n        'mid': Balance compile time and runtime, disabling expensive optimizations.\n        'min': More minimal impact on both compile time and runtime, minimizing some expensive optimizations.\n        '0': Disables fast-compile. \nThe option is disabled by default.",
		Own:    "compile speed against run time, for link-time optimisation",
		Status: statusRefused, Note: "only for link-time optimisation, which culink does not do",
	},
	optXnvvm: {
		Long: "Xnvvm", Short: "Xnvvm", Form: formList,
		Arg:    "<options>,...",
		Help:   "Nvvm options (only used with LTO).",
		Own:    "options for libnvvm, for link-time optimisation",
		Status: statusIgnored, Note: "only for link-time optimisation; recorded in the note of the image",
	},
	optXptxas: {
		Long: "Xptxas", Short: "Xptxas", Form: formList,
		Arg:    "<options>,...",
		Help:   "Ptxas options (only used with LTO).",
		Own:    "options for ptxas, for link-time optimisation",
		Status: statusIgnored, Note: "only for link-time optimisation; recorded in the note of the image",
	},
	optArch: {
		Long: "arch", Short: "arch", Form: formValue,
		Arg:    "<gpu architecture name>",
		Help:   "Specify the 'sm_' name of the target architecture.",
		Own:    "the architecture to link for, such as sm_90; with --fatbin, --host-object or --host-source several, separated by commas",
		Status: statusSame,
	},
	optCPUArch: {
		Long: "cpu-arch", Short: "cpu-arch", Form: formValue,
		Allowed: []string{"AARCH64", "ARMv7", "PPC64LE", "X86", "X86_64", "unknown"}, Default: "unknown",
		Arg:    "<cpu architecture name>",
		Help:   "Specify the name of the cpu target architecture.",
		Own:    "the host's machine: it decides which libraries fit and what --host-object writes",
		Status: statusSame,
	},
	optDebug: {
		Long: "debug", Short: "g", Form: formSwitch,
		Help:   "Specify that this was a debug compile.",
		Own:    "keep all functions, as for debugging",
		Status: statusSame,
	},
	optStackProtector: {
		Long: "device-stack-protector", Short: "device-stack-protector", Form: formBool,
		Since:  130,
		Help:   "Enable stack protectors.",
		Own:    "recorded in the image, no further effect",
		Status: statusIgnored, Note: "recorded in the note of the image",
	},
	optDisableInfos: {
		Long: "disable-infos", Short: "disable-infos", Form: formSwitch,
		Since:  130,
		Help:   "Disable all info messages.",
		Own:    "print no warnings",
		Status: statusSame, Note: "info lines stay, as with nvlink",
	},
	optDisableWarnings: {
		Long: "disable-warnings", Short: "w", Form: formSwitch,
		Help:   "Inhibit all warning messages.",
		Own:    "print no warnings",
		Status: statusSame, Note: "nvlink 13.0 ignores it, and so does culink under the name nvlink then",
	},
	optDlto: {
		Long: "dlto", Short: "dlto", Form: formSwitch,
		Help:   "Do link-time optimization, alias for -lto.",
		Own:    "link-time optimisation",
		Status: statusRefused, Note: "culink does not do link-time optimisation: recompile without -dlto",
	},
	optDumpCallgraph: {
		Long: "dump-callgraph", Short: "dump-callgraph", Form: formSwitch,
		Help:   "Dump callgraph information.",
		Own:    "print the call graph",
		Status: statusSame,
	},
	optDumpCallgraphRaw: {
		Long: "dump-callgraph-no-demangle", Short: "dump-callgraph-no-demangle", Form: formSwitch,
		Help:   "Dump callgraph information without demangling.",
		Own:    "print the call graph (nvlink demangles here, too)",
		Status: statusSame,
	},
	optEmitPTX: {
		Long: "emit-ptx", Short: "emit-ptx", Form: formSwitch,
		Help:   "Emit ptx file if LTO is used.",
		Own:    "write PTX, with link-time optimisation",
		Status: statusRefused, Note: "only for link-time optimisation, which culink does not do",
	},
	optExtraWarnings: {
		Long: "extra-warnings", Short: "extrawarn", Form: formSwitch,
		Help:   "Emit extra warnings about possible problems.",
		Own:    "also warn about functions whose address is taken and that nothing calls",
		Status: statusSame,
	},
	optGhls: {
		Long: "gen-host-linker-script", Short: "ghls", Form: formValue,
		Allowed: []string{"lcs-abs", "lcs-aug"}, Implied: "lcs-abs",
		Arg:    "<host linker script type>",
		Help:   "Specify the type of host linker script to be generated.",
		Own:    "write a linker script for the host linker and do not link",
		Status: statusSame,
	},
	optHelp: {
		Long: "help", Short: "h", Form: formSwitch,
		Help:   "Print this help information on this tool.",
		Own:    "print this help",
		Status: statusBetter, Note: "under the name culink the options are grouped and culink's own are listed",
	},
	optIgnoreHostInfo: {
		Long: "ignore-host-info", Short: "ignore-host-info", Form: formSwitch,
		Help:   "Ignore information about host references, so don't remove device code that could potentially be referenced by host.",
		Own:    "keep kernels that host code does not refer to",
		Status: statusSame,
	},
	optKeepSystemLibraries: {
		Long: "keep-system-libraries", Short: "keep-system-libraries", Form: formSwitch,
		Help:   "Don't optimize away system library (e.g. cudadevrt) code.",
		Own:    "keep libcudadevrt when nothing needs it",
		Status: statusSame,
	},
	optKernelsUsed: {
		Long: "kernels-used", Short: "kernels-used", Form: formList,
		Arg:    "<kernel>,...",
		Help:   "Specify kernels that are used. Can be part of a kernel name so any kernels with that string in name are matched. If this option is used, then any other kernels are considered dead-code and removed.",
		Own:    "keep only kernels whose names contain one of these texts (* stands for anything)",
		Status: statusSame,
	},
	optLibrary: {
		Long: "library", Short: "l", Form: formList,
		Glued:  true,
		Arg:    "<library>,...",
		Help:   "Specify libraries to be used in the linking stage. The libraries are searched for on the library search paths that have been specified using option '-L'.",
		Own:    "link lib<name>.a from the library directories, behind all files",
		Status: statusSame,
	},
	optLibraryPath: {
		Long: "library-path", Short: "L", Form: formList,
		Glued:  true,
		Arg:    "<library-path>,...",
		Help:   "Specify library search paths.",
		Own:    "look for libraries in this directory, too (and in LIBRARY_PATH)",
		Status: statusSame,
	},
	optLTO: {
		Long: "link-time-opt", Short: "lto", Form: formSwitch,
		Help:   "Do link-time optimization.",
		Own:    "link-time optimisation",
		Status: statusRefused, Note: "culink does not do link-time optimisation: recompile without -dlto",
	},
	optMachine: {
		Long: "machine", Short: "m", Form: formNumber,
		Glued: true, Allowed: []string{"64"}, OwnAllowed: []string{"32"}, Default: "64",
		Arg:    "<bits>",
		Help:   "Specify 64 bit architecture.",
		Own:    "the width of device code's addresses: 64, or 32 for the objects of CUDA 11's -m32",
		Status: statusBetter, Note: "under the name culink -m32 links ELF32 objects, which CUDA 12 and 13 refuse, up to sm_89",
	},
	optMaxrregcount: {
		Long: "maxrregcount", Short: "maxrregcount", Form: formNumber,
		Arg:    "<amount>",
		Help:   "Max regcount (only used with LTO).",
		Own:    "registers per thread, for link-time optimisation",
		Status: statusIgnored, Note: "only for link-time optimisation; recorded in the note of the image",
	},
	optNvvmpath: {
		Long: "nvvmpath", Short: "nvvmpath", Form: formValue,
		Help:   "Path to libnvvm library.",
		Own:    "where libnvvm is, for link-time optimisation",
		Status: statusIgnored, Note: "only for link-time optimisation; recorded in the note of the image",
	},
	optOptionsFile: {
		Long: "options-file", Short: "optf", Form: formList,
		Arg:    "<file>,...",
		Help:   "Include command line options from specified file.",
		Own:    "put the options in this file in place of this one",
		Status: statusSame,
	},
	optOutputFile: {
		Long: "output-file", Short: "o", Form: formValue,
		Arg:    "<file name>",
		Help:   "Specify name and location of the output file.",
		Own:    "the image to write",
		Status: statusBetter, Note: "written to a temporary file and renamed: never a half-written image",
	},
	optPreserveRelocs: {
		Long: "preserve-relocs", Short: "preserve-relocs", Form: formSwitch,
		Help:   "Preserve resolved relocations in linked executable.",
		Own:    "keep the relocations that were applied in sections .nv.resolvedrela*",
		Status: statusSame,
	},
	optRegister: {
		Long: "register-link-binaries", Form: formValue,
		Arg:    "<file name>",
		Help:   "Specify name and location of output file that will contain names of cudaRegister routines for each linked file.",
		Own:    "write the names of the modules' registration functions, as nvcc wants them",
		Status: statusSame,
	},
	optRelocatable: {
		Long: "relocatable-link", Short: "r", Form: formSwitch,
		RenamedIn: 130, LongBefore: "host-relocatable-link",
		Help:   "Do relocatable / incremental link.",
		Own:    "write a relocatable file that a later link can take",
		Status: statusBetter, Note: "keeps every relocation that a later link can still change; 12.4 takes the option and ignores it",
	},
	optReportArch: {
		Long: "report-arch", Short: "report-arch", Form: formSwitch,
		Help:   "Report SM target arch in error messages.",
		Own:    "name the target in messages",
		Status: statusSame,
	},
	optSplitCompile: {
		Long: "split-compile", Short: "split-compile", Form: formNumber,
		Default: "1",
		Arg:     "<amount>",
		Help:    "Max threads nvvm can use for split compilation (only used with LTO).",
		Own:     "threads of libnvvm, for link-time optimisation",
		Status:  statusIgnored, Note: "only for link-time optimisation; recorded in the note of the image",
	},
	optSplitCompileExtended: {
		Long: "split-compile-extended", Short: "split-compile-extended", Form: formNumber,
		Default: "1",
		Arg:     "<amount>",
		Help:    "Max threads linker can use for extended split compilation (only used with LTO).",
		Own:     "threads, for link-time optimisation",
		Status:  statusIgnored, Note: "only for link-time optimisation; recorded in the note of the image",
	},
	optSuppressArchWarning: {
		Long: "suppress-arch-warning", Short: "suppress-arch-warning", Form: formSwitch,
		Help:   "Suppress the warning that otherwise is printed when object does not contain code for target arch.",
		Own:    "do not warn of files without code for the target",
		Status: statusSame,
	},
	optSuppressDebugInfo: {
		Long: "suppress-debug-info", Short: "suppress-debug-info", Form: formSwitch,
		Help:   "Do not preserve debug symbols in output.\nNote: This option is ignored if used without --debug option.",
		Own:    "with -g, leave the debug sections out",
		Status: statusSame,
	},
	optSuppressStackWarning: {
		Long: "suppress-stack-size-warning", Short: "suppress-stack-size-warning", Form: formSwitch,
		Help:   "Suppress the warning that otherwise is printed when stack size cannot be determined.",
		Own:    "do not warn of recursive kernels",
		Status: statusSame,
	},
	optTime: {
		Long: "time", Short: "time", Form: formValue,
		Arg:    "<file name>",
		Help:   "Generate a comma separated value table with the time taken by this program and sub-component invocations, and append it at the end of the file given as the option argument. If the file is empty, the column headings are generated in the first row of the table. If the file name is '-', the timing data is generated in stdout.",
		Own:    "append the time of each step to a table (- is standard output)",
		Status: statusBetter, Note: "nvlink's table has a line for each file compiled from PTX; under the name culink there is one for each pass, too",
	},
	optUidx: {
		Long: "uidx-file", Short: "uidx", Form: formValue,
		Help:   "Path to uidx file.",
		Own:    "index file with the places of the program's unified functions and variables",
		Status: statusSame,
	},
	optUseHostInfo: {
		Long: "use-host-info", Short: "use-host-info", Form: formSwitch,
		Help:   "Use information about host references to remove unused device code.",
		Own:    "remove kernels that host code does not refer to (the default)",
		Status: statusSame,
	},
	optVariablesUsed: {
		Long: "variables-used", Short: "variables-used", Form: formList,
		Arg:    "<variable>,...",
		Help:   "Specify variables that are used. Can be part of a variable name so any variable with that string in name are matched. If this option is used, then any other variables are considered dead-code and potentially removed unless have other accesses from device code.",
		Own:    "variables that count as used, by parts of their names",
		Status: statusSame,
	},
	optVerbose: {
		Long: "verbose", Short: "v", Form: formSwitch,
		Help:   "Enable verbose mode which prints code generation statistics.",
		Own:    "print registers, stack and memory of each kernel",
		Status: statusSame,
	},
	optVersion: {
		Long: "version", Short: "V", Form: formSwitch,
		Help:   "Print version information on this tool.",
		Own:    "print the version",
		Status: statusBetter, Note: "under the name culink: culink's version and the releases that it imitates",
	},
	optWerror: {
		Long: "warning-as-error", Short: "Werror", Form: formSwitch,
		Help:   "Make all warnings into errors.",
		Own:    "make warnings errors",
		Status: statusSame,
	},
	optAllowUndefinedGlobals: {
		Long: "allow-undefined-globals", Short: "allow-undefined-globals", Form: formSwitch, Hidden: true,
		Own:    "leave undefined variables to the loader",
		Status: statusSame,
	},
	optCudaAPIVersion: {
		Long: "cuda-api-version", Short: "cuda-api-version", Form: formValue, Hidden: true,
		Status: statusIgnored, Note: "the value is checked",
	},
	optDisableSmemReservation: {
		Long: "disable-smem-reservation", Short: "disable-smem-reservation", Form: formBool, Hidden: true,
		Own:    "do not reserve shared memory for the system",
		Status: statusSame,
	},
	optDontReserveNull: {
		Long: "dont-reserve-null-pointer", Short: "dont-reserve-null-pointer", Form: formSwitch, Hidden: true,
		Status: statusSame, Note: "switches --reserve-null-pointer off, in any order",
	},
	optDotFile: {
		Long: "dot-file", Short: "dot", Form: formValue, Hidden: true,
		Own:    "write the call graph to this file, for Graphviz",
		Status: statusSame,
	},
	optEnableExtendedSmem: {
		Long: "enable-extended-smem", Short: "enable-extended-smem", Form: formBool, Hidden: true,
		Since:  130,
		Own:    "allow static shared memory up to the hardware's limit",
		Status: statusSame,
	},
	optFdcmpt: {
		Long: "fdcmpt", Short: "fdcmpt", Form: formSwitch, Hidden: true,
		Status: statusRefused, Note: "the reference knows the name and refuses it, too",
	},
	optForcePartialLTO: {
		Long: "force-partial-lto", Short: "force-partial-lto", Form: formSwitch, Hidden: true,
		Status: statusRefused, Note: "only for link-time optimisation; without it the reference refuses it, too",
	},
	optForceRela: {
		Long: "force-rela", Short: "force-rela", Form: formSwitch, Hidden: true,
		Status: statusSame, Note: "write relocation sections with addends where the input has none",
	},
	optForceWholeLTO: {
		Long: "force-whole-lto", Short: "force-whole-lto", Form: formSwitch, Hidden: true,
		Status: statusRefused, Note: "only for link-time optimisation; without it the reference refuses it, too",
	},
	optHostCcbin: {
		Long: "host-ccbin", Short: "host-ccbin", Form: formValue, Hidden: true,
		Own:    "the host compiler that -ghls=lcs-abs asks for its linker script",
		Status: statusSame,
	},
	optHostLinkerOptions: {
		Long: "host-linker-options", Short: "Xlinker", Form: formList, Hidden: true,
		Own:    "with -ghls=lcs-abs, options for the host's linker in place of those that the host compiler gives it",
		Status: statusSame, Note: "has no effect on a link",
	},
	optNvHost: {
		Long: "nv-host", Short: "nv-host", Form: formValue, Hidden: true,
		Since:  130,
		Status: statusRefused, Note: "nvlink stores this host object in the image, culink does not",
	},
	optShared: {
		Long: "shared", Short: "shared", Form: formSwitch, Hidden: true,
		Own:    "with -ghls=lcs-abs, ask for the linker script of a shared library",
		Status: statusSame, Note: "has no effect on a link; nvcc -shared -dlink passes it, and so do CMake's device links",
	},
	optReserveNull: {
		Long: "reserve-null-pointer", Short: "reserve-null-pointer", Form: formSwitch, Hidden: true,
		Own:    "leave the first bytes of memory spaces unused, so that no variable has the address 0",
		Status: statusSame,
	},
	optStackProtectorThreshold: {
		Long: "device-stack-protector-frame-size-threshold", Short: "device-stack-protector-frame-size-threshold", Form: formNumber, Hidden: true,
		Since:  130,
		Status: statusIgnored, Note: "no effect seen",
	},
	optSyscallConstOffset: {
		Long: "syscall-const-offset", Short: "syscall-const-offset", Form: formNumber, Hidden: true,
		Status: statusIgnored, Note: "no effect seen",
	},
	optToolName: {
		Long: "tool-name", Short: "tool-name", Form: formValue, Hidden: true,
		Status: statusIgnored, Note: "what messages begin with in place of nvlink, without folder and extension; under its own name culink says culink",
	},
	optUumn: {
		Long: "uumn", Short: "uumn", Form: formSwitch, Hidden: true,
		Status: statusIgnored, Note: "no effect seen",
	},
	optVerboseTkinfo: {
		Long: "verbose-tkinfo", Short: "verbose-tkinfo", Form: formBool, Hidden: true,
		Since:  130,
		Own:    "name inputs and output in the note of the image",
		Status: statusSame,
	},
	optToolkit: {
		Long: "toolkit", Form: formValue, Arg: "<version>",
		Own:    "imitate this release of nvlink: 12.4 or 13.0 (default: the oldest that reads all inputs)",
		Status: statusOwn,
	},
	optPtxas: {
		Long: "ptxas", Form: formValue, Arg: "<path>",
		Own:    "the ptxas that compiles PTX inputs (default: looked for in CUDA_HOME and PATH)",
		Status: statusOwn,
	},
	optFatbin: {
		Long: "fatbin", Form: formValue, Arg: "<file>",
		Own:    "also write a fatbin with the linked images; --arch may then name several architectures, separated by commas",
		Status: statusOwn,
	},
	optHostObject: {
		Long: "host-object", Form: formValue, Arg: "<file>",
		Own:    "also write an x86-64 or aarch64 object file (by -cpu-arch) that registers the images with the CUDA runtime: link it into the program",
		Status: statusOwn,
	},
	optHostSource: {
		Long: "host-source", Form: formValue, Arg: "<file>",
		Own:    "the same as C source",
		Status: statusOwn,
	},
	optJobs: {
		Long: "jobs", Form: formNumber, Arg: "<n>",
		Own:    "use at most this many threads (default: one for each processor)",
		Status: statusOwn,
	},
	optColor: {
		Long: "color", Form: formValue, Arg: "<when>",
		Allowed: []string{"always", "auto", "never"}, Default: "auto",
		Own:    "colours in messages: always, never, or auto for terminals",
		Status: statusOwn,
	},
	optErrorLimit: {
		Long: "error-limit", Form: formNumber,
		Default: "20",
		Arg:     "<n>",
		Own:     "show warnings about at most this many symbols or files, and as many with errors; 0 shows all (default: 20)",
		Status:  statusOwn,
	},
}
