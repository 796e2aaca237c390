package cubintest

import "github.com/culink/culink/linker/cubin"

// Narrow rewrites an ELF64 device file without segments as ELF32: the same sections, symbols and relocations. Types of
// relocations must be below 256.
func Narrow(f *cubin.File) []byte {
	form := cubin.FormOf(cubin.Class32)
	out := make([]byte, form.Ehdr)
	headers := make([]byte, form.Shdr*len(f.Sections))
	for i := range f.Sections {
		s := f.Sections[i]
		if n := form.Entry(s.Type); n != 0 {
			if s.Entsize = uint64(n); s.Type != cubin.SHTCudaCallgraph && s.Type != cubin.SHTCudaPrototype {
				s.Addralign = form.Align
			}
		}
		data := narrowData(f, &f.Sections[i], form)
		for s.Addralign > 1 && uint64(len(out))%s.Addralign != 0 {
			out = append(out, 0)
		}
		if s.Offset = uint64(len(out)); i == 0 {
			s.Offset = 0
		}
		if !s.NoBits() {
			s.Size = uint64(len(data))
		}
		out = append(out, data...)
		putShdr(headers[form.Shdr*i:], form, &s)
	}
	for uint64(len(out))%form.Align != 0 {
		out = append(out, 0)
	}
	var h [cubin.EhdrSize]byte
	copy(h[:], f.Data)
	le.PutUint64(h[40:], uint64(len(out)))
	if f.OSABI == cubin.OSABI7 {
		const flag64Bit = 0x400
		le.PutUint32(h[48:], f.Flags&^flag64Bit)
	}
	form.PutEhdr(out, h[:])
	return append(out, headers...)
}

func putShdr(b []byte, form *cubin.Form, s *cubin.Section) {
	var h [cubin.ShdrSize]byte
	le.PutUint32(h[:], s.NameOff)
	le.PutUint32(h[4:], uint32(s.Type))
	for i, v := range []uint64{s.Flags, s.Addr, s.Offset, s.Size, uint64(s.Link) | uint64(s.Info)<<32, s.Addralign, s.Entsize} {
		le.PutUint64(h[8+8*i:], v)
	}
	form.PutShdr(b, h[:])
}

// narrowData is a section's contents with records of ELF32.
func narrowData(f *cubin.File, s *cubin.Section, form *cubin.Form) []byte {
	switch n := s.NumRels(); {
	case n > 0:
		step := form.Entry(s.Type)
		out := make([]byte, n*step)
		for i := range n {
			r := s.RelAt(i)
			form.PutRel(out[i*step:], &r)
		}
		return out
	case s.Type == cubin.SHTSymtab:
		out := make([]byte, len(f.Symbols)*form.Sym)
		for i := range f.Symbols {
			form.PutSym(out[i*form.Sym:], s.Data[i*cubin.SymSize:(i+1)*cubin.SymSize])
		}
		return out
	}
	return s.Data
}
