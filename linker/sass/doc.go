// Package sass reads as much of the machine code of sm_75 and later as a linker must know: which instructions end a thread, call, or
// fence, and which stand in the way of carrying code over to a related architecture.
//
// An instruction has 16 bytes, little-endian. The low 12 bits are the opcode: nine bits of operation and three that say of what kind
// the operands are. Opcodes and fields were found by compiling single instructions and comparing (observed); nothing here
// disassembles.
package sass
