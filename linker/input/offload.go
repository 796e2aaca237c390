package input

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/offload"
)

// offload takes the code for the target out of clang's offloading section. It has no host references, so that all kernels stay.
func (s *scan) offload(data []byte, name string, member bool) error {
	images, err := offload.Parse(data)
	if err != nil {
		return s.refuse(name, err.Error())
	}
	images = slices.DeleteFunc(images, func(i offload.Image) bool { return !i.CUDA() })
	s.refs.missing = true
	chosen := s.o.forTarget(images)
	if len(chosen) == 0 && len(images) > 0 {
		var has []string
		for i := range images {
			has = append(has, images[i].Arch)
		}
		slices.Sort(has)
		s.noCode(name, "it has "+strings.Join(slices.Compact(has), ", "))
	}
	for i := range chosen {
		code := chosen[i].Data
		switch {
		case contentOf(code) == contentIR:
			return s.stop(diag.LTOInput, name)
		case fatbin.Is(code):
			err = s.containers(code, name, moduleIDs{}, member)
		case cubin.IsDeviceELF(code):
			t := &take{module: s.module(name, member), payload: code}
			t.module.FromContainer = true
			s.take(t)
		default:
			err = s.refuse(name, "what clang packed for "+chosen[i].Arch+" is no device code that can be linked")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forTarget are the images of the architecture nearest to the target among those that run there: of several modules, if `ld -r` has
// joined their objects.
func (o *Options) forTarget(images []offload.Image) []offload.Image {
	var best arch.Arch
	var out []offload.Image
	for _, img := range images {
		name, err := o.Toolkit.Parse(img.Arch)
		if err != nil || name.Kind != arch.Real || !o.Toolkit.Accepts(o.Target, name.Arch) {
			continue
		}
		better := name.Arch == o.Target || best != o.Target && name.Arch.SM > best.SM
		switch {
		case len(out) == 0 || better && name.Arch != best:
			best, out = name.Arch, append(out[:0], img)
		case name.Arch == best:
			out = append(out, img)
		}
	}
	return out
}
