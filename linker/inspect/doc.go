// Package inspect shows what is in a device ELF file and what sets two of them apart.
//
// Describe turns a parsed file into plain data, every number that refers to something replaced by a name: symbols,
// sections, relocation types, attribute codes, call graph edges, notes. WriteText and the JSON encoding of that data are
// the two forms of a dump.
//
// Uses tells which places of a file refer to given symbols, for messages about those that nothing defines.
//
// Diff compares two files by meaning. Each file is flattened into facts, which have a key ("section .text.k size",
// "symbol k value", "attribute .nv.info.k EIATTR_REGCOUNT k") and a value; facts with the same key are compared.
// Keys hold names, never numbers that another section or symbol would shift, so one inserted symbol is one difference;
// order has facts of its own. Bytes that no decoder explains are compared as bytes, code as instructions. If two files
// have the same facts and yet differ, that is a difference too: equal means equal bytes.
package inspect
