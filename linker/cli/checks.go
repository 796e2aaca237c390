package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/uidx"
)

// conflict is a pair of options that exclude each other, or an option that needs another.
type conflict struct {
	first, second optionID
	// needs turns the row around: first without second is the conflict.
	needs       bool
	left, right string // as the message names them
	// early conflicts are found by releases before 13.0 right behind the parser.
	early bool
}

// first64BitOnly is the first architecture without 32-bit code (observed of CUDA 11.8).
const first64BitOnly = 90

// conflicts are in the order in which the reference tests them (observed).
var conflicts = []conflict{
	{optSuppressDebugInfo, optDebug, true, "-suppress-debug-info", "no -g", true},
	{optDumpCallgraph, optDumpCallgraphRaw, false, "-dump-callgraph", "-dump-callgraph-no-demangle", true},
	{optUseHostInfo, optIgnoreHostInfo, false, "-use-host-info", "-ignore-host-info", true},
	{optForcePartialLTO, optLTO, true, "-force-partial-lto", "no -dlto", false},
	{optForceWholeLTO, optLTO, true, "-force-whole-lto", "no -dlto", false},
	{optEmitPTX, optLTO, true, "-emit-ptx", "no -dlto", false},
	{optOfastCompile, optLTO, true, "--Ofast-compile", "no -dlto", false},
}

// checks tests what the options say together, in the reference's order (observed). done says that the run ends without a
// link.
func (r *run) checks() (done bool, err error) {
	c, old := r.line, r.line.Toolkit.Word < arch.CUDA130().Word
	if old {
		if err := r.earlyChecks(); err != nil {
			return true, err
		}
	}
	if c.given(optGhls) {
		return true, r.hostLinkerScript()
	}
	if !c.given(optArch) {
		return true, r.diag.Fatal(diag.UnknownArch, "(null)")
	}
	targets, err := r.targets()
	if err != nil {
		return true, err
	}
	target := targets[0]
	switch {
	case !r.reference && target.Kind == arch.Virtual: // the reference reads the inputs, writes nothing, and says so neither
		return true, r.diag.Fatal(diag.VirtualTarget, c.text(optArch))
	case len(targets) > 1 && !c.hasOutput(len(targets)) && c.given(optOutputFile):
		return true, r.diag.FatalNote("-o takes the image for one architecture; give --fatbin, --host-object or --host-source for several.", diag.NoOutputFile)
	case target.Kind == arch.Real && !c.hasOutput(len(targets)):
		return true, r.diag.Fatal(diag.NoOutputFile)
	case len(c.Inputs) == 0:
		return true, r.diag.Fatal(diag.NoInputFiles)
	}
	if !old {
		if err := r.earlyChecks(); err != nil {
			return true, err
		}
	}
	if c.class() == cubin.Class32 {
		for _, t := range targets {
			if t.SM >= first64BitOnly || c.Toolkit.ABI != 7 {
				return true, r.diag.Fatal(diag.NoClass32, t.String())
			}
		}
	}
	if target.Kind == arch.LTO {
		return true, r.diag.Fatal(diag.VirtualTarget, c.text(optArch))
	}
	if err := r.conflicts(false); err != nil {
		return true, err
	}
	if err := r.laterChecks(); err != nil {
		return true, err
	}
	if !r.reference {
		if name := c.overwritten(); name != "" {
			return true, r.diag.Fatal(diag.OutputIsInput, name)
		}
	}
	return false, nil
}

// overwritten is the output file if it is one of the inputs, under the same base name: an option's value that is missing or in the
// wrong place. The reference overwrites it.
func (c *commandLine) overwritten() string {
	out := c.text(optOutputFile)
	if out == "" {
		return ""
	}
	base := filepath.Base(out)
	for _, in := range c.Inputs {
		if filepath.Base(in) != base {
			continue
		}
		a, errA := os.Stat(out)
		b, errB := os.Stat(in)
		if errA == nil && errB == nil && os.SameFile(a, b) && a.Mode().IsRegular() {
			return out
		}
	}
	return ""
}

