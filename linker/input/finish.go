package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
)

func (t *take) say(id diag.ID, args ...any) { t.found = append(t.found, step{id: id, args: args}) }

// refuse ends the link at this module with culink's own words.
func (t *take) refuse(why string) { t.say(diag.UnsupportedInput, t.module.Name, why) }

// finish unpacks, compiles and tests the code. Its error is that of the system; what is wrong with the code goes to t.found.
func (t *take) finish(ctx context.Context, o *Options, u *fatbin.Unpacker, ptxas *ptxas, p *cubin.Parser) error {
	code := t.payload
	if t.entry != nil {
		var err error
		if code, err = t.unpack(o, u); err != nil || code == nil {
			return err
		}
	}
	if t.ptx {
		compiled, err := ptxas.compile(ctx, t, code)
		if err != nil || compiled == nil {
			return err
		}
		code = compiled
	}
	if t.dropped {
		return nil
	}
	if t.mapped && !t.ptx && (t.entry == nil || !t.entry.Compressed()) {
		code = bytes.Clone(code) // the link works on bytes that stay
	}
	t.module.Cubin = code
	t.check(o, p)
	return nil
}

// unpack returns nil for a payload that does not unpack.
func (t *take) unpack(o *Options, u *fatbin.Unpacker) ([]byte, error) {
	if o.AsReference && !o.Toolkit.Zstd && t.entry.Flags&fatbin.FlagZstd != 0 && t.entry.Flags&fatbin.FlagLZ4 == 0 {
		t.say(diag.UncompressFailed)
		t.say(diag.FatbinaryError)
		return nil, nil
	}
	code, err := u.Payload(t.entry)
	switch {
	case err == nil:
		return code, nil
	case errors.Is(err, fatbin.ErrTooLarge), !o.AsReference && errors.Is(err, fatbin.ErrUncompress):
		t.refuse(err.Error())
		return nil, nil
	case errors.Is(err, fatbin.ErrUncompress):
		t.say(diag.UncompressFailed)
		t.say(diag.FatbinaryError)
		return nil, nil
	}
	return nil, err
}

// check tests a device ELF in the reference's order: what is no sound file or an executable contributes nothing; then
// come architecture, ABI and version (observed).
func (t *take) check(o *Options, p *cubin.Parser) {
	code, name := t.module.Cubin, t.module.Name
	h, err := cubin.ReadHeader(code)
	if t.module.FromContainer && (err != nil || h.Machine != cubin.EMCUDA) {
		if !o.AsReference {
			t.refuse("what its container holds is no device code")
			return
		}
		t.say(diag.SizeMismatchOf(o.is64()), name)
		return
	}
	var sections sectionTable
	if f, err := p.Parse(code); err == nil {
		t.module.File, sections = f, parsed{f}
	} else if sections, err = soundFile(code); err != nil {
		t.leaveOut(o, err.Error(), "")
		if o.AsReference && o.Toolkit.Word < firstOwnRules {
			t.leftOut, t.absent, t.ids = false, true, []string{"(null)"} // what 12.4 registers (observed)
		}
		return
	}
	switch {
	case h.Type == cubin.ETExec:
		t.leaveOut(o, "it is linked already, or was compiled without -rdc=true", compileIt)
		return
	case sections.Is64() != o.is64():
		t.say(diag.SizeMismatchOf(o.is64()), name)
		return
	case err != nil:
		t.leaveOut(o, err.Error(), "")
		return
	}
	t.checkTarget(o, &h, sections)
}

// sectionTable is what check asks of a file.
type sectionTable interface {
	// Section finds the bytes of the first section of a name; nil when there is none, or it has none.
	Section(name string) []byte
	// Is64 reports whether the file's class is ELF64.
	Is64() bool
}

// parsed is the section table of a file that cubin.Parse took: it is sound.
type parsed struct{ file *cubin.File }

func (p parsed) Section(name string) []byte {
	if i := p.file.Find(name); i != 0 {
		return p.file.Sections[i].Data
	}
	return nil
}

func (p parsed) Is64() bool { return p.file.Class == cubin.Class64 }

// soundFile is the section table of an ELF file that the link cannot parse but the reference would take.
func soundFile(code []byte) (sectionTable, error) {
	f, err := hostobj.ReadFile(code)
	if err != nil {
		return nil, err
	}
	return f, f.Sound(withoutBytes)
}

// withoutBytes tells the section types of device ELFs that take no room in the file.
func withoutBytes(typ uint32) bool {
	s := cubin.Section{Type: cubin.SectionType(typ)}
	return s.NoBits()
}

// leaveOut is for code that the reference silently does not take. note is what to do about it.
func (t *take) leaveOut(o *Options, why, note string) {
	t.leftOut = true
	switch {
	case !o.AsReference:
		t.found = append(t.found, step{id: diag.UnsupportedInput, args: []any{t.module.Name, why}, note: note})
	case o.Warn:
		t.say(diag.LostCode, t.module.Name, why)
	}
}

