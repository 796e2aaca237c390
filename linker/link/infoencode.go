package link

import (
	"slices"

	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/slab"
)

// infoEncoder is where one goroutine makes records: the payloads that it changes, the bytes of sections, and the list that it
// works on, which the next section reuses.
type infoEncoder struct {
	bytes   slab.Pool[byte]
	scratch []nvinfo.Record
}

// pack writes records into a slab.
func (e *infoEncoder) pack(recs []nvinfo.Record) []byte {
	size := 0
	for i := range recs {
		size += recs[i].Size()
	}
	b := e.bytes.Take(size)[:0]
	for i := range recs {
		b = recs[i].Append(b)
	}
	return b
}

// clone copies a payload that is to be changed.
func (e *infoEncoder) clone(payload []byte) []byte {
	b := e.bytes.Take(len(payload))
	copy(b, payload)
	return b
}

// partsPerJob is how many inputs' .nv.info one goroutine encodes at once.
const partsPerJob = 64

// encodeForms writes the records of both forms into the output sections. Beside that it does what can be done at the same time:
// first what comes first, then, on one goroutine, last. Every input record is put in front of those that were read before; records of the linker's own
// follow (observed).
func (l *link) encodeForms(plain, merc *infoForm, first []func(), last func()) error {
	banks := l.parameterBankSymbols()
	var secs []*section
	for _, s := range l.Secs[1:] {
		if s.Kind == kindInfoFunc {
			secs = append(secs, s)
		}
	}
	loop := parallel.Loop{Jobs: l.Jobs, Grain: 1}
	// .nv.info is long, so pieces of it are made at once, the last inputs' first. Twins must be compared as a whole.
	global := l.Secs[l.info]
	var pieces [][]byte
	if merc == nil {
		pieces = make([][]byte, (len(global.Parts)+partsPerJob-1)/partsPerJob)
	}
	encoders := make([]infoEncoder, loop.Workers(max(len(first)+len(pieces), len(secs)+2)))
	if err := loop.Do(len(first)+len(pieces), func(worker, i int) error {
		if i < len(first) {
			first[i]()
			return nil
		}
		i -= len(first)
		end := len(global.Parts) - i*partsPerJob
		e := &encoders[worker]
		recs, err := plain.records(e, e.scratch[:0], global, global.Parts[max(end-partsPerJob, 0):end], banks)
		pieces[i], e.scratch = e.pack(recs), recs
		return err
	}); err != nil {
		return err
	}
	if merc == nil {
		pieces = append(pieces, encoders[0].pack(plain.ownRecords(nil, global)))
		global.Data = slices.Concat(pieces...)
		global.Size = uint64(len(global.Data))
	} else {
		secs = append([]*section{global}, secs...)
	}
	return l.loop().Do(len(secs)+1, func(worker, i int) error {
		if i == 0 {
			last()
			return nil
		}
		return l.encodeSection(&encoders[worker], plain, merc, secs[i-1], banks)
	})
}

// encodeSection writes the records of a section in its forms.
func (l *link) encodeSection(e *infoEncoder, plain, merc *infoForm, s *section, banks []uint32) error {
	recs, err := plain.records(e, e.scratch[:0], s, s.Parts, banks)
	if err != nil {
		return err
	}
	recs = plain.ownRecords(recs, s)
	e.scratch = recs
	if merc != nil {
		twins, err := merc.records(e, nil, s, s.Parts, banks)
		if err != nil {
			return err
		}
		twins = merc.ownRecords(twins, s)
		s.MercData = e.pack(twins)
		s.MercSize = uint64(len(s.MercData))
		recs = l.plainFromTwins(s, recs, twins)
	}
	s.Data = e.pack(recs)
	s.Size = uint64(len(s.Data))
	return nil
}

