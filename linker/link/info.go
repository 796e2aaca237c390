package link

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// infoForm is the attribute records of a link in one of two forms: those of .nv.info* or, in a Mercury link, those of
// their twins. Both forms go through the same rules, each with its own records (observed).
type infoForm struct {
	l    *Link
	merc bool
	// parts are the inputs' sections that count, in reading order: inputs in link order, their sections by number.
	parts []infoPart
	// last is, by output section, the position plus one of its last part.
	last []int32
	// own are the attributes of each function, by FuncID.
	own []ownAttrs
	// edits are what propagation changes in the records of entries and adds to those of other functions, by FuncID.
	edits []*infoEdit
	// shared is true if a section has more than one part though it belongs to one function.
	shared bool
	sums   reachValues[infoSum]
}

// infoPart is one section of attributes of an input.
type infoPart struct {
	in   *Input
	sec  int32
	fn   FuncID // 0: .nv.info itself
	out  SecID
	prev int32 // position plus one of the previous part of the same output section
	data []byte
}

// tracked is the position of a code in propagatedCodes.
type tracked uint8

// propagatedCodes are the attributes that entries take over from the functions they reach. The order is the one in which
// the reference creates records for an image's only entry (observed).
var propagatedCodes = [...]nvinfo.Code{
	nvinfo.CtaidzUsed, nvinfo.ReservedSmemUsed, nvinfo.VrcCtaInitCount, nvinfo.Tcgen05OneCTA, nvinfo.Tcgen05TwoCTA,
	nvinfo.NumBarriers, nvinfo.RegReconfig, nvinfo.NumMbarriers, nvinfo.Externs, nvinfo.AtEntryFragments,
}

const (
	tCtaidz tracked = iota
	tReservedSmem
	tCtaInit
	tOneCTA
	tTwoCTA
	tBarriers
	tReconfig
	tMbarriers
	tExterns
	tFragments
	trackedCount
	untracked
)

// trackedFormats are the formats of created records; their fields are 0 where the format holds no value, but for REG_RECONFIG.
var trackedFormats = [trackedCount]nvinfo.Format{
	nvinfo.NVAL, nvinfo.NVAL, nvinfo.BVAL, nvinfo.NVAL, nvinfo.NVAL, nvinfo.BVAL, nvinfo.NVAL, nvinfo.HVAL, nvinfo.SVAL, nvinfo.SVAL,
}

// track finds a code among those that are propagated. 12.4 leaves out those that it does not know (observed).
func (l *Link) track(c nvinfo.Code) tracked {
	switch c {
	case nvinfo.CtaidzUsed:
		return tCtaidz
	case nvinfo.ReservedSmemUsed:
		return tReservedSmem
	case nvinfo.VrcCtaInitCount:
		return tCtaInit
	case nvinfo.NumMbarriers:
		return tMbarriers
	case nvinfo.Externs:
		return tExterns
	case nvinfo.AtEntryFragments:
		return tFragments
	}
	if l.ABI == 7 {
		return untracked
	}
	switch c {
	case nvinfo.Tcgen05OneCTA:
		return tOneCTA
	case nvinfo.Tcgen05TwoCTA:
		return tTwoCTA
	case nvinfo.NumBarriers:
		return tBarriers
	case nvinfo.RegReconfig:
		return tReconfig
	}
	return untracked
}

// readingPos is where a record stands in the reading order of a form, plus one; 0 is no place.
type readingPos uint64

// word is an element of a list attribute: a SymID in EXTERNS, a plain number in AT_ENTRY_FRAGMENTS.
type word struct {
	value uint32
	at    readingPos
}

// ownAttrs is what the records of one function say.
type ownAttrs struct {
	reg, frame uint32
	crs        uint32 // CRS_STACK_SIZE or SYNC_STACK, whichever was read last
	hasSection bool
	hasReg     bool
	hasCrs     bool
	hasMask    bool
	mask       uint16 // SPARSE_MMA_MASK
	limit      uint16 // MAXREG_COUNT
	// first is where the first record of a tracked code stands, value its value: the sum for NUM_MBARRIERS, the last
	// for REG_RECONFIG, the maximum for others; firstValue is that of the first record.
	first             [trackedCount]readingPos
	value, firstValue [trackedCount]uint16
	words             [2][]word // EXTERNS (what of it stays in the image), AT_ENTRY_FRAGMENTS
}

func (o *ownAttrs) has(t tracked) bool { return o.first[t] != 0 }

// wordList is the position of a list attribute in ownAttrs.words.
func wordList(t tracked) int { return int(t - tExterns) }

// symbols maps the symbol numbers that the form's records use.
func (f *infoForm) symbols(in *Input) []SymID {
	if f.merc {
		return in.Syms
	}
	return in.PlainSyms
}

// symbolAt maps a symbol number of a record, 0 if it names no symbol that was entered.
func (f *infoForm) symbolAt(in *Input, n uint32) SymID {
	if s := f.symbols(in); int64(n) < int64(len(s)) {
		return s[n]
	}
	return 0
}

