package input

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/culink/culink/linker/ar"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
)

// stage is where in the reference's loader a step stands. An error that was reported while an earlier input was loaded ends the link
// there (observed), with the stage's words.
type stage uint8

const (
	noStage     stage = iota
	objectStage       // host objects and archives: "elfLink internal error"
	fatbinStage       // fatbin files: "elfLink fatbinary error"
)

// step is one thing that a file has to say or to give. Steps are carried out in command-line order once all files are scanned.
type step struct {
	stage stage
	// id and args are a message, if id is not none. leads marks a fatal message that another one follows.
	id    diag.ID
	args  []any
	leads bool
	// cause and note say more about the case under culink's own name (diag.Message).
	cause, note string
	// take is a module, or a file without code for the target that is registered.
	take *take
}

const none diag.ID = -1

// take is code that was chosen and is not unpacked yet.
type take struct {
	module Module
	ids    []string
	// entry is the container's entry that holds the code; nil when payload is the code. ptx says that the code is PTX, with ptxas's options.
	entry   *fatbin.Entry
	payload []byte
	ptx     bool
	options string
	// mapped: the code's bytes may be those of a mapped file.
	mapped bool
	// absent: there is no code for the target. dropped: the code is compiled for its errors and then left out.
	absent, dropped bool
	// constructor: the identifiers are of modules with constructors.
	constructor bool

	// What the second stage found: steps to carry out before the module is added, and whether it is left out.
	found   []step
	leftOut bool
	elapsed *Compilation
}

// scan reads one file.
type scan struct {
	o    *Options
	name string // as messages show it
	path string // to open it
	file *file
	// archived: the file is an archive. mapped: bytes of the scan may be those of a mapped file.
	archived, mapped bool
	steps            []step
	refs             references
	// whole are the host objects whose device code is no input of a link.
	whole []string
	// extra are the files of thin members.
	extra []*file
}

// keep holds on to the file of a thin member until the result is closed.
func (s *scan) keep(f *file) {
	s.extra = append(s.extra, f)
	s.mapped = s.mapped || f.mapped
}

// references is what a file says about host references.
type references struct {
	// missing is set when the file has code, or is a host object, without the information: then no kernel is removed in the whole link.
	missing            bool
	external, internal []string
	variables          []string
}

// errStop ends a scan behind a fatal message.
var errStop = errors.New("stop")

func (s *scan) report(id diag.ID, args ...any) { s.steps = append(s.steps, step{id: id, args: args}) }

// stop reports fatal messages and ends the scan.
func (s *scan) stop(id diag.ID, args ...any) error {
	s.report(id, args...)
	return errStop
}

// lead reports the first of two fatal messages.
func (s *scan) lead(id diag.ID, args ...any) {
	s.steps = append(s.steps, step{id: id, args: args, leads: true})
}

func (s *scan) enter(g stage) { s.steps = append(s.steps, step{stage: g, id: none}) }

// lost tells what the reference loses: on request when culink loses it too, always when culink links it.
func (s *scan) lost(name, why string) {
	switch {
	case !s.o.AsReference:
		s.report(diag.RescuedCode, name, why)
	case s.o.Warn:
		s.report(diag.LostCode, name, why)
	}
}

// ignored tells that a file contributes nothing.
func (s *scan) ignored(name, why string) {
	if !s.o.AsReference || s.o.Warn {
		s.report(diag.IgnoredInput, name, why)
	}
}

// compileIt is what to do about a file that is no input of a link.
const compileIt = "inputs are relocatable cubins, host objects, fatbins, archives of these, and PTX: what comes out of a compilation with -rdc=true (ptxas: -c; clang: -fgpu-rdc)."

// compileSource is what to do about a file whose extension is a source file's.
const compileSource = "this seems to be source code: compile it first (nvcc -dc FILE; clang: -fgpu-rdc -c FILE) and link the object."

// noInput ends the scan of a file that is of no kind that can be linked.
func (s *scan) noInput(why string) error {
	note := compileIt
	switch ext, _ := extension(s.name); ext {
	case "cu", "cc", "cpp", "cxx", "c":
		note = compileSource
	}
	s.steps = append(s.steps, step{id: diag.UnsupportedInput, args: []any{s.name, why}, note: note})
	return errStop
}

