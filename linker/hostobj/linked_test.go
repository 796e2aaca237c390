package hostobj

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sample = Linked{Container: []byte("P\xedU\xba\x01\x00\x10\x00\x08\x00\x00\x00\x00\x00\x00\x00linked!!"), IDs: []string{"_1_a_cu_x", "_2_b_cu_y", "_3_c_cu_z"}}

func TestObjectIsARelocatableThatSaysWhatItShould(t *testing.T) {
	for _, m := range []Machine{X86_64, AArch64} {
		data, err := sample.Object(m)
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if f.Type != elf.ET_REL || f.Machine != elf.Machine(m) {
			t.Errorf("type %v, machine %v", f.Type, f.Machine)
		}
		content := func(name string) string {
			s := f.Section(name)
			if s == nil {
				t.Fatalf("no section %s", name)
			}
			b, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		if got := content(".nv_fatbin"); got != string(sample.Container) {
			t.Errorf(".nv_fatbin is %q", got)
		}
		if got, want := content("__nv_module_id"), "def _1_a_cu_x\x00def _2_b_cu_y\x00def _3_c_cu_z\x00"; got != want {
			t.Errorf("__nv_module_id is %q", got)
		}
		if got, want := content(".nvFatBinSegment"), "\xb1\x43\x62\x46\x02\x00\x00\x00"+strings.Repeat("\x00", 16); got != want {
			t.Errorf(".nvFatBinSegment is %q", got)
		}
		syms, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		var defined, undefined []string
		for _, s := range syms {
			if elf.ST_BIND(s.Info) != elf.STB_GLOBAL {
				continue
			}
			if s.Section == elf.SHN_UNDEF {
				undefined = append(undefined, s.Name)
			} else {
				defined = append(defined, s.Name)
			}
		}
		if diff := cmp.Diff([]string{"__cudaRegisterLinkedBinary_1_a_cu_x", "__cudaRegisterLinkedBinary_2_b_cu_y", "__cudaRegisterLinkedBinary_3_c_cu_z"}, defined); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaUnregisterFatBinary", "atexit",
			"__fatbinwrap_1_a_cu_x", "__fatbinwrap_2_b_cu_y", "__fatbinwrap_3_c_cu_z"}, undefined); diff != "" {
			t.Error(diff)
		}
		// Ours reads as an object whose code is linked already.
		o, err := Read(data)
		if err != nil || !o.Segment || !o.Linked || o.Relocatable {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

func TestWithoutModulesNothingRegisters(t *testing.T) {
	l := Linked{Container: sample.Container}
	data, err := l.Object(X86_64)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Section(".text").Size; n != 0 {
		t.Errorf("%d bytes of code", n)
	}
	if n := f.Section(".nvFatBinSegment").Size; n != 24 {
		t.Errorf("record of %d bytes", n)
	}
}

func TestIdentifiersThatAreNoneAreRefused(t *testing.T) {
	for _, ids := range [][]string{{""}, {"a b"}, {"_1\"; system(\"x"}, {"_1", "_1"}, {"ä"}} {
		l := Linked{Container: sample.Container, IDs: ids}
		if _, err := l.Object(X86_64); !errors.Is(err, ErrBadID) {
			t.Errorf("object of %q: %v", ids, err)
		}
		if _, err := l.Source(); !errors.Is(err, ErrBadID) {
			t.Errorf("source of %q: %v", ids, err)
		}
	}
	if _, err := sample.Object(3); !errors.Is(err, ErrMachine) {
		t.Errorf("i386: %v", err)
	}
}

// host is a way to compile and run programs for a machine.
type host struct {
	machine Machine
	cc      string
	run     []string
}

func hosts(t *testing.T) []host {
	var out []host
	native := map[string]Machine{"amd64": X86_64, "arm64": AArch64}[runtime.GOARCH]
	if cc, err := exec.LookPath("cc"); err == nil && runtime.GOOS == "linux" && native != 0 {
		out = append(out, host{native, cc, nil})
	}
	cc, err := exec.LookPath("aarch64-linux-gnu-gcc")
	qemu, qemuErr := exec.LookPath("qemu-aarch64")
	if err == nil && qemuErr == nil && native != AArch64 {
		out = append(out, host{AArch64, cc, []string{qemu, "-L", "/usr/aarch64-linux-gnu"}})
	}
	if len(out) == 0 {
		t.Skip("no C compiler on PATH")
	}
	return out
}

func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// runtimeSource stands in for the CUDA runtime: it prints what it is told.
const runtimeSource = `
#include <stdio.h>
struct wrap { unsigned magic, version; const char *container; const char **modules; };
static void *handle;
void **__cudaRegisterFatBinary(struct wrap *w) {
  printf("register %x %u %.8s:", w->magic, w->version, w->container + 16);
  for (const char **m = w->modules; *m; m++) printf(" %s", *m);
  puts("");
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **h) { printf("end %d\n", h == &handle); }
void __cudaUnregisterFatBinary(void **h) { printf("unregister %d\n", h == &handle); }
`

// moduleSource is what a module object has beside its code, in the places that nvcc gives it.
const moduleSource = `
#include <stdio.h>
struct wrap { int magic, version; const void *container, *unused; };
__attribute__((visibility("default"))) const struct wrap __fatbinwrap%[1]s = { 0x466243b1, 1, "module%[1]s", 0 };
void __cudaRegisterLinkedBinary%[1]s(void (*)(void **), const void *, const char *, void (*)(void *));
static void callback(void **handle) { printf("callback%[1]s %%d\n", handle != 0); }
static void ref(void *p) { (void)p; }
__attribute__((constructor)) static void start(void) { __cudaRegisterLinkedBinary%[1]s(callback, &__fatbinwrap%[1]s, "%[1]s", ref); }
`

const wantCalls = `register 466243b1 2 linked!!: module_3_c_cu_z module_1_a_cu_x module_2_b_cu_y
callback_3_c_cu_z 1
callback_1_a_cu_x 1
callback_2_b_cu_y 1
end 1
main
unregister 1
`

// The object registers in programs of every kind, whatever the order in which modules come.
func TestLinkedProgramsRegisterWithTheRuntime(t *testing.T) {
	for _, h := range hosts(t) {
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		object, err := sample.Object(h.machine)
		if err != nil {
			t.Fatal(err)
		}
		source, err := sample.Source()
		if err != nil {
			t.Fatal(err)
		}
		write("linked.o", string(object))
		write("linked.c", string(source))
		write("runtime.c", runtimeSource)
		write("main.c", "#include <stdio.h>\nint main(void) { puts(\"main\"); return 0; }\n")
		for i, id := range sample.IDs {
			write(fmt.Sprintf("m%d.c", i), fmt.Sprintf(moduleSource, id))
		}
		command(t, dir, h.cc, "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-c", "linked.c", "-o", "source.o")
		for _, linked := range []string{"linked.o", "source.o"} {
			for _, kind := range [][]string{{"-fPIE", "-pie"}, {"-fno-pie", "-no-pie"}, {"-static"}} {
				name := fmt.Sprintf("machine %d, %s, %v", h.machine, linked, kind)
				args := append([]string{h.cc}, kind...)
				// Constructors run in the order of the command line.
				command(t, dir, append(args, "-Wl,--fatal-warnings", "m2.c", "m0.c", "m1.c", linked, "runtime.c", "main.c", "-o", "program")...)
				got := command(t, dir, append(append([]string(nil), h.run...), "./program")...)
				if diff := cmp.Diff(wantCalls, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			command(t, dir, h.cc, "-shared", "-fPIC", "-Wl,-z,text", "-Wl,--fatal-warnings", "m2.c", "m0.c", "m1.c", linked, "runtime.c", "-o", "libmodules.so")
			command(t, dir, h.cc, "main.c", "-Wl,--no-as-needed", "./libmodules.so", "-o", "program")
			got := command(t, dir, append(append([]string(nil), h.run...), "./program")...)
			if diff := cmp.Diff(wantCalls, got); diff != "" {
				t.Errorf("machine %d, %s, shared library (-want +got):\n%s", h.machine, linked, diff)
			}
		}
	}
}

func TestManyModulesLink(t *testing.T) {
	l := Linked{Container: sample.Container}
	for i := range 70000 { // the count needs both halves of its immediate on AArch64
		l.IDs = append(l.IDs, fmt.Sprintf("_%d", i))
	}
	for _, m := range []Machine{X86_64, AArch64} {
		data, err := l.Object(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := elf.NewFile(bytes.NewReader(data)); err != nil {
			t.Error(err)
		}
	}
}
