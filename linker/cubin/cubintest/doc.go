// Package cubintest builds relocatable cubins in memory, for tests and benchmarks that need inputs of a certain shape
// and no compiler.
//
// A File is a list of sections and symbols; Encode lays it out as an ELF64 file of machine 190 in the dialect of
// CUDA 13 (ABI 8) or CUDA 12 (ABI 7). Program is a level above: functions, variables and calls between them.
package cubintest