// parameterBankSymbols are the numbers of the section symbols of parameter banks, by code section.
func (l *link) parameterBankSymbols() []uint32 {
	banks := make([]uint32, len(l.Secs))
	for _, s := range l.Secs[1:] {
		if s.Kind == kindConstEntry || s.Kind == kindConstIndices {
			if n := l.Syms[s.Sym].Index; s.Sym != 0 && n != 0 {
				banks[s.Owner] = n
			}
		}
	}
	return banks
}

// records appends the image's records of a section's parts to out.
func (f *infoForm) records(e *infoEncoder, out []nvinfo.Record, s *section, parts []part, banks []uint32) ([]nvinfo.Record, error) {
	edit := f.editOf(s)
	for i := len(parts) - 1; i >= 0; i-- {
		p, ok := f.part(&parts[i])
		if !ok {
			continue
		}
		if like, ok := f.like[s.ID]; ok {
			p = like
		}
		begin := len(out)
		r := nvinfo.Read(p.data)
		for r.Next() {
			if rec, ok := f.record(e, &p, s, &r.Record, edit, banks); ok {
				out = append(out, rec)
			}
		}
		if err := r.Err(); err != nil {
			return nil, p.malformed(err)
		}
		slices.Reverse(out[begin:])
		if f.merc && s.Kind == kindInfoFunc {
			out = withISAVersion(out, begin, p.in)
		}
	}
	return out, nil
}

// withISAVersion adds the Mercury instruction set of a function's code before the records from begin on if none of them names it, as in
// objects of 12.8 and 12.9 (observed).
func withISAVersion(out []nvinfo.Record, begin int, in *input) []nvinfo.Record {
	if slices.ContainsFunc(out[begin:], func(r nvinfo.Record) bool { return r.Code == nvinfo.MercuryISAVersion }) {
		return out
	}
	return slices.Insert(out, begin, nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.MercuryISAVersion, Field: max(in.isa, firstISA)})
}

// editOf is what propagation changes in the records of a section; it is not to be changed here.
func (f *infoForm) editOf(s *section) *infoEdit {
	if s.Kind == kindInfoFunc {
		if fn := f.l.infoFunction(s); f.edits[fn] != nil {
			return f.edits[fn]
		}
	}
	return &f.noEdit
}

// ownRecords appends the records that the linker makes itself.
func (f *infoForm) ownRecords(out []nvinfo.Record, s *section) []nvinfo.Record {
	l := f.l
	if s.Kind == kindInfoFunc && l.Secs[s.Owner].Kind == kindUFT && !l.rel && l.infoFunction(s) != 0 {
		out = f.appendStubs(out)
	} else {
		out = append(out, f.editOf(s).add...)
	}
	if s.ID == l.info && !l.rel && l.hasPreV10Object() {
		out = append(out, nvinfo.Record{Format: nvinfo.NVAL, Code: nvinfo.HasPreV10Object})
	}
	if s.ID == l.info && !l.rel {
		for _, e := range l.entriesBySymbol() {
			payload := le.AppendUint32(le.AppendUint32(nil, l.Syms[l.Funcs[e].Sym].Index), l.attr.stack[e])
			out = append(out, nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.MinStackSize, Payload: payload})
		}
		out = f.appendStubRegisters(out)
	}
	return out
}

// firstV10 is the version word of CUDA 10.0.
const firstV10 = 100

// hasPreV10Object reports whether an input was compiled before CUDA 10, of which the image tells (observed).
func (l *link) hasPreV10Object() bool {
	return slices.ContainsFunc(l.Inputs, func(in *input) bool { return in.File.ABI() == 7 && in.File.Version < firstV10 })
}

