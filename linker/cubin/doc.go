// Package cubin knows device ELF files ("cubins"): it reads what ptxas writes and what a device link produces, and encodes the
// records of both classes of ELF for those who write them (Form).
//
// A cubin is a little-endian ELF file for machine 190 (EM_CUDA). It is ELF64; up to CUDA 11, and before sm_90, also ELF32: the same
// sections in narrower records. Four things set it apart from the ELF files of hosts.
//
// Two header dialects exist. ABI 7 (EI_OSABI 0x33, CUDA up to 12.x) keeps the SM number in the low byte of
// e_flags and the toolkit in e_version; ABI 8 (EI_OSABI 0x41, CUDA 13) keeps the SM in bits 8 to 23, the index of
// .note.nv.cuinfo in bits 24 to 31 and a state in the low byte (4: plain SASS, 2: with Mercury capsules).
//
// Sections have types of their own, from SHT_LOPROC on: attribute lists, call graph, constant banks and shared
// memory; sh_info of a per-function section (flag 0x40) names the code section, sh_info of a code section names
// the function's symbol in its low 24 bits and, before sm_90, the register count above them.
//
// Symbols of variables have the type 13 (STT_CUDA_OBJECT); the memory space is in bits 5 to 7 of st_other.
//
// From sm_100 on most sections have a twin: the same data in Mercury form, named .nv.capmerc.text.F or .nv.merc.X,
// with a symbol table of its own (.nv.merc.symtab) that shares .strtab.
//
// A parsed File never changes and depends on nothing outside its bytes, so it can be shared between links and
// cached by content.
package cubin
