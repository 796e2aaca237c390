package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// chooseToolkit says which release's behaviour a command line gets: that of --toolkit or of CULINK_TOOLKIT,
// or the oldest known release that reads all inputs and knows the target. This is decided before the command line is read in earnest, since releases
// know different options.
func (r *run) chooseToolkit(args []string) (*arch.Toolkit, error) {
	c := &commandLine{Toolkit: arch.Newest()}
	p := &parser{line: c, names: names(c.Toolkit, r.reference), read: readOptionsFile, frames: []frame{{tokens: args}}, diag: &diag.Collector{}, anyArch: true}
	p.all(func(error) bool { return true }) // reported when the line is read in earnest
	if len(c.Inputs) >= manyInputs {
		r.tuneCollector() // before the first input is read, here or later
	}
	for _, asked := range [][2]string{{"--toolkit", c.text(optToolkit)}, {"CULINK_TOOLKIT", r.env("CULINK_TOOLKIT")}} {
		if asked[1] == "" {
			continue
		}
		t, ok := arch.ToolkitByName(asked[1])
		if !ok {
			return nil, fmt.Errorf("%s=%s: not a release that culink imitates; those are %s", asked[0], asked[1], releaseNames("and"))
		}
		r.fixed = true
		return t, nil
	}
	if t := releaseOf(r.env("CULINK_REFERENCE")); t != nil {
		return t, nil
	}
	if c.class() == cubin.Class32 {
		return arch.CUDA124(), nil // the last one with ABI 7, the only dialect that had 32-bit code
	}
	release := input.FindRelease(r.inputOptions(c, arch.Name{}))
	if !release.Found {
		return newestWith(c.firstArch()), nil
	}
	t, err := arch.ForInputs(release.Word, release.ABI8, release.Zstd)
	if err != nil {
		return arch.Newest(), nil
	}
	if _, err := t.Parse(c.firstArch()); err != nil {
		return newestWith(c.firstArch()), nil
	}
	return t, nil
}

// acceptsNewer reports whether inputs of releases that are not known yet are linked as t would: when it is the newest, and nobody asked for it
// in particular.
func (r *run) acceptsNewer(t *arch.Toolkit) bool {
	return t == arch.Newest() && !r.fixed && r.env("CULINK_REFERENCE") == ""
}

// releaseNames lists the releases that culink imitates, as text: "12.4 and 13.0".
func releaseNames(conjunction string) string {
	var names []string
	for _, t := range arch.Toolkits() {
		names = append(names, t.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}

// newestWith is the newest release that knows an architecture, or the newest of all.
func newestWith(name string) *arch.Toolkit {
	for _, t := range slices.Backward(arch.Toolkits()) {
		if _, err := t.Parse(name); err == nil {
			return t
		}
	}
	return arch.Newest()
}

// laterThan is the next release after t, or nil.
func laterThan(t *arch.Toolkit) *arch.Toolkit {
	all := arch.Toolkits()
	if next := slices.Index(all, t) + 1; next < len(all) {
		return all[next]
	}
	return nil
}

// releaseOf asks the linker that images are compared with for its release: nil if there is none or it is not known.
func releaseOf(reference string) *arch.Toolkit {
	if reference == "" {
		return nil
	}
	said, err := referenceCommand(context.Background(), reference, "--version").Output()
	if err != nil {
		return nil
	}
	for _, t := range arch.Toolkits() {
		if strings.Contains(string(said), "release "+t.Name+",") {
			return t
		}
	}
	return nil
}
