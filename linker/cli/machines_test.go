package cli

import (
	"debug/elf"
	"testing"

	"github.com/culink/culink/linker/hostobj"
)

// Observed with libraries of each machine: 13.0 skips those of another one.
func TestHostArchitecturesFindLibrariesOfTheirMachine(t *testing.T) {
	want := map[string]elf.Machine{
		"AARCH64": elf.EM_AARCH64, "ARMv7": elf.EM_ARM, "PPC64LE": elf.EM_PPC64, "X86": elf.EM_386, "X86_64": elf.EM_X86_64, "unknown": elf.EM_X86_64,
	}
	for _, name := range options[optCPUArch].Allowed {
		if got := machines[name]; got == 0 || got != hostobj.Machine(want[name]) {
			t.Errorf("%s: e_machine %d, want %d", name, got, want[name])
		}
	}
}
