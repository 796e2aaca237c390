// Package cuname demangles the names of device functions and variables as NVIDIA's cu++filt does.
//
// The reference linker prints such names in the dump of its call graph (Demangle). culink's own messages have names as
// c++filt writes them, which people read more easily (Readable). Names are mangled by the Itanium C++ ABI. NVIDIA's text
// differs from that of other demanglers: template parameters stay what they are (T1 f<int>(T1)), arguments that are values
// have their type in front ((int)3), pointers have a blank before the sign (int *), variants of constructors and destructors
// are told apart, expressions have no parentheses that show what binds to what, and the namespace that NVIDIA's compiler puts
// around what is local to a translation unit is left out (observed on cu++filt 12.4 and on both linkers).
//
// The reader is a recursive descent over the grammar of the ABI that builds the text directly: since parameters are not
// replaced, what a substitution stands for reads the same everywhere. It knows the parts of the grammar that the reference
// knows; names with others, such as constraints, modules and explicit template parameters of lambdas, stay mangled there, too.
package cuname
