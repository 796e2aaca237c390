package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/culink/culink/linker/ar"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
	"github.com/culink/culink/linker/offload"
)

// device is a device ELF and where it was found.
type device struct {
	name string // the file as given; in containers with member and architecture: "lib.a:a.o:sm_90"
	file *cubin.File
}

// errNoDevice says that a file holds no device ELF.
var errNoDevice = errors.New("no device ELF in it")

// devices finds the device ELFs in a file: the file itself, or all that a fatbin, a host object or an archive of those
// holds.
func devices(name string) ([]device, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	u := fatbin.NewUnpacker(fatbin.Limits{}, 1)
	defer u.Close()
	out, err := devicesIn(u, name, data)
	if err == nil && len(out) == 0 {
		err = errNoDevice
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func devicesIn(u *fatbin.Unpacker, name string, data []byte) ([]device, error) {
	switch {
	case fatbin.Is(data):
		return devicesInContainer(u, name, data)
	case ar.Is(data):
		return devicesInArchive(u, name, data)
	case cubin.HasELFMagic(data) && !cubin.IsDeviceELF(data):
		f, err := hostobj.ReadFile(data)
		if err != nil {
			return nil, err
		}
		for _, section := range []string{"__nv_relfatbin", ".nv_fatbin"} {
			if b := f.Section(section); len(b) > 0 {
				return devicesInContainer(u, name, b)
			}
		}
		return devicesInOffload(u, name, f.Section(hostobj.SectionOffload))
	case !cubin.HasELFMagic(data):
		return nil, nil
	}
	f, err := cubin.Parse(data)
	if err != nil {
		return nil, err
	}
	return []device{{name, f}}, nil
}

// devicesInContainer unpacks the cubins of a container.
func devicesInContainer(u *fatbin.Unpacker, name string, data []byte) ([]device, error) {
	c, err := fatbin.Parse(data)
	if err != nil {
		return nil, err
	}
	var out []device
	for i := range c.Entries {
		e := &c.Entries[i]
		payload, err := u.Payload(e)
		if err != nil {
			return nil, err
		}
		if !cubin.IsDeviceELF(payload) {
			continue
		}
		f, err := cubin.Parse(payload)
		if err != nil {
			return nil, fmt.Errorf("sm_%s: %w", e.Arch(), err)
		}
		out = append(out, device{name + ":sm_" + e.Arch(), f})
	}
	return out, nil
}

// devicesInOffload are those that clang packed.
func devicesInOffload(u *fatbin.Unpacker, name string, section []byte) ([]device, error) {
	images, err := offload.Parse(section)
	if err != nil {
		return nil, err
	}
	var out []device
	for i := range images {
		if !images[i].CUDA() || !cubin.IsDeviceELF(images[i].Data) && !fatbin.Is(images[i].Data) {
			continue
		}
		found, err := devicesIn(u, name+":"+images[i].Arch, images[i].Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", images[i].Arch, err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// devicesInArchive looks into every member that has its bytes in the archive; members without device code are passed over.
func devicesInArchive(u *fatbin.Unpacker, name string, data []byte) ([]device, error) {
	r, err := ar.NewReader(data)
	if err != nil {
		return nil, err
	}
	var out []device
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if ar.Is(m.Data) || !fatbin.Is(m.Data) && !cubin.HasELFMagic(m.Data) {
			continue
		}
		found, err := devicesIn(u, name+":"+m.Name, m.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		out = append(out, found...)
	}
}

// oneDevice is the device ELF of a file that holds exactly one.
func oneDevice(name string) (*cubin.File, error) {
	all, err := devices(name)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, fmt.Errorf("%s: %d device ELFs in it, and only one can be compared", name, len(all))
	}
	return all[0].file, nil
}
