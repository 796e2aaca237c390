package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/link"
)

// targets are the architectures to link for: one, but under culink's own name several, separated by commas.
func (r *run) targets() ([]arch.Name, error) {
	var out []arch.Name
	for name := range strings.SplitSeq(r.line.text(optArch), ",") {
		t, err := r.line.Toolkit.Parse(name)
		if err != nil {
			return nil, r.diag.Fatal(diag.UnknownArch, name)
		}
		out = append(out, t)
	}
	return out, nil
}

// firstArch is the first value of --arch.
func (c *commandLine) firstArch() string {
	first, _, _ := strings.Cut(c.text(optArch), ",")
	return first
}

// hasOutput reports whether there is a place for n images: -o takes one, the containers any number.
func (c *commandLine) hasOutput(n int) bool {
	contained := c.given(optFatbin) || c.given(optHostObject) || c.given(optHostSource)
	return contained || c.given(optOutputFile) && n == 1
}

// linked is the link for one target.
type linked struct {
	target arch.Name
	diag   *diag.Collector
	in     *input.Result
	res    *link.Result
	// out takes the image as it is made; nil if it is kept in res.
	out       *outputFile
	err       error
	undefined *undefined
	passes    []passTime
}

// passTime is how long a pass took.
type passTime struct {
	pass    string
	elapsed time.Duration
}

// linkTargets links for all targets, several at the same time, and writes the outputs.
func (r *run) linkTargets(ctx context.Context) error {
	targets, err := r.targets()
	if err != nil {
		return err
	}
	all := make([]linked, len(targets))
	var wg sync.WaitGroup
	for i := range all {
		l := &all[i]
		*l = linked{target: targets[i], diag: r.diag}
		if len(all) > 1 {
			l.diag = &diag.Collector{WarningsAsErrors: r.diag.WarningsAsErrors, NoWarnings: r.diag.NoWarnings}
		}
		if r.streams(len(all)) {
			l.out = &outputFile{name: r.line.text(optOutputFile), signals: r.signals}
		}
		if len(all) == 1 { // a goroutine would cost more than it is worth
			r.linkTarget(ctx, l)
			break
		}
		wg.Go(func() { r.linkTarget(ctx, l) }) // each link keeps its own error
	}
	wg.Wait()
	return r.outcome(ctx, all)
}

// errUnlinked says that errors came before the link, which did not take place.
var errUnlinked = fmt.Errorf("%w before the link", link.ErrFailed)

// linkTarget reads the inputs for one target and links them. The inputs stay open for the outputs.
func (r *run) linkTarget(ctx context.Context, l *linked) {
	// The reference says so before it opens any input, and does not link if -Werror made an error of it (observed).
	if r.line.given(optPreserveRelocs) && l.target.SM >= 90 && l.target.Kind == arch.Real {
		l.diag.Report(diag.PreserveRelocsIncomplete, l.target.String())
	}
	early := l.diag.Errors() > 0
	if l.in, l.err = input.Load(ctx, r.inputOptions(r.line, l.target), l.diag); l.err != nil || l.target.Kind == arch.Virtual {
		return
	}
	if early {
		l.err = errUnlinked
		return
	}
	if len(l.in.Modules) == 0 && !r.reference {
		r.sayNotRelocatable(l)
		l.diag.Report(diag.EmptyImage, l.target.String())
	}
	r.linkModules(ctx, l)
	if r.reference {
		return
	}
	if l.err == nil && r.line.given(optVerbose) {
		for _, name := range l.res.AnewCandidates {
			l.diag.Report(diag.CodeKept, name)
		}
	}
	if l.err != nil {
		if l.undefined = findUndefined(l.in, l.diag.Messages()); l.undefined != nil {
			r.sayNotRelocatable(l)
		}
	}
}

// linkModules links what the inputs hold.
func (r *run) linkModules(ctx context.Context, l *linked) {
	o := r.options(l.target)
	if len(l.in.Modules) == 0 && o.DumpCallgraph && !o.Relocatable {
		l.diag.Raw("No relocatable objects found. Did not generate callgraph.\n") // observed
		o.DumpCallgraph = false
	}
	if !r.reference && r.times != nil {
		o.Trace = func(pass string, d time.Duration) { l.passes = append(l.passes, passTime{pass, d}) }
	}
	if l.out != nil {
		o.Output = l.out
	}
	in := sources(l.in)
	if size(in) >= muchInput {
		r.tuneCollector()
	}
	l.res, l.err = link.Run(ctx, o, in, l.diag)
	if l.out != nil && l.err != nil {
		if l.out.discard(); l.out.err != nil {
			l.err = l.out.report(l.diag)
		}
	}
	if l.err == nil && l.diag.Errors() > 0 {
		l.err = link.ErrFailed
	}
}

// sayNotRelocatable names the inputs whose device code cannot be linked: what is missing may be in them.
func (r *run) sayNotRelocatable(l *linked) {
	for _, name := range l.in.NotRelocatable {
		l.diag.Report(diag.NotRelocatable, name)
	}
}

// outcome collects the messages, writes the outputs if all links succeeded, and closes the inputs.
func (r *run) outcome(ctx context.Context, all []linked) error {
	defer func() {
		for i := range all {
			if in := all[i].in; in != nil {
				in.Close()
			}
		}
	}()
	err := r.collect(all)
	if reference := r.env("CULINK_REFERENCE"); reference != "" && len(all) == 1 && all[0].target.Kind == arch.Real {
		if e := r.compare(ctx, reference, &all[0], err); e != nil {
			return e
		}
	}
	if err != nil && !errors.Is(err, link.ErrFailed) {
		return err
	}
	if err == nil && r.line.given(optNvHost) {
		return r.diag.Fatal(diag.NvHost) // behind what is wrong with the inputs
	}
	if err == nil && all[0].target.Kind == arch.Real {
		if err := r.writeOutputs(all); err != nil {
			return err
		}
	} else if all[0].out != nil {
		all[0].out.discard()
	}
	if errors.Is(err, errUnlinked) {
		return err
	}
	if e := r.writeDot(&all[0]); e != nil {
		return e
	}
	if e := r.writeRegister(&all[0]); e != nil {
		return e
	}
	return err
}

// collect gathers messages, times and what is known of undefined symbols. The error is that of the first link that failed, but one that
// ends the run comes before errors that were only collected.
func (r *run) collect(all []linked) (err error) {
	for i := range all {
		l := &all[i]
		if l.diag != r.diag {
			r.diag.Append(l.diag)
		}
		if l.undefined != nil {
			r.undefined = l.undefined
		}
		if l.in != nil {
			for _, c := range l.in.Compilations {
				r.times.add(c.Input, "ptxas", "nvlink", l.target.String(), c.Elapsed)
			}
			for _, p := range l.passes {
				r.times.add("", p.pass, "culink", l.target.String(), p.elapsed)
			}
		}
		if err == nil || errors.Is(err, link.ErrFailed) && l.err != nil {
			err = l.err
		}
	}
	return err
}
