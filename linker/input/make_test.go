package input

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
)

// section is a section of a made ELF file.
type section struct{ name, data string }

// elfFile is a relocatable ELF file of a machine.
func elfFile(machine uint16, secs ...section) []byte {
	const header = 64
	le := binary.LittleEndian
	body := make([]byte, header)
	names := []byte{0}
	headers := make([]byte, header)
	secs = append(secs, section{".shstrtab", ""})
	for _, s := range secs {
		names = append(append(names, s.name...), 0)
	}
	secs[len(secs)-1].data = string(names)
	at := 1
	for _, s := range secs {
		h := make([]byte, header)
		le.PutUint32(h, uint32(at))
		le.PutUint32(h[4:], 1)
		le.PutUint64(h[24:], uint64(len(body)))
		le.PutUint64(h[32:], uint64(len(s.data)))
		at += len(s.name) + 1
		body = append(body, s.data...)
		headers = append(headers, h...)
	}
	for len(body)%8 != 0 {
		body = append(body, 0)
	}
	copy(body, "\x7fELF\x02\x01\x01")
	le.PutUint16(body[16:], 1)
	le.PutUint16(body[18:], machine)
	le.PutUint64(body[40:], uint64(len(body)))
	le.PutUint16(body[58:], header)
	le.PutUint16(body[60:], uint16(len(secs)+1))
	le.PutUint16(body[62:], uint16(len(secs)))
	return append(body, headers...)
}

// code is a device ELF of CUDA 13 for an SM; name tells it from others.
func code(sm uint32, name string) []byte {
	b := elfFile(190, section{".text", name})
	b[7], b[8] = 0x41, 8
	binary.LittleEndian.PutUint32(b[48:], sm<<8|4)
	return b
}

// oldCode is a device ELF of CUDA 12.4 for an SM below 100.
func oldCode(sm uint32, name string) []byte {
	b := elfFile(190, section{".text", name})
	b[7], b[8] = 0x33, 7
	binary.LittleEndian.PutUint32(b[20:], 124)
	binary.LittleEndian.PutUint32(b[48:], sm<<16|0x500|sm)
	return b
}

// codeName is the name that code was given.
func codeName(cubin []byte) string {
	const header = 64
	b := string(cubin[header:])
	return b[:strings.IndexByte(b, 0)]
}

// container holds plain cubins.
func container(t testing.TB, cubins ...[]byte) string {
	var images []fatbin.Image
	for _, c := range cubins {
		h, err := cubin.ReadHeader(c)
		number := uint32(h.SM())
		if err != nil { // PTX
			number = binary.LittleEndian.Uint32(c[48:]) >> 8
		}
		images = append(images, fatbin.Image{Number: number, Cubin: c})
	}
	out, err := fatbin.Write(images)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// packedContainer holds one cubin packed with Zstandard.
func packedContainer(t testing.TB, cubin []byte) []byte {
	const header, entry = 16, 64
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := w.EncodeAll(cubin, nil)
	out := []byte(container(t, cubin))[:header+entry]
	le := binary.LittleEndian
	le.PutUint32(out[header+16:], uint32(len(packed)))
	le.PutUint64(out[header+40:], le.Uint64(out[header+40:])|uint64(fatbin.FlagZstd))
	le.PutUint64(out[header+56:], uint64(len(cubin)))
	out = append(out, packed...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	le.PutUint64(out[header+8:], uint64(len(out)-header-entry))
	le.PutUint64(out[8:], uint64(len(out)-header))
	return out
}

// ptxContainer holds one entry of PTX for an SM.
func ptxContainer(t testing.TB, sm uint32, text string) string {
	for len(text) < 64 {
		text += "\n"
	}
	out := []byte(container(t, append(code(sm, "x")[:56], text...)))
	binary.LittleEndian.PutUint16(out[16:], 1) // the entry's kind
	return string(out)
}

// host is a host object with device code; kernels are the patterns of its host references.
func host(fat, id, kernels string) []byte {
	secs := []section{{".nvFatBinSegment", strings.Repeat("s", 24)}, {"__nv_relfatbin", fat}, {"__nv_module_id", id + "\x00"}, {".nvHRKE", kernels + "\x00"}}
	for _, n := range []string{".nvHRKI", ".nvHRDE", ".nvHRDI", ".nvHRCE", ".nvHRCI"} {
		secs = append(secs, section{n, "\x00"})
	}
	return elfFile(62, secs...)
}

// archive holds members; a name with a slash goes to the name table.
func archive(magic string, members ...section) []byte {
	names, body := "", ""
	head := func(name string, size int) string { return fmt.Sprintf("%-48s%-10d`\n", name, size) }
	for _, m := range members {
		name := m.name + "/"
		switch {
		case strings.HasPrefix(m.name, "#1/"):
			name = m.name
		case strings.Contains(m.name, "/"):
			name = fmt.Sprintf("/%d", len(names))
			names += m.name + "/\n"
		}
		body += head(name, len(m.data))
		if magic == "!<arch>\n" {
			body += m.data + strings.Repeat("\n", len(m.data)%2)
		}
	}
	if names != "" {
		names += strings.Repeat("\n", len(names)%2)
		body = head("//", len(names)) + names + body
	}
	return []byte(magic + body)
}

const ordinary, thin = "!<arch>\n", "!<thin>\n"

// tree writes files below a new directory.
func tree(t testing.TB, files map[string][]byte) string {
	dir := t.TempDir()
	for name, data := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// outcome is what a Load gave, as texts.
type outcome struct {
	Modules  []string // name=code
	IDs      []string
	Messages []string // severity: text
	Failed   bool
}

func load(t testing.TB, o Options) (outcome, *Result) {
	c := &diag.Collector{}
	if o.Target.SM == 0 {
		o.Target = arch.Arch{SM: 80}
	}
	r, err := Load(context.Background(), o, c)
	out := outcome{Failed: err != nil}
	for _, m := range c.Messages() {
		m := m
		out.Messages = append(out.Messages, [...]string{"info", "warning", "error", "fatal"}[m.Severity()]+": "+strings.ReplaceAll(m.Text(), o.Dir+"/", ""))
	}
	if err != nil {
		return out, nil
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, m := range r.Modules {
		out.Modules = append(out.Modules, m.Name+"="+codeName(m.Cubin))
	}
	prefix := "_" + strings.TrimPrefix(mangled(o.Dir), "_") + "_"
	for _, reg := range r.Registrations {
		out.IDs = append(out.IDs, strings.Replace(reg.ID, prefix, "PATH_", 1))
	}
	return out, r
}

func mangled(p string) string {
	return (&scan{o: &Options{Dir: "/"}}).pathName(p)[0]
}
