package link

import "slices"

// compilerConstants gives every kernel the compiler's constants (bank 2) of the functions that it reaches. A function
// has one offset for all of its kernels, since its code holds that offset: behind the largest of their banks. The
// functions are taken from the last to the first (observed).
func (l *link) compilerConstants() {
	banks := l.compilerBanks()
	for i := range slices.Backward(l.FuncConsts) {
		l.placeFunctionConstants(&l.FuncConsts[i], banks)
	}
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstFunc && s.Size > bankLimit {
			l.shareCompilerConstants()
			return
		}
	}
	for i := range slices.Backward(l.FuncConsts) {
		l.copyFunctionConstants(&l.FuncConsts[i], banks)
	}
}

// compilerBanks lists the sections of bank 2 of kernels, by code section.
func (l *link) compilerBanks() []secID {
	banks := make([]secID, len(l.Secs))
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstFunc && s.Owner != 0 && l.Secs[s.Owner].Kernel {
			banks[s.Owner] = s.ID
		}
	}
	return banks
}

// dropReplaced leaves out the copies of a function's constants that came before the definition that counts: when it
// replaced an earlier one, what had been gathered was thrown away. Copies that came later lost, but stay (observed).
func (l *link) dropReplaced(parts []part, owner secID) []part {
	winner := l.Syms[l.Secs[owner].Fn].Def
	return slices.DeleteFunc(parts, func(p part) bool { return p.In < winner })
}

// leaveOutReplaced leaves such copies out of the section of one function's constants, and returns the alignment that stays: what a
// replaced definition asked for counts on. A section that is empty then goes with its name; in a relocatable link it does not if all
// copies in it had lost on arrival (observed).
func (l *link) leaveOutReplaced(s *section) (align uint64) {
	replaced := slices.ContainsFunc(s.Parts, func(p part) bool { return l.partLoss(&p) == replacedLater })
	s.Parts = l.dropReplaced(s.Parts, s.Owner)
	if len(s.Parts) == 0 && (replaced || !l.rel) {
		l.mem.replacedBanks = append(l.mem.replacedBanks, s.ID)
	}
	if replaced {
		return s.Align
	}
	return 1
}

// emptyCopy reports whether a copy of a function's constants keeps its place but not its bytes: in a Mercury image one
// of a definition that lost (observed).
func (l *link) emptyCopy(in fileID, owner secID) bool {
	return l.Mercury && owner != 0 && l.Syms[l.Secs[owner].Fn].Def != in
}

// eraseEmptyBanks takes the sections of compiler constants back that came out empty because the definition that replaced
// the constants' has none, with their relocation sections (observed).
func (l *link) eraseEmptyBanks() {
	erased := false
	for _, id := range l.mem.replacedBanks {
		if s := l.Secs[id]; s.Size == 0 {
			s.Erased, erased = true, true
		}
	}
	if !erased {
		return
	}
	for _, s := range l.Secs[1:] {
		if s.Kind == kindRela && s.Target != 0 && l.Secs[s.Target].Kind == kindConstFunc && l.Secs[s.Target].Erased {
			s.Erased = true
		}
	}
}

// placeFunctionConstants gives a function's constants their place in its kernels' banks.
func (l *link) placeFunctionConstants(fc *funcConst, banks []secID) {
	fc.Parts = l.dropReplaced(fc.Parts, fc.Owner)
	piece := l.joinCopies(fc)
	entries := l.entriesReaching(l.Syms[l.Secs[fc.Owner].Fn].Func)
	align, size := piece.align, uint64(0)
	for _, e := range entries {
		if b := banks[l.Funcs[e].Text]; b != 0 {
			align, size = max(align, l.Secs[b].Align), max(size, l.Secs[b].Size)
		}
	}
	at := alignUp(size, align)
	for i := range fc.Parts {
		p := &fc.Parts[i]
		l.moveConstants(l.Inputs[p.In], p, at)
		if p.In != l.Syms[l.Secs[fc.Owner].Fn].Def && len(entries) > 0 && len(l.variables(l.Inputs[p.In]).in(p.Sec)) > 0 {
			l.mem.nullValue = p.Off + at
		}
	}
	for _, e := range entries {
		b := banks[l.Funcs[e].Text]
		if b == 0 {
			continue
		}
		s := l.Secs[b]
		s.Size, s.Align = alignUp(at+piece.size, align), align
		if l.Mercury {
			s.MercSize = s.Size
		}
	}
}

