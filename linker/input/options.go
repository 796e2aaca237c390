package input

import (
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
)

// Options say what to load and how. Files and Target must be set.
type Options struct {
	// Files are the input files in command-line order, as given: messages show them so.
	Files []string
	// Libraries are the names of -l, LibraryDirs the directories of -L, LibraryPath those of the environment's LIBRARY_PATH. Libraries
	// come after all files (observed).
	Libraries   []string
	LibraryDirs []string
	LibraryPath []string
	// Machine is e_machine of the host that -cpu-arch names; 0 means x86-64 (observed). It decides which libraries fit.
	Machine hostobj.Machine
	// Dir is the directory that relative names refer to; "" is the current one.
	Dir string

	// Target is the architecture linked for, Toolkit the release to be like; nil means the newest.
	Target  arch.Arch
	Toolkit *arch.Toolkit
	// AcceptNewer links inputs of releases that are newer than Toolkit by Toolkit's rules, with one warning; else they are refused, as the
	// reference does.
	AcceptNewer bool
	// Virtual says that the target was given as compute_N: messages call it so.
	Virtual bool

	// Class is the class of the device ELFs wanted; 0 means ELF64.
	Class cubin.Class

	// AsReference reads as the reference linker does, losses included; Warn then reports the losses.
	AsReference bool
	Warn        bool

	// Relocatable is -r, IgnoreHostInfo -ignore-host-info: both keep every kernel. NoArchWarning is -suppress-arch-warning.
	Relocatable    bool
	IgnoreHostInfo bool
	NoArchWarning  bool

	// DebugPTX compiles PTX with debug information: the link keeps it.
	DebugPTX bool
	// Ptxas is the PTX compiler to run; "" looks for one in CudaHome/bin and then in the directories of Path.
	Ptxas    string
	CudaHome string
	Path     []string

	// Jobs limits how many goroutines work at once; 0 means GOMAXPROCS.
	Jobs int
	// Cache keeps opened files between steps and targets; nil: each step opens its own.
	Cache *Cache
	// Limits bound what each compressed payload may become.
	Limits fatbin.Limits
	// TotalFloor is the number of bytes that the compressed payloads of one link may unpack to together, however small the files are; 0
	// means DefaultTotalFloor.
	TotalFloor uint64

	// cwd is Dir, or the process's directory: what relative names mean as absolute ones. Files are opened by their own names.
	cwd string
}

// Target names as messages show them.
func (o *Options) targetName() string {
	if o.Virtual {
		return arch.Name{Arch: o.Target, Kind: arch.Virtual}.String()
	}
	return "sm_" + o.Target.String()
}

func (o *Options) is64() bool { return o.Class != cubin.Class32 }

// Module is one device ELF of the link.
type Module struct {
	// Name is how messages call the module: the file as given, "lib.a:b.o" for the member of an archive.
	Name string
	// Path is the file that the module is in, as given or as found for a library.
	Path string
	// Cubin is the module's device ELF: a sound ELF file for the target. No mapping of a file is part of it.
	Cubin []byte
	// File is Cubin parsed, nil if it does not parse: Cubin says then what is wrong.
	File *cubin.File
	// FromContainer is set when the module comes from a container, whose header spoke for its architecture.
	FromContainer bool
	// FromArchive is set for members of archives.
	FromArchive bool
	// FromPTX is set when Cubin was compiled from PTX.
	FromPTX bool
	// Cudadevrt is set when the path says that the module is of the device runtime library, which a link leaves out when nothing is
	// undefined at its turn (observed: any path that contains "cudadevrt").
	Cudadevrt bool
}

// Registration is one line of the register file: a module that registers itself with the linked image.
type Registration struct {
	ID string
	// Module is the index in Result.Modules that the line belongs to; -1 for a file without code for the target, which is registered all the
	// same (observed).
	Module int
	// Constructor is set when the module is of a host object, whose constructor calls the registering function. Cubins, fatbins and
	// PTX files have a line, but nothing calls for them, and nothing defines the record that nvcc's function for them refers to.
	Constructor bool
}

// Compilation is a run of ptxas, for -time.
type Compilation struct {
	Input   string // as messages show it
	Elapsed time.Duration
}

// Result is what the inputs hold for the target.
type Result struct {
	// Modules are the device ELFs in link order.
	Modules []Module
	// Registrations are the lines of the register file in order.
	Registrations []Registration
	// FilterKernels is set when host references decide which kernels stay: every input has the information and somebody refers to a kernel.
	// KernelsExternal and KernelsInternal are then the union of the patterns of all objects, also of those without code for the target.
	FilterKernels                    bool
	KernelsExternal, KernelsInternal []string
	// Variables are the patterns of variables that host code refers to.
	Variables []string
	// NotRelocatable are the host objects whose device code is no input of a link: it was compiled without -rdc=true, or is linked
	// already.
	NotRelocatable []string
	// Compilations are the runs of ptxas, in input order.
	Compilations []Compilation

	files []*file
}

// Close unmaps the inputs.
func (r *Result) Close() error {
	var first error
	for _, f := range r.files {
		if err := f.close(); err != nil && first == nil {
			first = err
		}
	}
	r.files = nil
	return first
}
