package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// ptxas runs the PTX compiler. nvlink has one inside; we run the toolkit's.
type ptxas struct {
	o *Options
	// tool finds the program, "" when there is none; it is only looked for when an input needs it.
	tool func() string
}

func newPtxas(o *Options) *ptxas {
	return &ptxas{o, sync.OnceValue(func() string { return findPtxas(o) })}
}

// findPtxas looks where Options.Ptxas says, else in CudaHome/bin and the directories of Path.
func findPtxas(o *Options) string {
	if o.Ptxas != "" {
		return o.in(o.Ptxas)
	}
	dirs := o.Path
	if o.CudaHome != "" {
		dirs = append([]string{filepath.Join(o.CudaHome, "bin")}, dirs...)
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		p := filepath.Join(o.in(dir), "ptxas")
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return p
		}
	}
	return ""
}

// forbidden are options of ptxas that name files: text in an input must not make us read or write any.
var forbidden = [...]string{"-o", "--output-file", "-optf", "--options-file", "-ao", "--api-file"}

// arguments are ptxas's options for a piece of PTX: the reference's own, then those that the entry states.
func (p *ptxas) arguments(t *take) ([]string, error) {
	target := p.o.Target
	if target.Suffix == arch.Family {
		target.Suffix = arch.Plain // whatever the PTX is for (observed)
	}
	args := []string{"-m64", "-c", "-arch=sm_" + target.String()}
	if p.o.DebugPTX {
		args = append(args, "-g")
	}
	for _, a := range strings.Fields(t.options) {
		if a == "--compile-only" || a == "-c" {
			continue
		}
		name, _, _ := strings.Cut(a, "=")
		for _, f := range forbidden {
			if name == f {
				return nil, fmt.Errorf("its options name a file: %q", a)
			}
		}
		args = append(args, a)
	}
	return args, nil
}

// compile returns the device ELF of a piece of PTX; nil when t.found says why there is none.
func (p *ptxas) compile(ctx context.Context, t *take, text []byte) ([]byte, error) {
	tool := p.tool()
	if tool == "" {
		if !t.dropped { // what is dropped need not be compiled to be linked as the reference does
			t.say(diag.NoPtxas, t.module.Name)
		}
		return nil, nil
	}
	args, err := p.arguments(t)
	if err != nil {
		t.refuse(err.Error())
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "culink-ptx-")
	if err != nil {
		return nil, t.describe(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, ptxName), filepath.Join(dir, imageName)
	if err := os.WriteFile(in, bytes.TrimRight(text, "\x00"), 0o600); err != nil {
		return nil, t.describe(err)
	}
	cmd := exec.CommandContext(ctx, tool, append(args, in, "-o", out)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	err = cmd.Run()
	t.elapsed = &Compilation{Input: t.module.Name, Elapsed: time.Since(start)}
	if said.Len() > 0 {
		t.found = append(t.found, step{id: diag.RawText, args: []any{p.words(said.String(), in)}})
	}
	if err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || ctx.Err() != nil {
			t.say(diag.UnsupportedInput, t.module.Name, fmt.Sprintf("ptxas cannot be run: %v", err))
			return nil, ctx.Err()
		}
		t.say(diag.FatbinaryError)
		return nil, nil
	}
	code, err := os.ReadFile(out)
	if err != nil {
		return nil, t.describe(err)
	}
	forgetFiles(code)
	return code, nil
}

// Names of the files that ptxas is given.
const (
	ptxName   = "input.ptx"
	imageName = "elf.o" // what the reference's compiler, which writes no file, calls its output (observed)
)

// forgetFiles takes the files' names out of the options in a cubin's tool note: with debug information ptxas notes them, the reference's
// compiler has none (observed). A note that is not as ptxas writes it stays.
func forgetFiles(code []byte) {
	f, err := cubin.Parse(code)
	if err != nil || f.ABI() != 8 {
		return
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type != cubin.SHTNote || s.Name != ".note.nv.tkinfo" {
			continue
		}
		r := nvinfo.ReadNotes(s.Data)
		if !r.Next() || r.Type != nvinfo.NoteTkinfo {
			return
		}
		info, err := nvinfo.DecodeTkinfo(r.Desc)
		if err != nil || r.Next() {
			return
		}
		info.Options = strings.Replace(strings.TrimPrefix(info.Options, ptxName+" "), "-o "+imageName+" ", "", 1)
		note := info.Note().Append(nil)
		if len(note) > len(s.Data) {
			return
		}
		copy(code[s.Offset:], note)
		const sizeAt = 32 // of sh_size in an ELF64 section header
		binary.LittleEndian.PutUint64(code[f.Shoff+uint64(i)*cubin.ShdrSize+sizeAt:], uint64(len(note)))
	}
}

// words puts the reference's name for PTX in memory in the place of our file's.
func (p *ptxas) words(said, file string) string {
	said = strings.ReplaceAll(said, file, "application ptx input")
	if !strings.HasSuffix(said, "\n") {
		said += "\n"
	}
	return said
}
