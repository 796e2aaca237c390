// Package nvinfo reads and writes the small sections that describe device code: the attribute records of .nv.info* and
// .nv.compat, the pairs of .nv.callgraph and .nv.prototype, and the notes .note.nv.tkinfo and .note.nv.cuinfo.
//
// An attribute record is a format byte, a code byte and a 16-bit field; with format EIFMT_SVAL the field is the number
// of payload bytes that follow, otherwise it is the value itself and nothing follows. Records stand back to back. What
// a payload holds depends on the code; Lookup tells, and in particular which words are symbol numbers, which a linker
// must renumber.
//
// Readers are values that walk a section in place: they allocate nothing, never read beyond it and keep no state outside
// themselves. A malformed section ends the walk with a *FormatError. What was read well-formed is written back byte for
// byte, also records with codes and formats that no table knows.
//
// Names of attributes are those the vendor's dump tools print for records with each code (12.4 and 13.0), formats and
// payloads are those of the records in files that their compilers wrote; the rest is from the seed documents.
package nvinfo