// record makes the image's record of an input's; false if the record goes away.
func (f *infoForm) record(e *infoEncoder, p *infoPart, s *section, r *nvinfo.Record, d *infoEdit, banks []uint32) (nvinfo.Record, bool) {
	rec := *r
	if rec.Code == nvinfo.Error {
		return rec, false
	}
	switch nvinfo.Lookup(rec.Code).Symbols {
	case nvinfo.FirstWord:
		return f.symbolRecord(e, p, s, rec, banks)
	case nvinfo.FirstWordOrZero:
		return f.zeroableRecord(e, p, rec), true
	}
	switch rec.Code {
	case nvinfo.CrsStackSize:
		if d.setCrs {
			rec.Payload = le.AppendUint32(nil, d.crs)
		}
		return rec, true
	case nvinfo.SyncStack:
		if d.setCrs {
			rec.Payload = le.AppendUint32(nil, rec.Word(0)&^syncStackMask|d.crs&syncStackMask)
		}
		return rec, true
	case nvinfo.SparseMmaMask:
		if d.setMask && rec.Format != nvinfo.SVAL {
			rec.Field = d.mask
		}
		return rec, true
	}
	switch t := f.l.track(rec.Code); t {
	case tExterns, tFragments:
		return f.listRecord(p, t, rec, d)
	case tCtaInit, tBarriers, tMbarriers, tReconfig:
		if d.set[t] && rec.Format != nvinfo.SVAL {
			rec.Field = d.value[t]
		}
	}
	return rec, true
}

// zeroableRecord renumbers a record whose first word is a symbol number or 0. 0 stands for 12.4's nameless function where there is one
// (observed).
func (f *infoForm) zeroableRecord(e *infoEncoder, p *infoPart, rec nvinfo.Record) nvinfo.Record {
	if rec.Format != nvinfo.SVAL || len(rec.Payload) < 4 {
		return rec
	}
	n := uint32(0)
	if id := f.symbolAt(p.in, rec.Word(0)); id != 0 {
		n = f.l.Syms[id].Index
	} else if p.in.Unnamed != 0 && rec.Word(0) == 0 {
		n = f.l.Syms[p.in.Unnamed].Index
	}
	if n != rec.Word(0) {
		rec.Payload = e.clone(rec.Payload)
		rec.SetWord(0, n)
	}
	return rec
}

// symbolRecord renumbers a record that is about a symbol. It goes away with its symbol.
func (f *infoForm) symbolRecord(e *infoEncoder, p *infoPart, s *section, rec nvinfo.Record, banks []uint32) (nvinfo.Record, bool) {
	l := f.l
	if f.losers(p.in, &rec) && s.Kind == kindInfo || (rec.Code == nvinfo.MaxStackSize || rec.Code == nvinfo.MinStackSize) && !l.rel {
		return rec, false
	}
	n := uint32(0)
	var id symID
	if rec.Code == nvinfo.ParamCbank {
		// The record names the parameter bank's section symbol; some inputs name a local symbol in it or the section.
		n = banks[s.Owner]
	} else {
		id = f.symbolAt(p.in, rec.Word(0))
		n = l.Syms[id].Index
		if s.Kind == kindInfo && !l.rel && l.isStub(&l.Syms[id]) {
			return rec, false
		}
	}
	if n == 0 {
		return rec, false
	}
	rec.Payload = e.clone(rec.Payload)
	rec.SetWord(0, n)
	if rec.Code == nvinfo.Regcount {
		if fn := l.Syms[id].Func; fn != 0 && l.Funcs[fn].Entry && !l.rel {
			rec.SetWord(1, f.registers(fn))
		}
	}
	return rec, true
}

// listRecord replaces the words of a record by those that stay, or by those that propagation gave; false if none is left.
func (f *infoForm) listRecord(p *infoPart, t tracked, rec nvinfo.Record, d *infoEdit) (nvinfo.Record, bool) {
	l := f.l
	var words []uint32
	switch {
	case d.drop[t]:
		return rec, false
	case d.set[t]:
		words = d.words[wordList(t)]
	case t == tFragments:
		return rec, l.rel && len(rec.Payload) > 0 // functions that are no entries lose theirs
	default:
		for i := range rec.Words() {
			if id := f.symbolAt(p.in, rec.Word(i)); l.staysExtern(id) {
				words = append(words, l.Syms[id].Index)
			}
		}
	}
	if len(words) == 0 {
		return rec, false
	}
	rec.Payload = make([]byte, 0, 4*len(words))
	for _, w := range words {
		rec.Payload = le.AppendUint32(rec.Payload, w)
	}
	return rec, true
}