// checkTarget tests what a device ELF was made for, and by which release.
func (t *take) checkTarget(o *Options, h *cubin.Header, f sectionTable) {
	in := arch.Arch{SM: h.SM(), Suffix: suffixOf(h, f)}
	old := o.Toolkit.Word < firstOwnRules
	if old {
		in.SM = int(h.Flags & 0xff) // 12.4 reads the flags of every object as its own (observed)
	}
	if o.is64() && (old || h.OSABI != cubin.OSABI8) && h.Flags&arch.Flags64Bit == 0 {
		t.say(diag.Expected64Bit, t.module.Name)
	}
	badABI := !o.readsABI(h)
	switch {
	case badABI && !old:
		t.say(diag.AbiMismatch, t.module.Name)
	case !o.Toolkit.Accepts(o.Target, in): // whatever an entry said of it (observed)
		t.refuseArch(o, h, in)
	case badABI: // 12.4 asks for the architecture first (observed)
		t.say(diag.AbiMismatch, t.module.Name)
	default:
		t.checkVersion(o, h, f, in.SM)
	}
}

// readsABI reports whether the release takes objects of that dialect.
func (o *Options) readsABI(h *cubin.Header) bool {
	if o.Toolkit.Word < firstOwnRules { // EI_OSABI is not looked at (observed)
		return h.ABIVersion == cubin.ABIVersion7
	}
	if h.OSABI != cubin.OSABI8 && h.Flags&unknownFlag != 0 {
		return false
	}
	switch h.ABI() {
	case 7:
		return o.Toolkit.ReadsABI7
	case 8:
		return o.Toolkit.ReadsABI8
	}
	return false
}

// refuseArch words code that is for another architecture than the target.
func (t *take) refuseArch(o *Options, h *cubin.Header, in arch.Arch) {
	name := t.module.Name
	if o.Toolkit.Word >= firstOwnRules && o.Target.SM >= firstMercury && (h.OSABI != cubin.OSABI8 || h.Flags&cubin.StateMercury == 0) {
		t.say(diag.LimitedToArch, o.Target.SM, name)
	}
	if in.SM == 0 { // any other number has a name, known or not (observed)
		t.say(diag.UnknownArch, "sm_0")
		return
	}
	t.found = append(t.found, step{id: diag.ArchMismatch, args: []any{name, o.targetName()}, cause: "it is code for sm_" + in.String()})
}

// checkVersion tests which release made the code.
func (t *take) checkVersion(o *Options, h *cubin.Header, f sectionTable, sm int) {
	name := t.module.Name
	word, ok := versionOf(h, f)
	if !ok {
		return
	}
	var version *arch.VersionError
	if err := o.Toolkit.CheckVersion(sm, word); errors.As(err, &version) {
		switch {
		case version.TooOld:
			t.say(diag.RecompileToolkit, name)
			return
		case o.AcceptNewer && h.ABI() != 7: // no release after 12.9 writes ABI 7
			t.say(diag.NewerThanKnown, name, version.Word, version.Toolkit)
		default:
			if h.ABI() == 7 {
				version.Word = int(int32(h.Version)) // as the reference prints it
			}
			t.say(diag.NewerThanToolkit, name, version.Word, version.Toolkit)
			return
		}
	}
	if h.Type == cubin.ETExtensible && word != o.Toolkit.Word {
		t.say(diag.EwpToolkit)
	}
}

// unknownFlag is a bit of e_flags that 13.0 does not take in ABI 7 objects (observed).
const unknownFlag = 1 << 31

// cuinfoVersionAt is where .note.nv.cuinfo of an ABI 8 object has ten times the version of its toolkit (observed).
const cuinfoVersionAt = 28

// compatAccelerated is how .nv.compat begins in code for an architecture with the suffix a.
var compatAccelerated = [...]byte{2, 9, 1}

// suffixOf is the letter of a device ELF's architecture as far as the file tells it: f is not told from none, and need not
// be, since both serve the same targets.
func suffixOf(h *cubin.Header, f sectionTable) arch.Suffix {
	if h.ABI() == 7 && h.Flags&arch.FlagsAccelerated != 0 ||
		h.ABI() == 8 && bytes.HasPrefix(f.Section(".nv.compat"), compatAccelerated[:]) {
		return arch.Accelerated
	}
	return arch.Plain
}

// versionOf is the version word of a device ELF: e_version up to CUDA 12, the note's word later; ok is false without a note.
func versionOf(h *cubin.Header, f sectionTable) (word int, ok bool) {
	if h.ABI() == 7 {
		return int(min(h.Version, 1<<16)), true
	}
	note := f.Section(".note.nv.cuinfo")
	if len(note) < cuinfoVersionAt+2 {
		return 0, false
	}
	return int(binary.LittleEndian.Uint16(note[cuinfoVersionAt:])), true
}

// describe is the text of an error with the module's name, for logs of failures of the system.
func (t *take) describe(err error) error { return fmt.Errorf("%s: %w", t.module.Name, err) }