// copyFunctionConstants copies a function's constants into its kernels' banks.
func (l *link) copyFunctionConstants(fc *funcConst, banks []secID) {
	entries := l.entriesReaching(l.Syms[l.Secs[fc.Owner].Fn].Func)
	for i := range fc.Parts {
		p := &fc.Parts[i]
		if l.emptyCopy(p.In, fc.Owner) {
			continue
		}
		size := l.copySize(fc.Owner, p)
		for _, e := range entries {
			if b := banks[l.Funcs[e].Text]; b != 0 {
				l.copyConstants(l.Secs[b], p, size)
			}
		}
	}
}

// joinCopies joins the copies of a function's constants: a weak function's losing ones count, too, and stand at the
// place of the first (observed). Part.Off gets the places relative to the piece.
func (l *link) joinCopies(fc *funcConst) (piece extent) {
	piece.align = 1
	for i := range fc.Parts {
		p := &fc.Parts[i]
		in := l.Inputs[p.In]
		h := &in.File.Sections[p.Sec]
		size := l.copySize(fc.Owner, p)
		l.mem.gap += size - min(size, uint64(len(h.Data)))
		p.Off = piece.add(size, h.Addralign)
	}
	return piece
}

// copySize is the size of one copy of the constants of a function with that code section. One that lost has what a relocatable link left behind, too (observed).
func (l *link) copySize(code secID, p *part) uint64 {
	in := l.Inputs[p.In]
	size := l.constantsSize(in, p.Sec)
	h := &in.File.Sections[p.Sec]
	if c := l.Secs[code].Parts; len(c) > 0 && c[0].In == p.In && c[0].Sec == int32(h.TextIndex()) {
		return size
	}
	return max(size, uint64(len(h.Data)))
}

// constantsSize is the size of a function's constants: the end of the last that has a symbol. What a relocatable link left behind it
// belongs to losing copies that nothing refers to, and a further link leaves it out; and the symbol of a losing copy can end behind
// the section, which a further link makes room for (observed).
func (l *link) constantsSize(in *input, index int32) uint64 {
	size := uint64(len(in.File.Sections[index].Data))
	numbers := l.variables(in).in(index)
	if len(numbers) == 0 {
		return size
	}
	end := uint64(0)
	for _, n := range numbers {
		y := &in.File.Symbols[n]
		end = max(end, y.Value+y.Size)
	}
	return min(end, size+bankLimit)
}

// constants are the bytes of a function's constants: where they end behind the section, those that follow in the file (observed).
func (in *input) constants(index int32, size uint64) []byte {
	d := in.File.Data
	d = d[min(in.File.Sections[index].Offset, uint64(len(d))):]
	return d[:min(size, uint64(len(d)))]
}

// moveConstants gives the constants of one copy their addresses. The general pass knows the place of joined sections
// alone, and these were not placed when it ran.
func (l *link) moveConstants(in *input, p *part, at uint64) {
	in.Secs[p.Sec].Off = p.Off + at
	if p.Merc != 0 {
		in.Secs[p.Merc].Off = p.Off + at
	}
	for _, n := range l.variables(in).in(p.Sec) {
		if id := in.PlainSyms[n]; id != 0 && l.Syms[id].Def == in.ID {
			l.Syms[id].Value = in.File.Symbols[n].Value + p.Off + at
		}
	}
}

