package link

// segment is a program header; table marks those that span the program header table itself, whose place the writer fills in.
type segment struct {
	ptype, flags          uint32
	table                 bool
	offset, filesz, memsz uint64
}

// Program header constants of ELF.
const (
	ptLoad = 1
	ptPhdr = 6
	pfX    = 1
	pfW    = 2
	pfR    = 4
)

func (p *segment) write(b []byte, phoff, size, align uint64) {
	offset, filesz, memsz := p.offset, p.filesz, p.memsz
	if p.table {
		offset, filesz, memsz = phoff, size, size
	}
	le.PutUint32(b, p.ptype)
	le.PutUint32(b[4:], p.flags)
	le.PutUint64(b[8:], offset)
	le.PutUint64(b[32:], filesz)
	le.PutUint64(b[40:], memsz)
	le.PutUint64(b[48:], align)
}

// segments lists the program headers of an executable: one for each run of sections that are loaded alike (observed;
// seed document program-headers). Up to sm_90 constants and code share one segment and the table comes last; Mercury
// images keep constants, code and the parameter banks apart and name the table first.
func (l *link) segments() []segment {
	if l.rel {
		return nil
	}
	var constants, code, data, banks []*section
	for _, h := range l.numbering.order[1:] {
		if h.merc {
			continue
		}
		switch s := l.Secs[h.sec]; s.Class() {
		case orderConstant:
			if s.Appended {
				banks = append(banks, s)
			} else {
				constants = append(constants, s)
			}
		case orderText:
			code = append(code, s)
		case orderGlobalInit, orderNobits:
			data = append(data, s)
		}
	}
	var out []segment
	if !l.Mercury {
		out = append(out, segment{ptype: ptPhdr, flags: pfR | pfX, table: true})
		out = appendSpan(out, pfR|pfX, append(constants, code...))
		out = l.appendData(out, data)
		return append(out, segment{ptype: ptLoad, flags: pfR | pfX, table: true})
	}
	out = append(out, segment{ptype: ptPhdr, flags: pfR, table: true}, segment{ptype: ptLoad, flags: pfR, table: true})
	out = appendSpan(out, pfR, constants)
	out = appendSpan(out, pfR|pfX, code)
	out = l.appendData(out, data)
	return appendSpan(out, pfR, banks)
}

func appendSpan(out []segment, flags uint32, secs []*section) []segment {
	if len(secs) == 0 {
		return out
	}
	first, last := secs[0], secs[len(secs)-1]
	size := last.Offset + last.Size - first.Offset
	return append(out, segment{ptype: ptLoad, flags: flags, offset: first.Offset, filesz: size, memsz: size})
}

// appendData adds the writable segment. Its memory size counts the sections without file bytes as if they lay one after
// the other from the segment's end in the file on, each at its alignment of the absolute position (observed).
func (l *link) appendData(out []segment, secs []*section) []segment {
	if len(secs) == 0 {
		return out
	}
	first, last := secs[0], secs[len(secs)-1]
	end := last.Offset
	if !last.NoBits() {
		end += last.Size
	}
	memory := uint64(0) // counted from the end of the file's bytes as if that were 0 (observed)
	for _, s := range secs {
		if s.NoBits() {
			memory = alignUp(memory, l.align(s)) + s.Size
		}
	}
	return append(out, segment{ptype: ptLoad, flags: pfR | pfW, offset: first.Offset, filesz: end - first.Offset, memsz: end - first.Offset + memory})
}
