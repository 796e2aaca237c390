package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/culink/culink/linker/arch"
)

// run is one start of the program.
type run struct {
	settings
	tools
	targets []target
	leave   map[string]bool // features and options left out
	scratch string
	out     io.Writer

	mu     sync.Mutex // guards what follows
	report *report
}

func newRun(ctx context.Context, s settings, out io.Writer) (*run, error) {
	r := &run{settings: s, out: out, leave: map[string]bool{}, report: newReport()}
	for n := range strings.SplitSeq(s.without, ",") {
		if n != "" {
			r.leave[n] = true
		}
	}
	if err := checkNames(r.leave); err != nil {
		return nil, err
	}
	var err error
	for _, path := range []*string{&s.nvlink, &s.ptxas, &s.culink, &s.keep} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	r.keep = s.keep
	r.tools = tools{nvlink: s.nvlink, ptxas: s.ptxas, culink: s.culink}
	if r.release, err = releaseOf(ctx, s.nvlink); err != nil {
		return nil, err
	}
	if r.targets, err = targetsOf(s.arch, r.release); err != nil {
		return nil, err
	}
	if r.scratch, err = os.MkdirTemp("", "differential"); err != nil {
		return nil, err
	}
	if r.tools.culink == "" {
		if r.tools.culink, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{linkerName, ownName} {
		if err := os.Symlink(r.tools.culink, filepath.Join(r.scratch, name)); err != nil {
			return nil, err
		}
	}
	r.tools.culink, r.tools.own = filepath.Join(r.scratch, linkerName), filepath.Join(r.scratch, ownName)
	return r, nil
}

// targetsOf reads a list of architectures; an empty one stands for all that the release links.
func targetsOf(list string, release int) ([]target, error) {
	tk := arch.CUDA124()
	if release >= 130 {
		tk = arch.CUDA130()
	}
	var out []target
	if list == "" {
		for _, a := range tk.Archs() {
			out = append(out, target{a, release})
		}
		return out, nil
	}
	for n := range strings.SplitSeq(list, ",") {
		name, err := tk.Parse(n)
		if err != nil {
			return nil, fmt.Errorf("-arch: %w", err)
		}
		out = append(out, target{name.Arch, release})
	}
	return out, nil
}

// program makes the program of a seed.
func (r *run) program(seed uint64) *program {
	t := pick(newRandom(seed, 0), r.targets...)
	return generate(seed, t, r.leave)
}

// all links the programs of all seeds.
func (r *run) all(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.jobs)
	for i := range r.count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return r.one(ctx, r.seed+uint64(i))
		})
	}
	if err := group.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // interrupted: what was seen so far is reported
}

// one compiles the program of a seed and links it in several ways.
func (r *run) one(ctx context.Context, seed uint64) error {
	dir := filepath.Join(r.scratch, fmt.Sprint(seed))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := r.program(seed)
	objects, refused, err := r.compile(ctx, dir, p)
	if err != nil {
		return err
	}
	r.mu.Lock()
	for _, text := range refused {
		r.report.refuse(seed, text)
	}
	r.mu.Unlock()
	if len(objects) == 0 {
		return nil
	}
	for _, j := range plan(seed, p, objects, r.links, r.leave) {
		if err := r.link(ctx, dir, seed, p, j); err != nil {
			return err
		}
	}
	return nil
}

// link compares one link.
func (r *run) link(ctx context.Context, dir string, seed uint64, p *program, j job) error {
	v, key, err := r.judge(ctx, dir, p, j)
	if err != nil {
		return err
	}
	r.mu.Lock()
	first := r.report.count(seed, p.target, j, v, key)
	if v == differs {
		fmt.Fprintf(r.out, "%d %v %s %s: %s\n", seed, p.target, j.name, strings.Join(j.args, " "), key)
	}
	r.mu.Unlock()
	if !first || r.keep == "" {
		return nil
	}
	if r.shrink {
		p, j, err = r.smaller(ctx, dir, p, j, key)
		if err != nil {
			return err
		}
	}
	return r.store(ctx, seed, p, j, key)
}

// judge links a job with both linkers and compares. A job one of whose stages nvlink refuses is not comparable.
func (r *run) judge(ctx context.Context, dir string, p *program, j job) (verdict, string, error) {
	want, got, ok, err := r.both(ctx, dir, p, j)
	if err != nil || !ok {
		return notLinked, "", err
	}
	var made map[string]bool
	if p.target.SM >= 100 && !bytes.Equal(want.image, got.image) {
		if made, err = r.madeAnew(ctx, dir, p, j); err != nil {
			return notLinked, "", err
		}
	}
	v, key := compare(made, want, got)
	if v != differs || want.image == nil {
		return v, key, nil
	}
	if ok, err := r.wavers(ctx, dir, p, j, want); ok || err != nil {
		return notComparable, "", err
	}
	if ok, err := confused(dir, p, j, made, want, got); ok || err != nil {
		return mistaken, "", err
	}
	return v, key, nil
}

// triesToShrink bounds the links of one shrinking.
const triesToShrink = 600

// smaller shrinks a case that differs by key.
func (r *run) smaller(ctx context.Context, dir string, p *program, j job, key string) (*program, job, error) {
	dir = filepath.Join(dir, "smaller")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, j, err
	}
	defer os.RemoveAll(dir)
	var failed error
	p, j = shrink(p, j, triesToShrink, func(p *program, j job) bool {
		if failed != nil {
			return false
		}
		_, refused, err := r.compile(ctx, dir, p)
		if err != nil || len(refused) > 0 {
			failed = err
			return false
		}
		_, k, err := r.judge(ctx, dir, p, j)
		failed = err
		return err == nil && k == key
	})
	return p, j, failed
}

// store writes a case: sources, objects, both images and texts, and the command line.
func (r *run) store(ctx context.Context, seed uint64, p *program, j job, key string) error {
	dir := filepath.Join(r.keep, fmt.Sprintf("%d-%v-%s", seed, p.target, j.name))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if _, _, err := r.compile(ctx, dir, p); err != nil {
		return err
	}
	want, got, _, err := r.both(ctx, dir, p, j)
	if err != nil {
		return err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "# %s\n", key)
	for _, s := range j.stages {
		fmt.Fprintf(&script, "%s -arch=%v %s %s -o %s\n", linkerName, p.target, strings.Join(s.args, " "), strings.Join(s.inputs, " "), s.output)
	}
	fmt.Fprintf(&script, "%s -arch=%v %s %s -o %s\n", linkerName, p.target, strings.Join(j.args, " "), strings.Join(j.inputs, " "), output)
	for name, b := range map[string][]byte{
		"command": []byte(script.String()), "nvlink.text": []byte(want.text), "culink.text": []byte(got.text),
		"nvlink.image": want.image, "culink.image": got.image,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			return err
		}
	}
	return nil
}