// copyConstants copies one copy of a function's constants, in both forms, to its place in a kernel's bank.
func (l *link) copyConstants(s *section, p *part, size uint64) {
	in := l.Inputs[p.In]
	off := in.Secs[p.Sec].Off
	for _, index := range []int32{p.Sec, p.Merc} {
		if index != 0 {
			l.copyTo(s, index != p.Sec, off, in.constants(index, size))
		}
	}
}

// constantBlock is all compiler constants of a link without repeats.
type constantBlock struct {
	extent
	data   []byte
	places map[string]uint64
}

// shareCompilerConstants is the reference's way out when a kernel's bank 2 overflows: one block with the constants of all
// kernels and functions, equal ones once, for every kernel that has any. If that is too large as well the link fails.
func (l *link) shareCompilerConstants() {
	block := constantBlock{extent: extent{align: 1}, places: map[string]uint64{}}
	type moved struct {
		sym symID
		at  uint64
	}
	var moves []moved
	for _, in := range slices.Backward(l.Inputs) {
		for i := len(in.File.Sections) - 1; i > 0; i-- {
			h := &in.File.Sections[i]
			if h.Mercury() || kindOf(h.Name, h.Owned()) != kindConstFunc || !l.reachedCode(in, int32(h.TextIndex())) {
				continue
			}
			block.align = max(block.align, h.Addralign)
			for _, n := range l.variables(in).in(int32(i)) {
				y := &in.File.Symbols[n]
				if block.size > bankLimit {
					break
				}
				at := block.unit(h.Data, y.Value, y.Size)
				if id := in.PlainSyms[n]; id != 0 && l.Syms[id].Def == in.ID {
					moves = append(moves, moved{id, at})
				}
			}
		}
	}
	if block.size > bankLimit {
		for _, s := range l.Secs[1:] {
			if s.Kind == kindConstFunc && s.Size > bankLimit {
				l.mem.excessCompiler = append(l.mem.excessCompiler, l.Syms[l.Secs[s.Owner].Fn].Name)
			}
		}
		l.dropCopies(nil)
		return
	}
	for _, m := range moves {
		l.Syms[m.sym].Value = m.at
	}
	l.dropCopies(&block)
}

// dropCopies forgets the copies into bank 2 and, if a block is given, copies it into each of these banks instead.
func (l *link) dropCopies(block *constantBlock) {
	l.mem.copies = slices.DeleteFunc(l.mem.copies, func(c copyJob) bool { return l.Secs[c.sec].Kind == kindConstFunc })
	if block == nil {
		return
	}
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstFunc && s.Size > 0 {
			s.Size, s.Align = block.size, block.align
			l.copyTo(s, false, 0, block.data)
			if l.Mercury {
				l.copyTo(s, true, 0, block.data)
				s.MercSize = block.size
			}
		}
	}
}

// reachedCode reports whether some kernel reaches the function whose code section that is.
func (l *link) reachedCode(in *input, index int32) bool {
	sec := &in.Secs[index]
	if sec.Out == 0 || sec.Dead {
		return false
	}
	text := l.Secs[sec.Out]
	if in.ID < l.Syms[text.Fn].Def {
		return false
	}
	return text.Kernel || len(l.entriesReaching(l.Syms[text.Fn].Func)) > 0
}

// unit returns the place of a constant in the block: that of an equal one, or at the end, aligned to its size.
func (b *constantBlock) unit(data []byte, off, size uint64) uint64 {
	n := uint64(len(data))
	off = min(off, n)
	bytes := data[off : off+min(size, n-off)]
	if at, ok := b.places[string(bytes)]; ok {
		return at
	}
	size = uint64(len(bytes))
	at := alignUp(b.size, size)
	b.size = at + size
	for uint64(len(b.data)) < at {
		b.data = append(b.data, 0)
	}
	b.data = append(b.data, bytes...)
	b.places[string(bytes)] = at
	return at
}