// refuse ends the scan with culink's own words.
func (s *scan) refuse(name, why string) error { return s.stop(diag.UnsupportedInput, name, why) }

// damaged ends the scan at a container that cannot be read, in culink's own words.
func (s *scan) damaged(name string, err error) error {
	const makeAgain = "the file is cut short or damaged: make it again."
	s.steps = append(s.steps, step{id: diag.UnsupportedInput, args: []any{name, err.Error()}, note: makeAgain})
	return errStop
}

func (s *scan) old() bool { return s.o.Toolkit.Word < firstOwnRules }

// firstOwnRules is the version word from which the rules observed of 13.0 hold; earlier ones are those of 12.4.
const firstOwnRules = 130

// The reference reads so many bytes to tell the kind of a file; a shorter file cannot be opened (observed).
const (
	headSize    = 56
	headSizeOld = 52
)

// run scans the file. Its steps tell what happened; the error says nothing more.
func (s *scan) run() error {
	f, err := s.o.Cache.open(s.path)
	if err != nil {
		return s.stop(diag.NoInputFile, s.name)
	}
	s.file, s.archived, s.mapped = f, ar.Is(f.data), f.mapped
	if len(f.data) == 0 && !s.o.AsReference {
		return s.noInput("the file is empty")
	}
	if len(f.data) == 0 {
		return nil
	}
	head := headSize
	if s.old() {
		head = headSizeOld
	}
	if len(f.data) < head && !ar.Is(f.data) {
		return s.stop(diag.NoInputFile, s.name)
	}
	if s.o.AsReference {
		return s.byExtension()
	}
	return s.byContent()
}

// extension is what follows the last dot of the base name; ok is false without a dot.
func extension(name string) (ext string, ok bool) {
	base := name[strings.LastIndexByte(name, '/')+1:]
	i := strings.LastIndexByte(base, '.')
	return base[i+1:], i >= 0
}

// byExtension finds out the kind of a file as the reference does (observed).
func (s *scan) byExtension() error {
	data := s.file.data
	ext, ok := extension(s.name)
	if !ok {
		if contentOf(data) != contentOther {
			s.lost(s.name, "its name has no extension")
		}
		return nil
	}
	kind := contentOf(data)
	switch ext {
	case "cubin":
		if !hostobj.IsELF(data) {
			return s.stop(diag.CubinNotELF)
		}
		if kind != contentCubin {
			return s.stop(diag.CubinNotDevice)
		}
		return s.cubin()
	case "fatbin":
		if kind != contentFatbin {
			return s.stop(diag.FatbinFormat)
		}
		return s.fatbin()
	case "ptx":
		return s.ptxFile(kind)
	case "nvvm", "ltoir":
		return s.stop(diag.NvvmWithoutLTO)
	case "bc":
		return s.stop(diag.BitcodeInput)
	}
	switch {
	case kind == contentArchive:
		return s.archive()
	case ext == "so":
		return nil
	case hostobj.IsELF(data) && elfType(data) == cubin.ETRel:
		if kind == contentCubin && ext == "o" {
			return s.cubin()
		}
		if kind == contentCubin {
			s.lost(s.name, "a cubin under the extension "+ext)
		}
		return s.host(data, s.name, false)
	}
	if kind != contentOther && kind != contentHost {
		s.lost(s.name, fmt.Sprintf("%s under the extension %s", kind, ext))
	}
	return nil
}

// firstLinkedPTX is the first target for which CUDA 13 links PTX files (observed).
const firstLinkedPTX = 90

