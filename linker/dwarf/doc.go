// Package dwarf knows the formats of debugging sections as far as a linker must that leaves functions out of them, moves them or writes
// them anew: device compilers' line units (.debug_line, .nv_debug_line_sass), frames (.debug_frame) and names of registers
// (.nv_debug_info_reg_sass).
//
// # Line units
//
// .debug_line and .nv_debug_line_sass are DWARF 2 in the 32-bit form, also in ELF64: a head, tables of folders and files, then a program with
// one sequence per function. Each sequence begins with DW_LNE_set_address, whose operand has a relocation entry, so that a linker finds where
// sequences begin by the entries. Between the tables and the program there may be 4 bytes that no version of DWARF has: the offset
// of the names of inlined functions in .debug_str (NamesField; observed).
//
// From sm_100 on the reference keeps the rows of some functions in a table and writes them anew; RewriteRows does what that
// amounts to (observed).
//
// # Frames
//
// .debug_frame has the form that goes with the file's class (FrameForm): in ELF64 lengths, pointers and addresses have 8 bytes.
//
// # Registers
//
// .nv_debug_info_reg_sass is NVIDIA's own: blocks of a name, a count, and for each register half a name, a register number and
// the range of addresses in which it holds the value (observed, from sm_100 on).
//
// Everything here works on bytes that it is given and says what is wrong in words; who calls knows file, section and offset.
package dwarf
