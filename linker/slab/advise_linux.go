package slab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// arena is the unit in bytes in which Go's runtime takes address space for its heap on 64-bit systems.
const arena = 64 << 20

// advise asks for huge pages. The request goes to the whole arenas that the slice lies in: what lies beside a large slice
// in the heap of a linker is large, too, and parts that are not mapped are passed over.
func advise(p unsafe.Pointer, size uintptr) {
	if unsafe.Sizeof(p) != 8 {
		return
	}
	begin := uintptr(p) &^ (arena - 1)
	end := (uintptr(p) + size + arena - 1) &^ (arena - 1)
	// The system's refusal changes nothing but speed.
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE)
}
