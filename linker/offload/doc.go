// Package offload reads LLVM's offloading binaries: how clang packs device code into a host object.
//
// clang's "new offload driver" (the default for CUDA by now) compiles a source file with -fgpu-rdc to a host object whose section
// .llvm.offloading, of type SHT_LLVM_OFFLOADING, holds the device code of each architecture. The section is a run of binaries, padded
// with zeros to eight bytes: one per architecture of a compilation, and those of several objects once `ld -r` has joined them. A binary has
// a header, entries, and what they point to (LLVM's document "Clang Offload Packager" and the declarations of OffloadBinary; numbers are
// little-endian, offsets in bytes from the start of the binary):
//
//	header                          entry, 40 bytes                  string, 16 bytes, from version 2 on 24
//	0   magic 10 ff 10 ad           0   u16 kind of image            0   u64 offset of the NUL-ended key
//	4   u32 version                 2   u16 producer, 2 for CUDA     8   u64 offset of the value
//	8   u64 size of the binary      4   u32 flags                    16  u64 size of the value
//	16  u64 offset of the entries   8   u64 offset of the strings
//	24  u64 size of the entry;      16  u64 number of strings
//	    from version 2 on number    24  u64 offset of the image
//	    of entries                  32  u64 size of the image
//	32  from version 3 on u64 size
//	    once inflated, 0 for a
//	    binary that is as it is
//
// The keys that count are triple (nvptx64-nvidia-cuda) and arch (sm_80, sm_90a). The image of a CUDA compilation is the relocatable cubin that
// ptxas -c wrote (observed of clang 22); with -foffload-lto it is LLVM's bitcode, which no device linker takes.
//
// NVIDIA's nvlink does not know the section: clang runs clang-linker-wrapper, which takes it apart, calls nvlink with plain cubins, and
// makes the code that registers the result with the CUDA runtime.
package offload
