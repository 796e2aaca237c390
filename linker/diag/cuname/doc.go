// Package cuname demangles the names of device functions and variables as NVIDIA's cu++filt does.
//
// The reference linker prints such names in the dump of its call graph; culink's own messages use them, too. Names are
// mangled by the Itanium C++ ABI with NVIDIA's additions: internal namespaces of a translation unit whose names begin
// with _INTERNAL_.
package cuname
