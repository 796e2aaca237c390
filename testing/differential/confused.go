package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// confused reports whether a link that differs does so only where nvlink is known to be wrong about functions of one name: from sm_100 on
// it takes one for the other in files that it linked relocatably, and in the lists of --preserve-relocs (docs/differences.md).
func confused(dir string, p *program, j job, made map[string]bool, want, got outcome) (bool, error) {
	if p.target.SM < 100 || len(j.stages) == 0 && !slices.Contains(j.args, "--preserve-relocs") || want.text != got.text || want.image == nil || got.image == nil {
		return false, nil
	}
	names, err := likeNamed(dir, j.inputs)
	if err != nil || len(names) == 0 {
		return false, err
	}
	keys, err := differences(made, want.image, got.image)
	return err == nil && !slices.ContainsFunc(keys, func(key string) bool { return !ofFunctions(strings.Fields(key), names) }), nil
}

// likeNamed lists the functions of some files that have the name of a local function.
func likeNamed(dir string, inputs []string) (map[string]bool, error) {
	defined, local := map[string]int{}, map[string]bool{}
	for _, name := range inputs {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f, err := cubin.Parse(data)
		if err != nil {
			continue // nvlink has its own opinion of such a file
		}
		for i := range f.Symbols {
			if y := &f.Symbols[i]; y.Type() == cubin.STTFunc && y.Shndx != cubin.SHNUndef {
				defined[y.Name]++
				local[y.Name] = local[y.Name] || y.Binding() == cubin.STBLocal
			}
		}
	}
	for name := range local {
		if !local[name] || defined[name] < 2 {
			delete(local, name)
		}
	}
	return local, nil
}

// wavers reports whether nvlink makes another image when it is run once more: it has then written memory that it never set.
func (t *tools) wavers(ctx context.Context, dir string, p *program, j job, want outcome) (bool, error) {
	again, err := start(ctx, dir, t.nvlink, j.command(p), output)
	return !bytes.Equal(again.image, want.image), err
}
