package link

import (
	"context"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// write encodes the image: its size is known, so batches of neighbouring sections are encoded in parallel, each to its own place.
// With an Output they are written in order as they get ready, and the image is never in memory as a whole.
func (l *link) write(ctx context.Context) error {
	w := &imageWriter{l: l, segments: l.segments()}
	w.plan()
	if l.Output != nil {
		if l.Diag.Errors() > 0 {
			return ErrFailed // warnings that count as errors
		}
		return w.stream(ctx)
	}
	l.result.Image = w.whole()
	return nil
}

func (l *link) writeHeader(image []byte, phoff uint64, phnum int) {
	var b [cubin.EhdrSize]byte
	copy(b[:], "\x7fELF\x02\x01\x01")
	b[7], b[8] = cubin.OSABI8, cubin.ABIVersion8
	version, flags := uint32(1), l.Secs[l.cuinfo].Index<<24|uint32(l.SM)<<8|cubin.StateSASS
	if l.Mercury {
		flags = l.Secs[l.cuinfo].Index<<24 | uint32(l.SM)<<8 | cubin.StateMercury
	}
	if l.ABI == 7 {
		b[7], b[8] = cubin.OSABI7, cubin.ABIVersion7
		version, flags = uint32(l.Toolkit), l.lowestVirtual()<<16|0x100|uint32(l.SM)
		if l.form.Class == cubin.Class64 {
			flags |= arch.Flags64Bit
		}
		if l.Suffix == "a" {
			flags |= arch.FlagsAccelerated
		}
	}
	etype := uint16(cubin.ETExec)
	phentsize := uint16(l.form.Phdr)
	if l.rel {
		etype, phoff = cubin.ETRel, 0
		if l.Mercury {
			phentsize = 0
		}
	}
	le.PutUint16(b[16:], etype)
	le.PutUint16(b[18:], cubin.EMCUDA)
	le.PutUint32(b[20:], version)
	le.PutUint64(b[32:], phoff)
	le.PutUint64(b[40:], l.shoff)
	le.PutUint32(b[48:], flags)
	le.PutUint16(b[54:], phentsize)
	le.PutUint16(b[56:], uint16(phnum))
	if n := len(l.numbering.order); n < wideSections {
		le.PutUint16(b[60:], uint16(n))
	} // else e_shnum is 0 and the number is in the null section's sh_size (ELF specification)
	le.PutUint16(b[62:], 1)
	l.form.PutEhdr(image, b[:])
}

func (l *link) writeSectionHeader(b []byte, h header) {
	s := l.Secs[h.sec]
	if h.merc {
		l.writeTwinHeader(b, s)
		return
	}
	row := s.row()
	t := row.exec
	if s.Kind == kindUDT && l.ABI == 7 {
		t = cubin.SHTProgbits // (observed)
	}
	if l.rel && row.rel != 0 {
		t = row.rel
		if t == cubin.SHTCudaConstant0 {
			t += cubin.SectionType(max(cubin.BankOf(plainName(s.Name)), 0))
		}
	}
	flags := row.flags | s.ExtraFlags
	info, link := uint32(0), uint32(0)
	if s.Owner != 0 {
		info = l.Secs[s.Owner].Index
	}
	switch row.link {
	case linkSymtab:
		link = l.Secs[l.symtab].Index
	case linkStrtab:
		link = l.Secs[l.strtab].Index
	case linkTkinfo:
		link = l.Secs[l.tkinfo].Index
	}
	switch s.Kind {
	case kindSymtab:
		info = l.numbering.locals
	case kindText, kindUFT:
		info = l.Syms[s.Fn].Index | s.ExtraInfo
	case kindUFTEntry:
		if !l.rel {
			link = 0
		}
	case kindRel, kindRela, kindResolved:
		info = l.Secs[s.Target].Index
		if (s.Kind == kindRel || s.Kind == kindRela && l.release.bareRelaDescriptors) && l.Secs[s.Target].Kind == kindConstEntry {
			flags = 0 // the linker's own section of descriptors; with -force-rela in 12.4 alone (observed)
		}
	case kindConstEntry:
		if !l.ownerIsFlagged(s) {
			flags &^= cubin.SHFInfoLink
		}
	case kindCuinfo:
		if l.compat != 0 {
			flags |= cubin.SHFInfoLink
			info = l.Secs[l.compat].Index
		}
	}
	putShdr(b, s.nameOff, t, flags, s.Offset, s.Size, link, info, l.align(s), l.entsize(s, t))
}

// ownerIsFlagged reports whether a parameter bank has SHF_INFO_LINK, as its input has it: objects up to CUDA 11 do not set
// it. Other sections have it in any case (observed).
func (l *link) ownerIsFlagged(s *section) bool {
	if len(s.Parts) == 0 || s.Parts[0].Sec == 0 {
		return true
	}
	p := &s.Parts[0]
	return l.Inputs[p.In].File.Sections[p.Sec].Flags&cubin.SHFInfoLink != 0
}

func (l *link) writeTwinHeader(b []byte, s *section) {
	row := s.row()
	symtab := l.Secs[l.symtab].MercIndex
	flags := cubin.SHFMercury | row.mercFlags
	t, link, info, entsize := row.merc, uint32(0), uint32(0), uint64(0)
	if s.Owner != 0 {
		info = l.Secs[s.Owner].MercIndex
	}
	switch s.Kind {
	case kindSymtab:
		t, link, info, entsize = cubin.SHTMercSymtab, l.Secs[l.strtab].Index, l.numbering.mercLocals, uint64(l.form.Sym)
	case kindText:
		link, info = symtab, l.Syms[s.Fn].Index
	case kindUFT:
		link, info, entsize = symtab, l.Syms[s.Fn].Index, row.entsize
	case kindUFTEntry, kindUDTEntry:
		if entsize = row.entsize; l.rel || s.Kind == kindUDTEntry {
			link = symtab
		}
	case kindInfo, kindInfoFunc:
		link = symtab
	case kindRel, kindRela, kindResolved:
		link, info, entsize = symtab, l.Secs[s.Target].MercIndex, l.entsize(s, t)
	}
	putShdr(b, s.mercNameOff, t, flags, s.MercOffset, s.MercSize, link, info, l.mercAlign(s), entsize)
}

func putShdr(b []byte, name uint32, t cubin.SectionType, flags, offset, size uint64, link, info uint32, align, entsize uint64) {
	le.PutUint32(b, name)
	le.PutUint32(b[4:], uint32(t))
	le.PutUint64(b[8:], flags)
	le.PutUint64(b[24:], offset)
	le.PutUint64(b[32:], size)
	le.PutUint32(b[40:], link)
	le.PutUint32(b[44:], info)
	le.PutUint64(b[48:], align)
	le.PutUint64(b[56:], entsize)
}

// entsize is sh_entsize of a section of type t.
func (l *link) entsize(s *section, t cubin.SectionType) uint64 {
	if n := l.form.Entry(t); n != 0 {
		return uint64(n)
	}
	return s.row().entsize
}

// writeSection copies or encodes a section's bytes to b, which begins at its place.
func (l *link) writeSection(b []byte, h header) {
	s := l.Secs[h.sec]
	if h.merc {
		switch s.Kind {
		case kindSymtab:
			l.writeSymtab(b, l.numbering.symbols[:l.numbering.merc], true)
		case kindRel, kindRela, kindResolved:
			l.writeRels(b, s.MercRels, s.Kind == kindRel)
		default:
			copy(b[:s.MercSize], s.MercData)
		}
		return
	}
	switch s.Kind {
	case kindSymtab:
		l.writeSymtab(b, l.numbering.symbols, false)
	case kindRel, kindRela, kindResolved:
		l.writeRels(b, s.Rels, s.Kind == kindRel)
	default:
		copy(b[:s.Size], s.Data)
	}
}

// shnXindex is st_shndx of a symbol whose section's number stands in .symtab_shndx (ELF specification).
const shnXindex = 0xffff

// shnCommon is st_shndx of a COMMON symbol (ELF specification).
const shnCommon = 0xfff2

func (l *link) writeRels(b []byte, rels []outRel, rel bool) {
	size := l.form.Rela
	if rel {
		size = l.form.Rel
	}
	for i := range rels {
		r := &rels[i]
		l.form.PutRel(b[i*size:], &cubin.Rel{Offset: r.Offset, Type: r.Type, Sym: l.Syms[r.Sym].Index, Addend: r.Addend, HasAddend: !rel})
	}
}

// writeSymtab encodes one of the two symbol tables, which hold the same symbols in the same order.
func (l *link) writeSymtab(b []byte, symbols []symID, merc bool) {
	var o [cubin.SymSize]byte
	le.PutUint64(o[8:], l.mem.nullValue)
	l.form.PutSym(b, o[:])
	sized := make([]bool, len(l.Secs)) // code sections whose first function symbol was met
	for i, id := range symbols {
		s := &l.Syms[id]
		info, other, value, size := l.symbolFields(id, merc)
		nameOff := s.nameOff
		shndx := uint16(0)
		if s.Shndx == cubin.SHNCommon && s.Sec == 0 {
			shndx = shnCommon // left to a later link
		}
		if s.Sec != 0 {
			sec := l.Secs[s.Sec]
			index := sec.Index
			if merc && sec.MercIndex != 0 {
				index = sec.MercIndex
			}
			if shndx = uint16(index); index >= wideSections {
				shndx = shnXindex
			}
			if s.Of != 0 && l.Mercury && !merc {
				if nameOff = sec.symbolName; nameOff == 0 {
					nameOff = l.strings.at(plainName(sec.Name))
				}
			}
			if s.Sec == l.uft && l.Mercury && !merc && s.Of == 0 {
				value, size = l.placedStub(s)
			} else if s.Type() == cubin.STTFunc && l.Mercury && !merc && !sized[s.Sec] {
				sized[s.Sec] = true
				size = sec.Size
			}
		}
		le.PutUint32(o[:], nameOff)
		o[4], o[5] = info, other
		le.PutUint16(o[6:], shndx)
		le.PutUint64(o[8:], value)
		le.PutUint64(o[16:], size)
		l.form.PutSym(b[(i+1)*l.form.Sym:], o[:])
	}
}

// symbolFields returns st_info, st_other, st_value and st_size as the image has them.
func (l *link) symbolFields(id symID, merc bool) (info, other uint8, value, size uint64) {
	s := &l.Syms[id]
	switch {
	case s.Of != 0:
		return s.Info, 0, 0, 0
	case merc:
		return l.mercSymbol(id)
	}
	info, other, value = s.Info, s.Other, s.Value
	if s.Type() == cubin.STTFunc && l.Secs[s.Sec].Kind != kindUFT && (s.Func == 0 || l.Funcs[s.Func].Inside == 0) {
		value = 0
	}
	undefined := s.Undefined()
	switch {
	case !l.rel:
		info, other = l.executableFields(s)
	case s.Binding() == cubin.STBLocal && undefined && other == 1:
		info = uint8(cubin.STTCudaObject)
		value = ^uint64(0) // what nobody defines (observed)
		if s.Name == userBankSize {
			value = l.sizeOfUserBank()
		}
	}
	if undefined && s.Side == globalSide && s.Binding() == cubin.STBWeak {
		info = withBinding(info, cubin.STBGlobal)
	}
	if l.Mercury && undefined && s.isObject() && !s.Shared() && (l.rel || isReservedSmem(s.Name) || isUnifiedMarker(s.Name)) {
		info = withType(info, cubin.STTCudaObject)
	}
	return info, other, value, s.Size
}

// executableFields returns st_info and st_other of a symbol of an executable, where variables have ELF's own type and no memory space.
func (l *link) executableFields(s *symbol) (info, other uint8) {
	info, other = s.Info, s.Other&^cubin.STOSpace
	if s.Type() == cubin.STTCudaObject {
		info = withType(info, cubin.STTObject)
	}
	if l.PreserveRelocs && !l.debugShared() && s.Shared() {
		other |= cubin.STOInternal
	}
	return info, other
}

func withBinding(info uint8, b cubin.Binding) uint8 { return uint8(b)<<4 | info&15 }
func withType(info uint8, t cubin.SymbolType) uint8 { return info&^15 | uint8(t) }
