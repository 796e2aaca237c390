// Package input turns the files and libraries of a command line into the ordered list of modules that a link merges.
//
// Load finds the libraries of -l, opens every file, finds the device code in it (a cubin, a fatbin container, PTX,
// a host object that carries a container, an archive of such objects), picks the code for the target from each container,
// unpacks it, compiles PTX with an external ptxas, and tests what comes out. Files are scanned on several goroutines,
// unless they are small, and so is the unpacking; what a file has to say and to give is kept as a list of steps, and the steps of all
// files are carried out in command-line order. So messages and modules come in the reference linker's order whatever the
// number of goroutines.
//
// # Two ways to read
//
// As the reference (Options.AsReference), the package takes and leaves what the reference linker takes and leaves, which includes
// code that it silently loses: members of an archive behind one that is no ELF file, the second container of an object made
// by ld -r, files without a file name extension, PTX files in CUDA 13 below sm_90, members of thin archives in other folders. Each loss
// is reported as diag.LostCode or diag.IgnoredInput when Options.Warn is set. Otherwise content decides what a file is,
// nothing is lost in silence, and what cannot be linked is refused. docs/differences.md lists each case.
//
// # Memory
//
// Files are mapped read-only and looked at where needed: section headers of objects, headers of container entries, and the
// chosen payloads. Small files are read instead. The link works on copies: a mapped file may become shorter at any time,
// which is an error where it is read here, and would be the end of the process elsewhere. Unpacked code is held to fatbin.Limits for each payload and to a
// multiple of the inputs' size for all of them together.
package input
