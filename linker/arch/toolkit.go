package arch

import (
	"fmt"
	"strings"
)

// Positions in the table of toolkits, oldest first.
const (
	toolkit124 = iota
	toolkit130
	toolkitCount
)

// Toolkit is one version of the reference linker that images can be made like. Rows are shared: callers must not change
// them. A further version is a further row and a further column of Profile.toolkits.
type Toolkit struct {
	index int

	Name string // "13.0", as --toolkit takes it
	// Word is ten times the version: 124, 130. An input whose word is larger is refused.
	Word int
	// ABI is 7 or 8: it decides the file header, the section types in the image and the numbering.
	ABI int
	// ReadsABI7 and ReadsABI8 say which dialects are taken as input.
	ReadsABI7, ReadsABI8 bool
	// Zstd says that fatbin entries may be zstd frames; LZ4 blocks are always taken.
	Zstd bool
	// RelocatableLink says that -r makes a relocatable output; before, the option changes nothing.
	RelocatableLink bool

	Tool    string // first string of .note.nv.tkinfo
	Release string // second string of .note.nv.tkinfo, and the fourth line of --version
	Build   string // third string of .note.nv.tkinfo, and the fifth line of --version
	Built   string // third line of --version
	Years   string // copyright years in the second line of --version
}

// toolkits is in the order of the constants above.
var toolkits = [toolkitCount]Toolkit{
	{
		index: toolkit124, Name: "12.4", Word: 124, ABI: 7, ReadsABI7: true,
		Tool:    "nvlink",
		Release: "Cuda compilation tools, release 12.4, V12.4.131",
		Build:   "Build cuda_12.4.r12.4/compiler.34097967_0",
		Built:   "Built on Thu_Mar_28_02:18:24_PDT_2024",
		Years:   "2005-2024",
	},
	{
		index: toolkit130, Name: "13.0", Word: 130, ABI: 8, ReadsABI7: true, ReadsABI8: true,
		Zstd: true, RelocatableLink: true,
		Tool:    "nvlink",
		Release: "Cuda compilation tools, release 13.0, V13.0.88",
		Build:   "Build cuda_13.0.r13.0/compiler.36424714_0",
		Built:   "Built on Wed_Aug_20_01:58:59_PM_PDT_2025",
		Years:   "2005-2025",
	},
}

// CUDA124 and CUDA130 are the toolkits that the project is compared with.
func CUDA124() *Toolkit { return &toolkits[toolkit124] }

// CUDA130 is the row of CUDA 13.0.
func CUDA130() *Toolkit { return &toolkits[toolkit130] }

// Toolkits lists all rows, oldest first.
func Toolkits() []*Toolkit {
	all := make([]*Toolkit, toolkitCount)
	for i := range toolkits {
		all[i] = &toolkits[i]
	}
	return all
}

// ToolkitByWord is the newest toolkit whose version word is at most word, the oldest if there is none.
func ToolkitByWord(word int) *Toolkit {
	for i := toolkitCount - 1; i > 0; i-- {
		if toolkits[i].Word <= word {
			return &toolkits[i]
		}
	}
	return &toolkits[0]
}

// ToolkitByName finds "12.4" or "13.0".
func ToolkitByName(name string) (*Toolkit, bool) {
	for i := range toolkits {
		if toolkits[i].Name == name {
			return &toolkits[i], true
		}
	}
	return nil, false
}

// Newest is the toolkit of the last row.
func Newest() *Toolkit { return &toolkits[toolkitCount-1] }

// ForInputs chooses the toolkit to be like from the inputs: the oldest that reads all of them. word is the largest version
// word among them (e_version for ABI 7, the word in .note.nv.cuinfo for ABI 8; 0 when there is none), abi8 says
// whether any of them has ABI 8, zstd whether any is compressed that way. If all toolkits are older than word, the error is a *VersionError for the newest.
func ForInputs(word int, abi8, zstd bool) (*Toolkit, error) {
	for i := range toolkits {
		t := &toolkits[i]
		if word <= t.Word && (t.ReadsABI8 || !abi8) && (t.Zstd || !zstd) {
			return t, nil
		}
	}
	return nil, &VersionError{Word: word, Toolkit: Newest().Word}
}

// VersionError reports an input that a toolkit does not take because of its version.
type VersionError struct {
	Word    int  // of the input
	Toolkit int  // of the linker
	TooOld  bool // otherwise too new
}

func (e *VersionError) Error() string {
	if e.TooOld {
		return fmt.Sprintf("made by CUDA %d.%d, which is too old for this architecture", e.Word/10, e.Word%10)
	}
	return fmt.Sprintf("made by CUDA %d.%d, newer than %d.%d", e.Word/10, e.Word%10, e.Toolkit/10, e.Toolkit%10)
}

// oldestHopper is the first toolkit whose sm_90 objects are taken (observed of 12.4 and 13.0).
const oldestHopper = 120

// CheckVersion tests the version word of an input for architecture sm. The error is a *VersionError.
func (t *Toolkit) CheckVersion(sm, word int) error {
	switch {
	case word > t.Word:
		return &VersionError{Word: word, Toolkit: t.Word}
	case sm == 90 && word < oldestHopper:
		return &VersionError{Word: word, Toolkit: t.Word, TooOld: true}
	}
	return nil
}

// Has reports whether the toolkit links for a.
func (t *Toolkit) Has(a Arch) bool {
	p, ok := Lookup(a.SM)
	if !ok {
		return false
	}
	s := byte('.')
	if a.Suffix != Plain {
		s = byte(a.Suffix)
	}
	return strings.IndexByte(p.toolkits[t.index], s) >= 0
}

// Archs lists the architectures that the toolkit links for, by number, each plain, then a, then f.
func (t *Toolkit) Archs() []Arch {
	var out []Arch
	for i := range profiles {
		for _, s := range []byte(profiles[i].toolkits[t.index]) {
			a := Arch{SM: profiles[i].SM, Suffix: Suffix(s)}
			if s == '.' {
				a.Suffix = Plain
			}
			out = append(out, a)
		}
	}
	return out
}

// Bits of e_flags in ABI 7 that say something of the target (observed).
const (
	Flags64Bit       = 0x400 // EF_CUDA_64BIT_ADDRESS
	FlagsAccelerated = 0x800 // the target has the suffix a
)
