package cli

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
)

// writeOutputs writes what the command line asks for: the image, a fatbin, a host object or its source.
func (r *run) writeOutputs(all []linked) error {
	c := r.line
	if out := all[0].out; out != nil {
		if out.commit() != nil {
			return out.report(r.diag)
		}
		return nil
	}
	if c.given(optOutputFile) && len(all) == 1 {
		if err := r.write(optOutputFile, all[0].res.Image); err != nil {
			return err
		}
	}
	if !c.given(optFatbin) && !c.given(optHostObject) && !c.given(optHostSource) {
		return nil
	}
	container, err := r.container(all)
	if err != nil {
		return err
	}
	if c.given(optFatbin) {
		if err := r.write(optFatbin, container); err != nil {
			return err
		}
	}
	host := hostobj.Linked{Container: container, IDs: all[0].ids()}
	if c.given(optHostObject) {
		target := hostobj.X86_64
		if c.given(optCPUArch) {
			target = machines[c.text(optCPUArch)]
		}
		object, err := host.Object(target)
		if err != nil {
			return err
		}
		if err := r.write(optHostObject, object); err != nil {
			return err
		}
	}
	if c.given(optHostSource) {
		source, err := host.Source()
		if err != nil {
			return err
		}
		return r.write(optHostSource, source)
	}
	return nil
}

// streams reports whether the image goes to the output file alone, so that it need not be in memory as a whole.
func (r *run) streams(targets int) bool {
	c := r.line
	return c.given(optOutputFile) && targets == 1 && r.env("CULINK_REFERENCE") == "" &&
		!c.given(optFatbin) && !c.given(optHostObject) && !c.given(optHostSource)
}

// container holds the images of all targets.
func (r *run) container(all []linked) ([]byte, error) {
	images := make([]fatbin.Image, len(all))
	for i := range all {
		l := &all[i]
		images[i] = fatbin.Image{
			Number: uint32(l.target.SM), Variant: fatbin.Variant(l.target.Suffix), Cubin: l.res.Image, Debug: r.line.given(optDebug),
		}
		if p, ok := arch.Lookup(l.target.SM); !ok || !p.Mercury {
			continue
		}
		f, err := cubin.Parse(l.res.Image)
		if err != nil {
			return nil, err
		}
		if s := f.Find(".nv.compat"); s > 0 {
			images[i].Compat = f.Sections[s].Data
		}
	}
	return fatbin.Write(images)
}

// ids are the identifiers of the modules that register themselves with the image, without those that the link left out.
func (l *linked) ids() []string {
	dropped := map[int]bool{}
	for _, i := range l.res.DroppedSources {
		dropped[i] = true
	}
	var out []string
	for _, g := range l.in.Registrations {
		if g.Constructor && !dropped[g.Module] {
			out = append(out, g.ID)
		}
	}
	return out
}

// write writes the file that an option names.
func (r *run) write(id optionID, data []byte) error {
	o := &outputFile{name: r.line.text(id), signals: r.signals}
	if o.writeAll(data) != nil {
		return o.report(r.diag)
	}
	return nil
}

// writeDot writes the file of --dot-file. It, too, is written after links that ended in errors (observed).
func (r *run) writeDot(l *linked) error {
	if !r.line.given(optDotFile) || l.res == nil {
		return nil
	}
	return r.write(optDotFile, l.res.DotGraph)
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
