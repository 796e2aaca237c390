package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
)

func TestLinksFollowFromTheSeed(t *testing.T) {
	eachProgram(t, nil, func(seed uint64, p *program) {
		objects := []string{"a.cubin", "b.cubin", "c.cubin"}
		jobs := plan(seed, p, objects, 8, nil)
		if diff := cmp.Diff(jobs, plan(seed, p, objects, 8, nil), cmp.AllowUnexported(job{}, stage{})); diff != "" {
			t.Fatalf("seed %d: two plans:\n%s", seed, diff)
		}
		for _, j := range jobs {
			known := objects
			for _, s := range j.stages {
				if len(s.inputs) == 0 {
					t.Errorf("seed %d, %s: a stage links nothing", seed, j.name)
				}
				known = append(slices.Clone(known), s.output)
			}
			for _, in := range j.inputs {
				if !slices.Contains(known, in) {
					t.Errorf("seed %d, %s: input %s is not made", seed, j.name, in)
				}
			}
			if len(j.inputs) == 0 {
				t.Errorf("seed %d, %s links nothing", seed, j.name)
			}
			if p.target.release < 130 && (slices.Contains(j.args, "-r") || len(j.stages) > 0) {
				t.Errorf("seed %d: %s for a release without relocatable links", seed, j.name)
			}
		}
	})
}

func TestLinksLeaveOptionsOut(t *testing.T) {
	without := map[string]bool{"-v": true, "kernels-used": true, "--reserve-null-pointer": true}
	if err := checkNames(without); err != nil {
		t.Fatal(err)
	}
	eachProgram(t, nil, func(seed uint64, p *program) {
		for _, j := range plan(seed, p, []string{"a.cubin"}, 8, without) {
			if without[j.name] || slices.Contains(j.args, "-v") || slices.Contains(j.args, "--reserve-null-pointer") {
				t.Errorf("seed %d: %s %v", seed, j.name, j.args)
			}
		}
	})
	if checkNames(map[string]bool{"nonsense": true}) == nil {
		t.Error("an unknown name is taken")
	}
}

func TestTargetsOfAReleaseAreThoseItLinks(t *testing.T) {
	all, err := targetsOf("", 124)
	if err != nil || !slices.Contains(all, target{arch.Arch{SM: 50}, 124}) || slices.ContainsFunc(all, func(t target) bool { return t.SM > 90 }) {
		t.Errorf("12.4: %v, %v", all, err)
	}
	if got, err := targetsOf("sm_90a,sm_120", 130); err != nil || len(got) != 2 || got[0].String() != "sm_90a" {
		t.Errorf("list: %v, %v", got, err)
	}
	if _, err := targetsOf("sm_50", 130); err == nil {
		t.Error("13.0 does not link for sm_50")
	}
}

func TestShrinkingKeepsWhatFails(t *testing.T) {
	shrunk := 0
	for seed := range uint64(40) {
		p := generate(seed, testTargets[1], nil)
		j := job{name: "default", args: []string{"-v", "-g"}, inputs: []string{"a.cubin", "b.cubin", "c.cubin", "d.cubin"}[:len(p.files)]}
		fails := func(p *program, j job) bool {
			for i, f := range p.files {
				if strings.Contains(p.text(f), "brx.idx") && slices.Contains(j.inputs, f.name+".cubin") && i < len(j.inputs) {
					return slices.Contains(j.args, "-g")
				}
			}
			return false
		}
		if !fails(p, j) {
			continue
		}
		shrunk++
		before := texts(p)
		small, sj := shrink(p, j, 10_000, fails)
		if diff := cmp.Diff(before, texts(p)); diff != "" {
			t.Fatalf("seed %d: shrinking changed the program itself:\n%s", seed, diff)
		}
		if len(small.files) != 1 || len(small.files[0].items) != 1 || len(small.files[0].items[0].body) != 1 || len(small.files[0].flags) != 0 {
			t.Errorf("seed %d: left over:\n%s", seed, strings.Join(texts(small), ""))
		}
		if diff := cmp.Diff([]string{"-g"}, sj.args); diff != "" || len(sj.inputs) != 1 {
			t.Errorf("seed %d: inputs %v, args %s", seed, sj.inputs, diff)
		}
	}
	if shrunk == 0 {
		t.Error("no program had a switch")
	}
}

func TestShrinkingEndsWhenTriesAreUsedUp(t *testing.T) {
	p, tries := generate(1, testTargets[1], nil), 0
	shrink(p, job{}, 5, func(*program, job) bool { tries++; return true })
	if tries != 5 {
		t.Errorf("%d tries, 5 were allowed", tries)
	}
}

func TestJobsLoseStagesWithoutInputs(t *testing.T) {
	j := job{inputs: []string{"a.cubin", "b.cubin"}}.inStages(false)
	if diff := cmp.Diff([]string{"part.cubin", "b.cubin"}, j.inputs); diff != "" {
		t.Error(diff)
	}
	if got := j.withoutInput("a.cubin"); len(got.stages) != 0 || len(got.inputs) != 1 {
		t.Errorf("%+v", got)
	}
}
