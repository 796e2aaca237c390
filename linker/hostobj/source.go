package hostobj

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Source words the object in C, which C++ compilers take as well. GCC and Clang compile it; other compilers do not know the sections.
func (l *Linked) Source() ([]byte, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	var w bytes.Buffer
	w.Grow(len(l.Container)*3 + 4096)
	w.WriteString(sourceHead)
	l.sourceImage(&w)
	n := len(l.IDs)
	fmt.Fprintf(&w, sourceRecord, n+1, recordMagic, recordVersion)
	if n == 0 {
		w.WriteString(sourceTail)
		return w.Bytes(), nil
	}
	fmt.Fprintf(&w, sourceRegister, n, n, n)
	for _, id := range l.IDs {
		fmt.Fprintf(&w, sourceModule, id)
	}
	w.WriteString(sourceTail)
	return w.Bytes(), nil
}

// sourceImage writes the container as 64-bit numbers of the little-endian machines that CUDA knows.
func (l *Linked) sourceImage(w *bytes.Buffer) {
	w.WriteString("static const unsigned long long culink_container[] __attribute__((section(\".nv_fatbin\"), aligned(8), used)) = {")
	const perLine = 6
	var word [8]byte
	for at := 0; at < max(len(l.Container), 1); at += len(word) {
		if at/len(word)%perLine == 0 {
			w.WriteString("\n ")
		}
		word = [8]byte{}
		copy(word[:], l.Container[min(at, len(l.Container)):])
		fmt.Fprintf(w, " 0x%xull,", binary.LittleEndian.Uint64(word[:]))
	}
	w.WriteString("\n};\n")
}

const sourceHead = `/* Written by culink: registers a linked device image with the CUDA runtime. */
#ifdef __cplusplus
extern "C" {
#endif

struct culink_wrap {
  unsigned magic, version;
  const void *container;
  const void *modules;
};

extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern int atexit(void (*)(void));

`

const sourceRecord = `
static const void *culink_modules[%d];
static struct culink_wrap culink_record __attribute__((section(".nvFatBinSegment"), aligned(8), used)) = {
  0x%xu, %du, culink_container, culink_modules
};
`

const sourceRegister = `
static void (*culink_callbacks[%d])(void **);
static unsigned culink_count;
static void **culink_handle;

static void culink_unregister(void) { __cudaUnregisterFatBinary(culink_handle); }

/* The last module to come registers the image, and then all modules in the order in which they came. */
static void culink_register(void (*callback)(void **), const struct culink_wrap *wrap) {
  unsigned i;
  if (culink_count >= %du) return;
  culink_modules[culink_count] = wrap->container;
  culink_callbacks[culink_count++] = callback;
  if (culink_count != %du) return;
  culink_handle = __cudaRegisterFatBinary(&culink_record);
  atexit(culink_unregister);
  for (i = 0; i < culink_count; i++) culink_callbacks[i](culink_handle);
  __cudaRegisterFatBinaryEnd(culink_handle);
}
`

const sourceModule = `
extern const struct culink_wrap __fatbinwrap%[1]s;
static const char culink_id%[1]s[] __attribute__((section("__nv_module_id"), used)) = "def %[1]s";
void __cudaRegisterLinkedBinary%[1]s(void (*callback)(void **), void *wrap, void *id, void (*ref)(void *)) {
  (void)wrap, (void)id, (void)ref;
  culink_register(callback, &__fatbinwrap%[1]s);
}
`

const sourceTail = `
#ifdef __cplusplus
}
#endif
`
