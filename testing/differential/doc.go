// Command differential links random programs with nvlink and with culink and says where the two differ.
//
// A golden suite shows that known programs link to known bytes; random programs find the rules that nobody thought of. Each
// program is made from a seed and an architecture alone: some files of PTX with functions that call each other within and across
// files, directly, through tables and through parameters, and that use variables of every space and binding, textures,
// switches, barriers, local arrays, services of the runtime and literals that the compiler places in constant banks. ptxas compiles
// each file; then both linkers link the objects with random options, some of them in stages. Bytes of the image, text and exit code have to be
// the same.
//
//	go run ./testing/differential -nvlink PATH -ptxas PATH [-seed N] [-count N] [-arch LIST] [-jobs N]
//	                              [-links N] [-without LIST] [-culink PATH] [-keep DIR] [-shrink] [-print]
//
// Seeds N, N+1, ... give one program each. The architecture is drawn from those that the toolkit's release knows, or
// from -arch. -without leaves features of programs or options of links out, by name, so that a known difference does not hide others.
// -print writes the program of the seed and links nothing.
//
// What differs is grouped by what `culink diff` names first, with names and numbers left out; the report lists the groups, most frequent
// first, and the share of links that are the same for each option. -keep stores the first case of each group with all files
// and the command line; -shrink makes it smaller as long as it stays in its group.
//
// Links that nvlink itself does not survive, that it ends with an internal error, or that have another image each time, say nothing about
// culink and are counted apart. So are links in which nvlink takes a local function for another of its name, and images of sm_100 and later in which only functions differ whose code nvlink generated anew, as `culink -v` says.
//
// The culink under test is this program itself, started under the name nvlink in a process of its own, so that a crash or a hang is a
// difference like any other.
package main