// earlyChecks are those that releases before 13.0 make right behind the parser. The words about -use-host-info come
// here and whether or not the link would heed it (observed).
func (r *run) earlyChecks() error {
	if err := r.conflicts(true); err != nil {
		return err
	}
	if c := r.line; c.given(optUseHostInfo) && c.filtersKernels() {
		r.diag.Report(diag.IgnoreHostInfo)
	}
	return nil
}

// conflicts reports the first conflict of the early or the late ones.
func (r *run) conflicts(early bool) error {
	for _, x := range conflicts {
		second := r.line.given(x.second) || x.second == optLTO && r.line.given(optDlto)
		if x.early == early && r.line.given(x.first) && second != x.needs {
			if !r.reference && x.second == optLTO {
				return r.diag.Fatal(diag.LTOOption, x.left)
			}
			return r.diag.Fatal(diag.ConflictingOptions, x.left, x.right)
		}
	}
	return nil
}

// laterChecks are those that follow the conflicts: link-time optimisation, the API version, and files that must open.
func (r *run) laterChecks() error {
	c := r.line
	if !r.reference && (c.given(optLTO) || c.given(optDlto)) {
		return r.diag.Fatal(diag.LTOOption, "-lto")
	}
	if c.given(optLTO) || c.given(optDlto) {
		if !c.given(optNvvmpath) {
			return r.diag.Fatal(diag.NvvmpathMissing)
		}
		if c.given(optForcePartialLTO) && c.given(optForceWholeLTO) {
			return r.diag.Fatal(diag.ConflictingOptions, "-force-partial-lto", "-force-whole-lto")
		}
		return r.diag.Fatal(diag.LinkerLibrary)
	}
	if c.given(optFdcmpt) {
		return r.diag.Fatal(diag.UnsupportedOption, "-fdcmpt")
	}
	if c.given(optCudaAPIVersion) {
		major, ok := apiMajor(c.text(optCudaAPIVersion))
		switch {
		case !ok:
			return r.diag.Fatal(diag.APIVersionSyntax)
		case major != c.Toolkit.Word/10:
			return r.diag.Fatal(diag.APIVersionMajor)
		}
	}
	if err := r.openTime(); err != nil {
		return err
	}
	for _, id := range []optionID{optUidx, optNvHost} {
		if c.given(id) && !opens(c.text(id)) {
			return r.diag.Fatal(diag.NoInputFile, c.text(id))
		}
	}
	return r.readIndex()
}

// readIndex reads the index file of the program's unified functions and variables.
func (r *run) readIndex() error {
	c := r.line
	if !c.given(optUidx) {
		return nil
	}
	name := c.text(optUidx)
	data, err := readIndexFile(name)
	if err != nil {
		return r.diag.Fatal(diag.OutOfMemory) // as the reference says of a folder
	}
	if len(data) == 0 {
		return r.diag.Fatal(diag.UnreadableUidx, name)
	}
	switch r.index, err = uidx.Parse(data, c.Toolkit.Word); {
	case errors.Is(err, uidx.ErrNotIndex):
		return r.diag.Fatal(diag.NotUidx)
	case err != nil:
		return r.diag.Fatal(diag.MalformedUidx)
	}
	return nil
}

// readIndexFile reads a file that an image will carry: none that is larger than any image.
func readIndexFile(name string) ([]byte, error) {
	const most = 1 << 30
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(data) > most {
		err = errors.New("it is larger than any index")
	}
	return data, err
}

// apiMajor reads the value of --cuda-api-version, which is two numbers around a dot.
func apiMajor(s string) (int, bool) {
	a, b, ok := strings.Cut(s, ".")
	major, err := strconv.Atoi(a)
	_, err2 := strconv.Atoi(b)
	return major, ok && err == nil && err2 == nil
}
