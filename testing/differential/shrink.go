package main

import "slices"

// shrink makes a failing case smaller as long as fails says that it still fails, and returns the smallest one found. It tries to take away
// options, files, definitions and the parts of these, until nothing more can go or the number of tries is used up.
func shrink(p *program, j job, tries int, fails func(*program, job) bool) (*program, job) {
	s := &shrinker{p: p, j: j, tries: tries, fails: fails}
	for progress := true; progress && s.tries > 0; {
		progress = s.options()
		progress = s.files() || progress
		progress = s.items() || progress
		progress = s.parts() || progress
	}
	return s.p, s.j
}

type shrinker struct {
	p     *program
	j     job
	tries int
	fails func(*program, job) bool
}

// try keeps a smaller case if it still fails.
func (s *shrinker) try(p *program, j job) bool {
	if s.tries == 0 {
		return false
	}
	s.tries--
	if !s.fails(p, j) {
		return false
	}
	s.p, s.j = p, j
	return true
}

// without is a list without its i-th element; the list itself stays.
func without[T any](list []T, i int) []T {
	return slices.Delete(slices.Clone(list), i, i+1)
}

func (s *shrinker) options() (progress bool) {
	for i := len(s.j.args) - 1; i >= 0; i-- {
		j := s.j
		j.args = without(j.args, i)
		progress = s.try(s.p, j) || progress
	}
	for f := range s.p.files {
		for i := len(s.p.files[f].flags) - 1; i >= 0; i-- {
			progress = s.try(s.p.changed(f, func(f *file) { f.flags = without(f.flags, i) }), s.j) || progress
		}
	}
	return progress
}

func (s *shrinker) files() (progress bool) {
	for i := len(s.p.files) - 1; i >= 0 && len(s.p.files) > 1; i-- {
		p := *s.p
		name := p.files[i].name + ".cubin"
		p.files = without(p.files, i)
		progress = s.try(&p, s.j.withoutInput(name)) || progress
	}
	return progress
}

// withoutInput is the job without a file; a stage that has none left goes, too.
func (j job) withoutInput(name string) job {
	drop := func(in []string, name string) []string {
		return slices.DeleteFunc(slices.Clone(in), func(s string) bool { return s == name })
	}
	stages := j.stages
	j.stages, j.inputs = nil, drop(j.inputs, name)
	for _, s := range stages {
		if s.inputs = drop(s.inputs, name); len(s.inputs) == 0 {
			j.inputs = drop(j.inputs, s.output)
			continue
		}
		j.stages = append(j.stages, s)
	}
	return j
}

func (s *shrinker) items() (progress bool) {
	for f := range s.p.files {
		for i := len(s.p.files[f].items) - 1; i >= 0; i-- {
			progress = s.try(s.p.changed(f, func(f *file) { f.items = without(f.items, i) }), s.j) || progress
		}
	}
	return progress
}

func (s *shrinker) parts() (progress bool) {
	for f := range s.p.files {
		for i := range s.p.files[f].items {
			for k, list := range s.p.files[f].items[i].parts() {
				for n := len(*list) - 1; n >= 0; n-- {
					progress = s.try(s.p.changed(f, func(f *file) {
						it := *f.items[i]
						f.items = slices.Clone(f.items)
						f.items[i] = &it
						list := it.parts()[k]
						*list = without(*list, n)
					}), s.j) || progress
				}
			}
		}
	}
	return progress
}

// changed is the program with one file changed; the program itself stays.
func (p *program) changed(at int, change func(*file)) *program {
	out, f := *p, *p.files[at]
	change(&f)
	out.files = slices.Clone(p.files)
	out.files[at] = &f
	return &out
}
