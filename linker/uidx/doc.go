// Package uidx reads index files of unified functions and variables (--uidx-file): who made a program with PTX's
// .attribute(.unified(a, b)) gives each of them, host side included, a place in one of two tables, the same in all images, so that an
// address means the same on every device and on the host. The compiler gives each a stub and a record with its id; the linker
// puts the stubs where the index says.
//
//	"\x7fUFTINDX" | u32 version | u32 0 | u64 window, u64 count (functions) | u64 window, u64 count (variables) | records
//	record: u64, u64 id | u64 offset
//
// Numbers are little-endian. Functions come first. From version 2 on, 16 bytes for each function follow the records; 12.4 does not
// know them (observed; what they hold is not known).
package uidx
