package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/parallel"
)

// Load reads all inputs and reports to c what the reference linker would say of them, in its order. The error is a
// *diag.FatalError when an input ends the link (it has been reported), ErrFailed when errors have been, and of another type when ctx is done or the system fails.
// The result must be closed when its modules are no longer used.
func Load(ctx context.Context, o Options, c *diag.Collector) (*Result, error) {
	if o.Toolkit == nil {
		o.Toolkit = arch.Newest()
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.cwd = o.Dir; o.cwd == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		o.cwd = dir
	}
	l := &loader{o: &o, diag: c, result: &Result{}}
	err := l.run(ctx)
	if err != nil {
		if closeErr := l.result.Close(); closeErr != nil {
			err = fmt.Errorf("%w; %w", err, closeErr)
		}
		return nil, err
	}
	return l.result, nil
}

// loader is the state of one Load.
type loader struct {
	o      *Options
	diag   *diag.Collector
	scans  []*scan
	result *Result
	rest   []Registration
	// newer says that an input was reported to be newer than the toolkit: one warning is enough.
	newer bool
}

func (l *loader) run(ctx context.Context) error {
	files := append([]string(nil), l.o.Files...)
	// The reference looks for libraries before it opens any file (observed).
	libraries, err := l.libraries(ctx)
	if err != nil {
		return err
	}
	files = append(files, libraries...)
	l.scans = make([]*scan, len(files))
	scanErr := l.parallel(ctx, l.jobs(), len(files), func(_, i int) error {
		s := &scan{o: l.o, name: files[i], path: l.o.in(files[i])}
		l.scans[i] = s
		if errors.Is(guarded(s.run), errCut) { // other errors' steps tell why the scan stopped
			s.steps = nil
			_ = s.refuse(s.name, errCut.Error())
		}
		return nil
	})
	for _, s := range l.scans {
		if s != nil {
			l.result.files = append(append(l.result.files, s.file), s.extra...)
		}
	}
	if scanErr != nil {
		return scanErr
	}
	l.dropRepeatedArchives()
	if err := l.unpackAll(ctx); err != nil {
		return err
	}
	return l.carryOut()
}

// smallLoad is the size of inputs in bytes below which goroutines cost more than they save.
const smallLoad = 1 << 20

// jobs is how many goroutines are worth their cost, unless there is something to compile.
func (l *loader) jobs() int {
	if c := l.o.Cache; c != nil && c.size.Load() < smallLoad {
		return 1
	}
	return l.o.Jobs
}

// parallel calls f for 0 to n-1, with the number of the worker, from at most so many goroutines. Few files can be heavy, so they are handed out singly.
func (l *loader) parallel(ctx context.Context, jobs, n int, f func(worker, i int) error) error {
	loop := parallel.Loop{Jobs: jobs, Grain: min(max(n/64, 1), grain)}
	return loop.Do(n, func(worker, i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(worker, i)
	})
}

// dropRepeatedArchives empties the scan of an archive that stood in an earlier place under any name: it is loaded once
// (observed). Other files that are named twice are loaded twice.
func (l *loader) dropRepeatedArchives() {
	seen := map[fileID]bool{}
	for _, s := range l.scans {
		if s.file == nil || s.file.id == (fileID{}) || !s.archived {
			continue
		}
		if seen[s.file.id] {
			s.steps, s.refs = nil, references{}
		}
		seen[s.file.id] = true
	}
}

// DefaultTotalFloor and totalRatio bound what the compressed payloads of one link may unpack to together: this many bytes,
// or this multiple of the inputs' size if that is more.
const (
	DefaultTotalFloor = 1 << 30
	totalRatio        = 64
)

// unpackAll makes device ELFs of everything that was chosen.
func (l *loader) unpackAll(ctx context.Context) error {
	u := fatbin.NewUnpacker(l.o.Limits, l.o.Jobs)
	defer u.Close()
	ptxas := newPtxas(l.o)
	var takes []*take
	floor := l.o.TotalFloor
	if floor == 0 {
		floor = DefaultTotalFloor
	}
	var size, plain uint64
	tooMuch := false
	for _, s := range l.scans {
		if s.file != nil {
			size += uint64(len(s.file.data))
		}
		for i := range s.steps {
			t := s.steps[i].take
			if t == nil || t.absent {
				continue
			}
			if t.entry != nil && t.entry.Compressed() && u.Check(t.entry) == nil {
				if plain += t.entry.Plain; plain > max(floor, size*totalRatio) {
					if tooMuch { // said already
						continue
					}
					tooMuch = true
					t.refuse(fmt.Sprintf("the inputs up to here unpack to %d bytes from %d", plain, size))
					continue
				}
			}
			takes = append(takes, t)
		}
	}
	jobs := l.jobs()
	if slices.ContainsFunc(takes, func(t *take) bool { return t.ptx }) {
		jobs = l.o.Jobs
	}
	parsers := make([]cubin.Parser, jobs)
	return l.parallel(ctx, jobs, len(takes), func(worker, i int) error {
		t := takes[i]
		err := guarded(func() error { return t.finish(ctx, l.o, u, ptxas, &parsers[worker]) })
		if errors.Is(err, errCut) {
			t.refuse(errCut.Error())
			return nil
		}
		return err
	})
}

