// Package arch has one row per GPU architecture and one per toolkit: everything that differs between them and that the
// linker would otherwise have to branch on.
//
// A name such as sm_90a is a number and a suffix. The number decides the layout of the image (Profile). The suffix,
// a for code that runs on this architecture only and f for code of its family, decides which inputs a target takes
// and a few limits. The toolkit (Toolkit) decides the ELF dialect, the version words and which architectures exist.
//
// The values were observed by linking for every architecture with both versions of the reference linker: limits by
// exceeding them, acceptance by linking each architecture's object for each target.
package arch
