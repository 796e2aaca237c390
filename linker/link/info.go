package link

import (
	"errors"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/slab"
)

// infoForm is the attribute records of a link in one of two forms: those of .nv.info* or, in a Mercury link, those of
// their twins. Both forms go through the same rules, each with its own records (observed).
type infoForm struct {
	l    *link
	merc bool
	// functions are the sections of functions' attributes.
	functions []*section
	// like are the records that stand for those of a section (likeNamed), by its number; nil if there are none.
	like map[secID]infoPart
	// own are the attributes of each function, by funcID.
	own []ownAttrs
	// edits are what propagation changes in the records of entries and adds to those of other functions, by funcID.
	edits  []*infoEdit
	noEdit infoEdit
	sums   reachValues[infoSum]
	// stubs are the records that stubs of unified functions took over.
	stubs []stubRecord
	// anyReconfig is true if any function of the image sets its register count at run time.
	anyReconfig bool
}

// infoPart is one input's section of attributes.
type infoPart struct {
	in   *input
	sec  int32
	data []byte
}

// part finds an output section's contribution in this form; false if an input has none in it.
func (f *infoForm) part(p *part) (infoPart, bool) {
	index := p.Sec
	if f.merc {
		index = p.Merc
	}
	in := f.l.Inputs[p.In]
	return infoPart{in, index, in.File.Sections[index].Data}, index != 0
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
func (l *link) track(c nvinfo.Code) tracked {
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
	if !l.release.newAttributes {
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

// readingPos is where a record stands in the reading order of a form: inputs in link order, their sections by number,
// the records of a section by offset. 0 is no place.
type readingPos uint64

// at is the place of a record, or of a word of it, at a byte offset.
func (p *infoPart) at(offset int) readingPos {
	const offsetBits, sectionBits = 24, 20 // a million sections, and as many inputs
	return readingPos(p.in.ID)<<(sectionBits+offsetBits) | readingPos(p.sec)<<offsetBits | readingPos(min(offset+1, 1<<offsetBits-1))
}

// word is an element of a list attribute: a symID in EXTERNS, a plain number in AT_ENTRY_FRAGMENTS.
type word struct {
	value uint32
	at    readingPos
}

// ownAttrs is what the records of one function say.
type ownAttrs struct {
	reg, frame uint32
	crs        uint32 // CRS_STACK_SIZE or SYNC_STACK, whichever was read last
	mask       uint16 // SPARSE_MMA_MASK
	limit      uint16 // MAXREG_COUNT
	hasSection bool
	hasReg     bool
	hasCrs     bool
	hasMask    bool
	// tracked are the attributes that propagate, nil if the function has none.
	tracked *trackedAttrs
}

// trackedAttrs are a function's attributes that propagate.
type trackedAttrs struct {
	// first is where the first record of a code stands, value its value: the sum for NUM_MBARRIERS, the last low
	// byte that is not 0 for REG_RECONFIG, the maximum for others; firstValue is that of the first record.
	first             [trackedCount]readingPos
	value, firstValue [trackedCount]uint16
	words             [2][]word // EXTERNS (what of it stays in the image), AT_ENTRY_FRAGMENTS
}

func (o *ownAttrs) has(t tracked) bool { return o.tracked != nil && o.tracked.first[t] != 0 }

// value is the value of a tracked attribute, 0 without a record.
func (o *ownAttrs) value(t tracked) uint16 {
	if o.tracked == nil {
		return 0
	}
	return o.tracked.value[t]
}

// words is a list attribute.
func (o *ownAttrs) words(t tracked) []word {
	if o.tracked == nil {
		return nil
	}
	return o.tracked.words[wordList(t)]
}

// wordList is the position of a list attribute in ownAttrs.words.
func wordList(t tracked) int { return int(t - tExterns) }

// symbols maps the symbol numbers that the form's records use.
func (f *infoForm) symbols(in *input) []symID {
	if f.merc {
		return in.Syms
	}
	return in.PlainSyms
}

// symbolAt maps a symbol number of a record, 0 if it names no symbol that was entered.
func (f *infoForm) symbolAt(in *input, n uint32) symID {
	if s := f.symbols(in); int64(n) < int64(len(s)) {
		return s[n]
	}
	return 0
}

// readInfo collects the records of one form.
func (l *link) readInfo(merc bool) (*infoForm, error) {
	f := &infoForm{l: l, merc: merc, own: make([]ownAttrs, len(l.Funcs)), edits: make([]*infoEdit, len(l.Funcs))}
	if err := f.readCounts(); err != nil {
		return nil, l.refuse(err)
	}
	for _, s := range l.Secs[1:] {
		if s.Kind == kindInfoFunc && len(s.Parts) > 0 {
			f.functions = append(f.functions, s)
		}
	}
	f.likeNamed()
	if err := l.parallel(len(f.functions), func(i int) error { return f.readFunction(f.functions[i]) }); err != nil {
		return nil, l.refuse(err)
	}
	for i := range f.own {
		f.anyReconfig = f.anyReconfig || f.own[i].has(tReconfig)
	}
	return f, nil
}

// syncStackMask is the part of SYNC_STACK that is a size; the bits above stay what they are (observed).
const syncStackMask = 0xffff

// infoFunction is the function whose attributes a section holds.
func (l *link) infoFunction(s *section) funcID { return l.Syms[l.Secs[s.Owner].Fn].Func }

// malformedInput is a fault of an input that a goroutine found; reporting it is left to the pass, so that the message is that of the first input
// whatever the timing.
type malformedInput struct{ name, problem string }

func (e *malformedInput) Error() string { return e.name + ": " + e.problem }

// malformed is the error for a faulty section of attributes.
func (p *infoPart) malformed(err error) error {
	return &malformedInput{p.in.Name, p.in.File.Sections[p.sec].Name + ": " + err.Error()}
}

// refuse ends the link with the message of a malformed input; other errors pass.
func (l *link) refuse(err error) error {
	if m := (*malformedInput)(nil); errors.As(err, &m) {
		return l.Diag.Fatal(diag.MalformedInput, m.name, m.problem)
	}
	return err
}

// functionCount is a record of an input's .nv.info about a function of the image: its register count, its frame size, or how
// much stack it needs in code that was compiled as an extensible whole program.
type functionCount struct {
	fn    funcID
	code  nvinfo.Code
	value uint32
}

// readCounts takes register counts and frame sizes from .nv.info; of several records about a function the last counts.
func (f *infoForm) readCounts() error {
	global := f.l.Secs[f.l.info]
	counts := make([][]functionCount, len(global.Parts))
	pools := make([]slab.Pool[functionCount], f.l.loop().Workers(len(counts)))
	if err := f.l.loop().Do(len(counts), func(worker, i int) (err error) {
		counts[i], err = f.readGlobal(&global.Parts[i], &pools[worker])
		return err
	}); err != nil {
		return err
	}
	for _, list := range counts {
		for _, c := range list {
			switch o := &f.own[c.fn]; c.code {
			case nvinfo.Regcount:
				o.reg, o.hasReg = c.value, true
			case nvinfo.FrameSize:
				o.frame = c.value
			case nvinfo.MinStackSize:
				f.l.Funcs[c.fn].Unbounded = f.l.Funcs[c.fn].Unbounded || c.value == recursive
			}
		}
	}
	return nil
}

// readGlobal reads one input's records.
func (f *infoForm) readGlobal(part *part, pool *slab.Pool[functionCount]) ([]functionCount, error) {
	p, ok := f.part(part)
	if !ok {
		return nil, nil
	}
	const smallest = 12 // bytes of such a record
	counts := pool.Take(len(p.data) / smallest)[:0]
	r := nvinfo.Read(p.data)
	for r.Next() {
		if err := checkSymbolRecord(&r); err != nil {
			return nil, p.malformed(err)
		}
		switch r.Code {
		case nvinfo.Regcount, nvinfo.FrameSize, nvinfo.MinStackSize:
		default:
			continue
		}
		if f.losers(p.in, &r.Record) {
			continue
		}
		id := f.symbolAt(p.in, r.Word(0))
		fn := f.l.Syms[id].Func
		if id == 0 || fn == 0 || f.l.Syms[id].Index == 0 || !f.l.rel && f.l.isStub(&f.l.Syms[id]) {
			continue
		}
		counts = append(counts, functionCount{fn, r.Code, r.Word(1)})
	}
	if err := r.Err(); err != nil {
		return nil, p.malformed(err)
	}
	return counts, nil
}

// checkSymbolRecord refuses a record that should name a symbol and has no room for its number; the reference crashes.
func checkSymbolRecord(r *nvinfo.Reader) error {
	if nvinfo.Lookup(r.Code).Symbols == nvinfo.FirstWord && (r.Format != nvinfo.SVAL || len(r.Payload) < 4) {
		return &nvinfo.FormatError{Offset: r.Offset, Problem: r.Code.String() + " without a symbol"}
	}
	return nil
}

// losers reports whether a record of .nv.info belongs to a definition that lost to another: its sizes and counts go with it.
func (f *infoForm) losers(in *input, r *nvinfo.Record) bool {
	switch r.Code {
	case nvinfo.FrameSize, nvinfo.MinStackSize, nvinfo.MaxStackSize, nvinfo.Regcount, nvinfo.SamRegionStackSize:
		n := r.Word(0)
		return int64(n) < int64(len(in.Lost)) && in.Lost[n] != notLost
	}
	return false
}

// readFunction takes what is propagated from the records of one function.
func (f *infoForm) readFunction(s *section) error {
	o := &f.own[f.l.infoFunction(s)]
	for i := range s.Parts {
		if p, ok := f.part(&s.Parts[i]); ok {
			o.hasSection = true
			if err := o.read(f, &p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *ownAttrs) read(f *infoForm, p *infoPart) error {
	r := nvinfo.Read(p.data)
	for r.Next() {
		if err := checkSymbolRecord(&r); err != nil {
			return p.malformed(err)
		}
		switch r.Code {
		case nvinfo.CrsStackSize:
			o.crs, o.hasCrs = r.Word(0), true
		case nvinfo.SyncStack:
			o.crs, o.hasCrs = r.Word(0)&syncStackMask, true
		case nvinfo.SparseMmaMask:
			if !o.hasMask {
				o.mask, o.hasMask = r.Field, true
			}
		case nvinfo.MaxregCount:
			o.limit = r.Field
		}
		if t := f.l.track(r.Code); t != untracked {
			if o.tracked == nil {
				o.tracked = new(trackedAttrs)
			}
			o.tracked.add(f, p, t, &r)
		}
	}
	if err := r.Err(); err != nil {
		return p.malformed(err)
	}
	return nil
}

func (o *trackedAttrs) add(f *infoForm, p *infoPart, t tracked, r *nvinfo.Reader) {
	if o.first[t] == 0 {
		o.first[t] = p.at(r.Offset)
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
			*list = append(*list, word{w, p.at(r.Offset + 4*i)})
		}
	case tMbarriers:
		o.value[t] += r.Field
	case tReconfig:
		if low := r.Field & 0xff; low != 0 {
			o.value[t] = low
		}
	default:
		o.value[t] = max(o.value[t], r.Field)
	}
}

// staysExtern reports whether an element of EXTERNS stays: functions that are undefined in the image, and kernels, whose
// address another file's kernel may take (observed).
func (l *link) staysExtern(id symID) bool {
	s := &l.Syms[id]
	return id != 0 && s.Index != 0 && s.Type() == cubin.STTFunc && (s.Undefined() || s.Other&cubin.STOEntry != 0)
}
