// Package reloc is the table of device relocation types and the engine that writes their fields.
//
// A relocation type names up to three actions. Each action takes some bits of a value and puts them into a field
// of the words that start at r_offset: little-endian 64-bit words, field positions counted from bit 0 of the first
// word. The value is S + A for a RELA entry. A REL entry keeps its addend in the field itself: the new field is the
// selected bits of S plus the old field, cut to the width, each action for itself; byte lanes add the old byte to S before they
// take their bits. No value is ever refused as out of
// range: the reference linker cuts it to the field (observed in 12.4 and 13.0).
//
// Constant types have a second field, the number of the constant bank, which overwrites what was there for REL and
// RELA alike. R_CUDA_CONST_FIELD19_28 splits the bank over two fields and is the only type with three actions.
//
// The same rows drive the writer (Apply), the reader (Extract, Bank), names (Name) and the section
// .nv.rel.action (ActionSection). Rows of types that the linker applies were measured by linking probes with two
// versions of the reference linker; testdata holds the result and the tests compare every row with it. Fields of
// types that only the loader applies cannot be measured by linking: they follow from the type's name and from how the
// instructions of images decode, serve for display, and Apply refuses them.
//
// Whether an entry is applied, kept for the loader or dropped also depends on its symbol, and is the caller's
// decision; Loader, Class and Plain are the parts of it that depend on the type alone.
package reloc
