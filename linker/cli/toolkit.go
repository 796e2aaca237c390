package cli

import (
	"fmt"
	"os"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// chooseToolkit says which release's behaviour a command line gets: that of --toolkit, or the oldest known release that
// reads all inputs. This is decided before the command line is read in earnest, since releases know different options.
func chooseToolkit(args []string) (*arch.Toolkit, error) {
	c := &commandLine{Toolkit: arch.Newest()}
	p := &parser{line: c, names: names(c.Toolkit), read: readOptionsFile, frames: []frame{{tokens: args}}, diag: &diag.Collector{}}
	for {
		arg, depth, ok := p.next()
		if !ok {
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			c.Inputs = append(c.Inputs, arg)
			continue
		}
		_ = p.option(arg, depth) // reported when the line is read in earnest
	}
	if c.given(optToolkit) {
		t, ok := arch.ToolkitByName(c.text(optToolkit))
		if !ok {
			return nil, fmt.Errorf("--toolkit=%s: not a release that culink imitates", c.text(optToolkit))
		}
		return t, nil
	}
	var s scan
	for _, in := range c.Inputs {
		s.file(in)
	}
	t, err := arch.ForInputs(s.word, s.abi8)
	if err != nil || !s.found {
		t = arch.Newest()
	}
	return t, nil
}

// scan collects what inputs say about the release that made them.
type scan struct {
	word  int
	abi8  bool
	found bool
}

func (s *scan) file(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	head := make([]byte, 64)
	if n, _ := f.Read(head); n < 64 {
		return
	}
	h, err := cubin.ReadHeader(head)
	if err != nil {
		return
	}
	s.found = true
	if h.ABI() == 8 {
		s.abi8 = true
	} else {
		s.word = max(s.word, int(h.Version))
	}
}
