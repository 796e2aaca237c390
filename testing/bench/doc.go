// Command bench times a device link by culink and, where an nvlink is found, by nvlink in the same run.
//
// It writes its own inputs: relocatable cubins for sm_80 of a given number and shape, made directly, so that no compiler is needed.
// Three shapes show how a linker scales. In "objects" every file has a few functions that call functions of the fifty files
// before it, and one kernel, which needs only one of them: the work grows with the number of files, and most of it is to find out what to leave out. In
// "live" every function is called and ends up in the image. In "ladder" every function calls its
// neighbour and one in an earlier file, so that the number of call paths doubles from file to file while the number of functions and
// calls stays small: a linker that walks paths takes exponential time.
//
// The table shows wall time (the least of several runs), peak resident memory, the ratio of the two linkers and the
// exponent of growth, fitted over the sizes by least squares on logarithms.
package main
