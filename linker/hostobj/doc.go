// Package hostobj reads host objects that carry device code and writes the host object that registers a linked image.
//
// # Reading
//
// nvcc -dc compiles a source file to a host object (ELF64, little-endian, ET_REL, of any machine) in which these sections
// speak to the device linker (names and contents observed):
//
//	.nvFatBinSegment   a record that points to the object's container; its presence says that there is device code
//	__nv_relfatbin     the container with relocatable device code; .nv_fatbin instead when the code is already linked
//	__nv_module_id     NUL-ended identifiers of the modules, under which the linked image is registered
//	.nvHRKE .nvHRKI    kernels that host code refers to, of external and internal linkage
//	.nvHRDE .nvHRDI    __device__ variables likewise
//	.nvHRCE .nvHRCI    __constant__ variables likewise
//
//	.llvm.offloading   clang's container in place of all others: package offload
//
// The six .nvHR sections hold NUL-ended patterns in which `*` stands for any run of characters.
//
// The reader is one of its own because it must read hostile files: it looks at the section headers and at those sections
// only, never copies, and holds nothing larger than a small multiple of the section header table. A mapped object costs the pages
// that it looks at.
//
// # Writing
//
// The object that stands in for what nvcc -dlink compiles holds a container with the linked images and one function
// per module, __cudaRegisterLinkedBinary<id>, which the modules' constructors call. The N-th of N calls registers
// the container with the CUDA runtime. Object encodes it as an ELF relocatable for x86-64 or AArch64, with position
// independent code from a small table of instructions; Source words the same in C.
package hostobj