// readInfo collects the records of one form.
func (l *Link) readInfo(merc bool) (*infoForm, error) {
	f := &infoForm{l: l, merc: merc, last: make([]int32, len(l.Secs)), own: make([]ownAttrs, len(l.Funcs)), edits: make([]*infoEdit, len(l.Funcs))}
	for _, in := range l.Inputs {
		f.collect(in)
	}
	functions := make([]int32, 0, len(f.parts))
	for i := range f.parts {
		if f.parts[i].fn == 0 {
			if err := f.readGlobal(&f.parts[i]); err != nil {
				return nil, err
			}
			continue
		}
		functions = append(functions, int32(i))
	}
	read := func(i int) error { return f.readFunction(int(functions[i])) }
	if !f.shared {
		return f, l.parallel(len(functions), read)
	}
	for i := range functions {
		if err := read(i); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// collect finds the sections of an input that count: those of functions whose definition here is the image's.
func (f *infoForm) collect(in *Input) {
	want := cubin.SHTCudaInfo
	if f.merc {
		want = cubin.SHTMercInfo
	}
	for i := range in.File.Sections {
		h := &in.File.Sections[i]
		s := &in.Secs[i]
		if h.Type != want || s.Out == 0 || s.Dead || s.Lost != notLost {
			continue
		}
		p := infoPart{in: in, sec: int32(i), out: s.Out, data: h.Data}
		switch out := f.l.Secs[s.Out]; out.Kind {
		case KindInfo:
		case KindInfoFunc:
			p.fn = f.l.Syms[f.l.Secs[out.Owner].Fn].Func
			f.shared = f.shared || f.last[s.Out] != 0
			f.own[p.fn].hasSection = true
		default:
			continue
		}
		p.prev = f.last[s.Out]
		f.parts = append(f.parts, p)
		f.last[s.Out] = int32(len(f.parts))
	}
}

// malformed ends the link over a faulty section of attributes.
func (p *infoPart) malformed(l *Link, err error) error {
	var text strings.Builder
	text.WriteString(p.in.File.Sections[p.sec].Name)
	text.WriteString(": ")
	text.WriteString(err.Error())
	return l.Diag.Fatal(diag.MalformedInput, p.in.Name, text.String())
}

// readGlobal takes register counts and frame sizes from an input's .nv.info.
func (f *infoForm) readGlobal(p *infoPart) error {
	r := nvinfo.Read(p.data)
	for r.Next() {
		if err := checkSymbolRecord(&r); err != nil {
			return p.malformed(f.l, err)
		}
		if r.Code != nvinfo.Regcount && r.Code != nvinfo.FrameSize || f.losers(p.in, &r.Record) {
			continue
		}
		id := f.symbolAt(p.in, r.Word(0))
		fn := f.l.Syms[id].Func
		if id == 0 || fn == 0 || f.l.Syms[id].Index == 0 {
			continue
		}
		if r.Code == nvinfo.Regcount {
			f.own[fn].reg, f.own[fn].hasReg = r.Word(1), true
		} else {
			f.own[fn].frame = r.Word(1)
		}
	}
	if err := r.Err(); err != nil {
		return p.malformed(f.l, err)
	}
	return nil
}

// checkSymbolRecord refuses a record that should name a symbol and has no room for its number; the reference crashes.
func checkSymbolRecord(r *nvinfo.Reader) error {
	if nvinfo.Lookup(r.Code).Symbols == nvinfo.FirstWord && (r.Format != nvinfo.SVAL || len(r.Payload) < 4) {
		return &nvinfo.FormatError{Offset: r.Offset, Problem: r.Code.String() + " without a symbol"}
	}
	return nil
}

// losers reports whether a record of .nv.info belongs to a definition that lost to another: its sizes and counts go with it.
func (f *infoForm) losers(in *Input, r *nvinfo.Record) bool {
	switch r.Code {
	case nvinfo.FrameSize, nvinfo.MaxStackSize, nvinfo.Regcount, nvinfo.SamRegionStackSize:
		n := r.Word(0)
		return int64(n) < int64(len(in.Lost)) && in.Lost[n] != notLost
	}
	return false
}

// readFunction takes what is propagated from the records of one function.
func (f *infoForm) readFunction(part int) error {
	p := &f.parts[part]
	o := &f.own[p.fn]
	r := nvinfo.Read(p.data)
	for r.Next() {
		if err := checkSymbolRecord(&r); err != nil {
			return p.malformed(f.l, err)
		}
		switch r.Code {
		case nvinfo.CrsStackSize, nvinfo.SyncStack:
			o.crs, o.hasCrs = r.Word(0), true
		case nvinfo.SparseMmaMask:
			if !o.hasMask {
				o.mask, o.hasMask = r.Field, true
			}
		case nvinfo.MaxregCount:
			o.limit = r.Field
		}
		if t := f.l.track(r.Code); t != untracked {
			o.add(f, p, t, &r, readingPos(part+1)<<32|readingPos(r.Offset))
		}
	}
	if err := r.Err(); err != nil {
		return p.malformed(f.l, err)
	}
	return nil
}

func (o *ownAttrs) add(f *infoForm, p *infoPart, t tracked, r *nvinfo.Reader, at readingPos) {
	if !o.has(t) {
		o.first[t] = at
		o.firstValue[t] = r.Field
	}
	switch t {
	case tExterns, tFragments:
		list := &o.words[wordList(t)]
		for i := range r.Words() {
			w := r.Word(i)
			if t == tExterns {
				id := f.symbolAt(p.in, w)
				if !f.l.staysExtern(id) {
					continue
				}
				w = uint32(id)
			}
			*list = append(*list, word{w, at + readingPos(i)})
		}
	case tMbarriers:
		o.value[t] += r.Field
	case tReconfig:
		o.value[t] = r.Field
	default:
		o.value[t] = max(o.value[t], r.Field)
	}
}

// staysExtern reports whether an element of EXTERNS stays: functions that are undefined in the image, and kernels, whose
// address another file's kernel may take (observed).
func (l *Link) staysExtern(id SymID) bool {
	s := &l.Syms[id]
	return id != 0 && s.Index != 0 && s.Type() == cubin.STTFunc && (s.Undefined() || s.Other&cubin.STOEntry != 0)
}