// carryOut reports and adds, file by file. As the reference it ends at the first fatal message; under culink's own name the rest of
// the inputs have their say first.
func (l *loader) carryOut() error {
	var first error
	for _, s := range l.scans {
		l.result.NotRelocatable = append(l.result.NotRelocatable, s.whole...)
		for i := range s.steps {
			err := l.step(&s.steps[i])
			var fatal *diag.FatalError
			if err != nil && (l.o.AsReference || !errors.As(err, &fatal)) {
				return err
			}
			if first == nil {
				first = err
			}
		}
	}
	if first != nil {
		return first
	}
	l.registerRest()
	l.filter()
	if l.o.AsReference && l.diag.Errors() > 0 {
		return ErrFailed
	}
	return nil
}

// ErrFailed ends a link whose inputs gave errors, but no fatal one: warnings that -Werror promoted. The reference does not go on to link
// (observed).
var ErrFailed = errors.New("errors in the inputs")

// registerRest adds the further identifiers of objects that hold several modules, which come last, in reverse order (observed).
func (l *loader) registerRest() {
	r := l.result
	slices.Reverse(l.rest)
	r.Registrations = append(r.Registrations, l.rest...)
}

func (l *loader) step(st *step) error {
	switch {
	case st.stage != noStage:
		if l.diag.Errors() == 0 || !l.o.AsReference {
			return nil
		}
		if st.stage == fatbinStage {
			return l.diag.Fatal(diag.FatbinaryError)
		}
		return l.diag.Fatal(diag.ElfLinkInternal)
	case st.take != nil:
		return l.take(st.take)
	case st.id == diag.RawText:
		l.diag.Raw(st.args[0].(string))
	case st.id != none:
		return l.message(st)
	}
	return nil
}

// message reports a step's message. A fatal one that another fatal one follows does not end the link by itself: the words come in pairs.
func (l *loader) message(st *step) error {
	if st.id == diag.NewerThanKnown {
		if l.newer {
			return nil
		}
		l.newer = true
	}
	err := l.diag.Add(diag.Message{ID: st.id, Args: st.args, Cause: st.cause, Note: st.note})
	if st.leads {
		return nil
	}
	return err
}

// take adds a module and its registrations.
func (l *loader) take(t *take) error {
	for i := range t.found {
		if err := l.step(&t.found[i]); err != nil {
			return err
		}
	}
	r := l.result
	if t.elapsed != nil {
		r.Compilations = append(r.Compilations, *t.elapsed)
	}
	if t.leftOut || t.dropped {
		return nil
	}
	module := -1
	if !t.absent {
		module = len(r.Modules)
		r.Modules = append(r.Modules, t.module)
	}
	for i, id := range t.ids {
		line := Registration{ID: id, Module: module, Constructor: t.constructor}
		if i == 0 {
			r.Registrations = append(r.Registrations, line)
		} else {
			l.rest = append(l.rest, line)
		}
	}
	return nil
}

// filter decides whether host references remove kernels: only when every input of the link has them and some object
// refers to a kernel. The references of a runtime library, which CUDA 12's has, do not begin a filter, but count in one (observed).
func (l *loader) filter() {
	r := l.result
	missing := l.o.IgnoreHostInfo || l.o.Relocatable && l.o.Toolkit.RelocatableLink
	some := false
	for _, s := range l.scans {
		missing = missing || s.refs.missing
		some = some || !isRuntime(s.name) && len(s.refs.external)+len(s.refs.internal) > 0
		r.KernelsExternal = append(r.KernelsExternal, s.refs.external...)
		r.KernelsInternal = append(r.KernelsInternal, s.refs.internal...)
		r.Variables = append(r.Variables, s.refs.variables...)
	}
	r.FilterKernels = !missing && some
}