// ptxFile takes a file with the extension ptx: content decides. Below sm_90 CUDA 13 drops what it has compiled (observed).
func (s *scan) ptxFile(kind content) error {
	if !s.old() && s.o.Target.SM < firstLinkedPTX {
		if kind == contentCubin || kind == contentFatbin {
			s.lost(s.name, fmt.Sprintf("%s under the extension ptx", kind))
			return nil
		}
		if !isPTX(s.file.data) {
			s.report(diag.UnrecognizedFormat)
			return s.stop(diag.FatbinaryError)
		}
		s.lost(s.name, "CUDA 13 drops PTX files once they are compiled")
		return s.ptx(true)
	}
	switch {
	case kind == contentCubin:
		return s.cubin()
	case kind == contentFatbin:
		return s.fatbin()
	case !isPTX(s.file.data):
		s.report(diag.UnrecognizedFormat)
		return s.stop(diag.FatbinaryError)
	}
	return s.ptx(false)
}

// byContent finds out the kind of a file from its content, and refuses what it does not know.
func (s *scan) byContent() error {
	data := s.file.data
	kind := contentOf(data)
	ext, ok := extension(s.name)
	switch kind {
	case contentCubin:
		if !ok || ext != "cubin" && ext != "o" || ext == "o" && elfType(data) != cubin.ETRel {
			s.lost(s.name, "only cubins with the extension cubin, and relocatable ones with o, are taken")
		}
		return s.cubin()
	case contentFatbin:
		if ext != "fatbin" {
			s.lost(s.name, "only fatbins with the extension fatbin are taken")
		}
		return s.fatbin()
	case contentArchive:
		if !ok {
			s.lost(s.name, "its name has no extension")
		}
		return s.archive()
	case contentHost:
		if ext == "cubin" {
			return s.noInput("an ELF file for a host, not for a device")
		}
		if elfType(data) != cubin.ETRel {
			return nil // executables and shared libraries hold linked code only
		}
		if !ok {
			s.lost(s.name, "its name has no extension")
		}
		return s.host(data, s.name, false)
	case contentPTX:
		if ext != "ptx" || !s.old() && s.o.Target.SM < firstLinkedPTX {
			s.lost(s.name, "PTX files are not linked")
		}
		return s.ptx(false)
	case contentIR:
		return s.stop(diag.LTOInput, s.name)
	}
	switch ext {
	case "so":
		return nil // linker scripts go by this name
	case "nvvm", "ltoir", "bc":
		return s.stop(diag.LTOInput, s.name)
	}
	return s.noInput("it is none of the known kinds of files")
}

// pathName is how a file without an identifier of its own is registered: its absolute path, for a member with a colon and its name behind the archive's, in the characters of an
// identifier (observed; symbolic links and .. stay).
func (s *scan) pathName(p string) []string {
	if !path.IsAbs(p) {
		p = strings.TrimSuffix(s.o.cwd, "/") + "/" + p
	}
	b := []byte(p)
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_':
		default:
			b[i] = '_'
		}
	}
	return []string{string(b)}
}

// module is a module of the file; name is how messages call it.
func (s *scan) module(name string, fromArchive bool) Module {
	return Module{Name: name, Path: s.name, FromArchive: fromArchive, Cudadevrt: isRuntime(s.name)}
}

// isRuntime reports whether a file counts as the device runtime library: its path says so (observed).
func isRuntime(name string) bool { return strings.Contains(name, "cudadevrt") }

func (s *scan) take(t *take) {
	t.mapped = s.mapped
	s.steps = append(s.steps, step{id: none, take: t})
}

// cubin takes the file as a device ELF.
func (s *scan) cubin() error {
	s.refs.missing = true
	s.take(&take{module: s.module(s.name, false), ids: s.pathName(s.name), payload: s.file.data})
	return nil
}

// ptx takes the file as PTX text.
func (s *scan) ptx(dropped bool) error {
	t := &take{module: s.module(s.name, false), payload: s.file.data, ptx: true, dropped: dropped}
	t.module.FromPTX = true
	if !dropped {
		t.ids = s.pathName(s.name)
		s.refs.missing = true
	}
	s.take(t)
	return nil
}

// fatbin takes the file as a container.
func (s *scan) fatbin() error {
	s.enter(fatbinStage)
	s.refs.missing = true
	return s.containers(s.file.data, s.name, moduleIDs{s.pathName(s.name), false}, false)
}
