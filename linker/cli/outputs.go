package cli

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
)

// writeOutputs writes what the command line asks for: the image, a fatbin.
func (r *run) writeOutputs(all []linked) error {
	c := r.line
	if c.given(optOutputFile) && len(all) == 1 {
		if err := r.write(optOutputFile, all[0].res.Image); err != nil {
			return err
		}
	}
	if !c.given(optFatbin) {
		return nil
	}
	container, err := fatbin.Write(images(all))
	if err != nil {
		return err
	}
	return r.write(optFatbin, container)
}

// write writes the file that an option names.
func (r *run) write(id optionID, data []byte) error {
	if writeFile(r.line.text(id), data) != nil {
		return r.diag.Fatal(diag.NoOutput, r.line.text(id))
	}
	return nil
}

// images are the linked images as entries of a container.
func images(all []linked) []fatbin.Image {
	out := make([]fatbin.Image, len(all))
	for i := range all {
		out[i] = fatbin.Image{Number: uint32(all[i].target.SM), Variant: fatbin.Variant(all[i].target.Suffix), Cubin: all[i].res.Image}
	}
	return out
}

// writeRegister writes the file of --register-link-binaries, which lists the modules that were linked. It is written after
// links that ended in errors, too, but not after fatal ones (observed).
func (r *run) writeRegister(l *linked) error {
	if !r.line.given(optRegister) {
		return nil
	}
	var dropped []int
	if l.res != nil {
		dropped = l.res.DroppedSources
	}
	return r.write(optRegister, []byte(l.in.RegisterText(dropped)))
}

var _ = arch.Real
