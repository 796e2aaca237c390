// Package fatbin reads and writes the containers in which device code travels.
//
// A container is a header of 16 bytes (magic 0xBA55ED50, version 1, header size, size of all entries) and entries back to
// back. An entry is one piece of code for one architecture: a header of at least 64 bytes, the texts that belong to it,
// and a payload, which may be compressed as an LZ4 block or a zstd frame:
//
//	 0 u16 kind            1 PTX, 2 cubin, 8 LTO IR
//	 2 u16 0x0101
//	 4 u32 header size     from here to the payload, in bytes
//	 8 u64 stored size     of the payload, padded to 8
//	16 u32 packed size     without the padding; 0 when the payload is not compressed
//	20 u32 offset of {u32 offset, u32 length} of the entry's text: option text of PTX; the .nv.compat block of cubins from sm_100 on
//	24 u16 minor, u16 major  of the PTX version; ABI version and 1 of a cubin
//	28 u32 SM number
//	32 u32 offset, u32 length of the identifier
//	40 u64 flags
//	56 u64 plain size     of the payload once it is unpacked; 0 when it is not compressed
//
// All of this, and the rules of choice, are observed on containers of CUDA 12.4 and 13.0 and on what the reference linker
// does with edited ones.
//
// Parse looks at entry headers only, so a mapped container costs the pages of its headers. Unpacker unpacks the payload
// that was chosen. The size that it allocates is the one that the header states, which it believes only within limits:
// an LZ4 block cannot hold more than 255 times its size, and zstd frames are held to Limits.
package fatbin