// plainFromTwins orders the plain records of a Mercury image as the reference does, which generates them from the twins:
// each record of the twin but MERCURY_FINALIZER_OPTIONS, with places in the code as the plain section has them; then plain
// records without a twin in the order of the input; then the banks of a kernel with a descriptor table (observed).
func (l *link) plainFromTwins(s *section, plain, twins []nvinfo.Record) []nvinfo.Record {
	out := make([]nvinfo.Record, 0, len(plain)+2)
	m := newRecordMatcher(plain)
	for i := range twins {
		if twins[i].Code == nvinfo.MercuryFinalizerOption {
			continue
		}
		if at := m.take(&twins[i]); at >= 0 && ofInstructions(plain[at].Code) {
			out = append(out, plain[at])
		} else {
			out = append(out, twins[i])
		}
	}
	for i, taken := range slices.Backward(m.taken) {
		if !taken && withoutTwin(plain[i].Code) {
			out = append(out, plain[i])
		}
	}
	if s.Kind == kindInfoFunc && s.Owner == l.uft {
		return oneWorkaround(out)
	}
	if s.Kind == kindInfoFunc && !l.rel && l.hasDescriptors(l.infoFunction(s)) {
		out = append(out, nvinfo.Record{Format: nvinfo.BVAL, Code: nvinfo.BindlessTextureBank},
			nvinfo.Record{Format: nvinfo.BVAL, Code: nvinfo.BindlessSurfaceBank})
	}
	return out
}

// ofInstructions reports whether a record speaks of places in the code, which the two forms count differently.
func ofInstructions(c nvinfo.Code) bool {
	switch nvinfo.Lookup(c).Payload {
	case nvinfo.InstructionOffsets, nvinfo.BranchTargets:
		return true
	}
	return c == nvinfo.Annotations // pairs of a 1 and a place
}

// withoutTwin reports whether a record is in plain sections only.
func withoutTwin(c nvinfo.Code) bool {
	switch c {
	case nvinfo.ParamCbank, nvinfo.CbankParamSize, nvinfo.SwWar, nvinfo.BindlessTextureBank, nvinfo.BindlessSurfaceBank:
		return true
	}
	return false
}

// recordMatcher finds the plain record of a twin: the first one not yet taken of the same code and, for records about a
// function, of the same symbol.
type recordMatcher struct {
	plain []nvinfo.Record
	taken []bool
	first int // everything before is taken
	// byKey holds the positions of records by key, when there are many.
	byKey map[uint64][]int
}

func newRecordMatcher(plain []nvinfo.Record) *recordMatcher {
	m := &recordMatcher{plain: plain, taken: make([]bool, len(plain))}
	const many = 64
	if len(plain) > many {
		m.byKey = make(map[uint64][]int, len(plain))
		for i := range plain {
			k := matchKey(&plain[i])
			m.byKey[k] = append(m.byKey[k], i)
		}
	}
	return m
}

func matchKey(r *nvinfo.Record) uint64 {
	switch r.Code {
	case nvinfo.Regcount, nvinfo.FrameSize, nvinfo.MinStackSize, nvinfo.MaxStackSize:
		return uint64(r.Code)<<32 | uint64(r.Word(0))
	}
	return uint64(r.Code) << 32
}

// take returns the position of the record that matches r, -1 if there is none.
func (m *recordMatcher) take(r *nvinfo.Record) int {
	k := matchKey(r)
	if m.byKey != nil {
		list := m.byKey[k]
		if len(list) == 0 {
			return -1
		}
		m.byKey[k] = list[1:]
		m.taken[list[0]] = true
		return list[0]
	}
	for i := m.first; i < len(m.plain); i++ {
		if !m.taken[i] && matchKey(&m.plain[i]) == k {
			m.taken[i] = true
			for m.first < len(m.plain) && m.taken[m.first] {
				m.first++
			}
			return i
		}
	}
	return -1
}
