// Package ar reads Unix archives, ordinary and thin, as the reference linker reads them, and a little more.
//
// An archive is `!<arch>\n` or `!<thin>\n` followed by members: a header of 60 bytes (name 16, date 12, owner 6,
// group 6, mode 8, size 10, magic 2), then the member's bytes padded to an even length. A thin archive keeps only the
// headers; its members are files that are named in it. GNU archives hold two members of their own: `/` (or `/SYM64/`), the
// symbol index, and `//`, the table of names that do not fit in 15 characters; a header then says `/123`, an offset
// into that table, where the name ends at "/\n".
//
// Observed of the reference: of the header only the name and the decimal size are read; neither the magic nor the
// symbol index plays a part; every member is visited, in file order; a rest shorter than a header is looked at as a header
// too. Names end at the first slash, in the name table as well, which is why it cannot open members of thin archives
// in other folders; Member has the whole name beside the reference's.
//
// A Reader hands out members one by one as slices of the archive's bytes, so that a mapped archive of any size costs
// the pages of its headers and of those members that the caller looks into.
package ar
