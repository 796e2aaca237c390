// Package link turns relocatable device ELF files into a device image, byte for byte as the reference linker does.
//
// # The theory of a device link
//
// A relocatable cubin holds one code section per function, attribute lists (.nv.info) in which the compiler states
// what each function needs, a call graph, constant banks, variables and relocations. Linking is mostly bookkeeping:
// choose one definition per name, drop what no kernel reaches, put data spaces together, fill address fields that are
// known now and leave to the loader those that it decides (code and global memory), and raise what a kernel states about itself
// (registers, stack, barriers) to what its callees need.
//
// What makes identity of bytes hard is order. The reference numbers sections, symbols and strings in the order in
// which it creates them while it merges its inputs, keeps relocations and attributes in lists to whose front it adds,
// and sorts variables with a list sort that is not stable. Each of these is one small function here, used where it applies.
//
// # Passes
//
// Run executes an ordered list, see passes:
//
//	read      parse what is not parsed yet; pair plain sections with their Mercury twins
//	resolve   symbols by name: whose definition counts; the call graph
//	reach     liveness from kernels; what is dead leaves no trace, not even a name
//	merge     create sections and symbols in the reference's order
//	bindless  texture, sampler and surface descriptors of each kernel
//	layout    addresses in constant, global and shared space; sizes; numbers of symbols; limits
//	relocate  apply, keep or drop every relocation, for the plain sections and for their twins
//	finalize  attributes, call graph, notes; numbers of sections; file offsets
//	write     encode the image in batches, in the order of the file
//
// Everything is indexed by small integers (symID, secID, funcID, fileID); a number is a place in a slice and says in
// which order things were created. Work is linear in the inputs' sizes and the call graph's edges: reachability and
// maxima over callees run over strongly connected components, never over paths.
//
// # Mercury
//
// From sm_100 on nearly every section has a twin (.nv.capmerc.*, .nv.merc.*). The reference creates its image from
// the twins, under the names of the plain sections; one section therefore stands for both forms, and creation follows
// the twins' symbol table (view). Plain and twin bytes are merged and relocated side by side.
//
// # Unified functions and variables
//
// A unified function or variable (PTX's .attribute(.unified(a, b)), from sm_90 on) has an id and, in every image of a program,
// the same place in a table, so that addresses mean the same on all devices and on the host. The compiler adds a stub for each
// function, 128 bytes of code that call it, and puts variables into .nv.udt; .nv.uft.entry and .nv.udt.entry say which symbol has
// which id. Who assigns the places is not the linker but an index file made for the whole program (uidx.Parse). An executable
// link therefore joins the stubs in .nv.uft, moves stubs and variables to their places (placeUnified), and carries the file in
// .nv.uidx; unified relocation types, which without an index become plain ones, stay for the loader, and so do the symbols that
// mark the tables. A relocatable link moves nothing and needs no index. Stubs are called from outside: they count as
// entries (their stack, barriers and registers are stated) unless the image has exactly one kernel, which then speaks for all.
//
// # Messages
//
// Passes report to a diag.Collector in the reference's order and never print. A fatal message ends the pass with an
// error; errors let the checks of one stage finish, then Run returns ErrFailed.
package link
