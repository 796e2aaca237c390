package link

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// Symbols of twinBench, by number in the input (both tables agree).
const (
	inMercFunc = iota + 1
	inMercAlias
	inMercGone
	inMercGlobal
	inMercConst
	inMercShared
	inMercMarker
	inMercFrame
	inMercCap
	inMercCount
)

// Sections of twinBench's input and of its link.
const (
	secText = iota + 1
	secCapsule
	secRela
	secMercRela
	secFrame
	secMercFrame
	secMercFrameRela
)

const (
	outText = iota + 1
	outRela
	outFrame
	outFrameRela
	outUser
	outGlobal
	outResolved
)

// capsuleBytes is a capsule for section 1: 3 instructions of which the first follows from SASS, the second is written out in
// full (32 bytes) and the third is the end of code.
func capsuleBytes() []byte {
	b := le.AppendUint32(nil, 1)
	b = le.AppendUint32(b, 0xc0000001)
	b = le.AppendUint32(b, 3)
	b = le.AppendUint32(b, 0b001)
	b = append(b, 0x02)
	b = append(b, make([]byte, 31)...)
	return append(b, 0x50, 0x03) // 6 SASS instructions
}

func encodeRels(entries []cubin.Rel) []byte {
	var b []byte
	for _, e := range entries {
		b = le.AppendUint64(b, e.Offset)
		b = le.AppendUint32(b, e.Type)
		b = le.AppendUint32(b, e.Sym)
		b = le.AppendUint64(b, uint64(e.Addend))
	}
	return b
}

// twinBench is a Mercury link as it stands before relocateMercury: one input whose second contribution to .debug_frame
// begins at 0x20.
func twinBench(opts Options, plain, code, frame []cubin.Rel) *link {
	opts.SM, opts.Toolkit = 100, 130
	l := &link{Options: opts, Diag: &diag.Collector{}, Mercury: true, externInstance: map[secID]symID{}}
	l.imitate()
	makeSection := func(name string, t cubin.SectionType, flags uint64, info uint32, data []byte) cubin.Section {
		return cubin.Section{Name: name, Type: t, Flags: flags, Info: info, Size: uint64(len(data)), Data: data}
	}
	merc := cubin.SHFMercury
	file := &cubin.File{Sections: []cubin.Section{
		{},
		secText:          makeSection(".text.f", cubin.SHTProgbits, 0, 0, make([]byte, 128)),
		secCapsule:       makeSection(".nv.capmerc.text.f", cubin.SHTCudaCapsule, merc, 0, capsuleBytes()),
		secRela:          makeSection(".rela.text.f", cubin.SHTRela, cubin.SHFInfoLink, secText, encodeRels(plain)),
		secMercRela:      makeSection(".nv.merc.rela.text.f", cubin.SHTMercRela, cubin.SHFInfoLink|merc, secCapsule, encodeRels(code)),
		secFrame:         makeSection(".debug_frame", cubin.SHTProgbits, 0, 0, make([]byte, 16)),
		secMercFrame:     makeSection(".nv.merc.debug_frame", cubin.SHTProgbits, merc, 0, bytes.Repeat([]byte{0xee}, 16)),
		secMercFrameRela: makeSection(".nv.merc.rela.debug_frame", cubin.SHTMercRela, cubin.SHFInfoLink|merc, secMercFrame, encodeRels(frame)),
	}}
	file.Symbols = []cubin.Symbol{
		{},
		inMercFunc:   fileSymbol("f", cubin.STTFunc, cubin.STBGlobal, 0),
		inMercAlias:  fileSymbol("also", cubin.STTFunc, cubin.STBGlobal, 0),
		inMercGone:   fileSymbol("gone", cubin.STTFunc, cubin.STBGlobal, 0),
		inMercGlobal: fileSymbol("g", cubin.STTCudaObject, cubin.STBGlobal, cubin.STOGlobal),
		inMercConst:  fileSymbol("c", cubin.STTCudaObject, cubin.STBGlobal, cubin.STOConstant),
		inMercShared: fileSymbol("s", cubin.STTCudaObject, cubin.STBGlobal, cubin.STOShared),
		inMercMarker: fileSymbol("__UFT_OFFSET", cubin.STTObject, cubin.STBWeak, 0),
		inMercFrame:  fileSymbol(".debug_frame", cubin.STTSection, cubin.STBLocal, 0),
		inMercCap:    fileSymbol(".nv.reservedSmem.cap", cubin.STTCudaObject, cubin.STBWeak, cubin.STOReservedShrd),
	}
	file.Symbols[inMercShared].Size = 4
	file.Symbols[inMercFrame].Shndx = secMercFrame
	file.MercSymbols = file.Symbols
	in := &input{Name: "a.cubin", File: file, Secs: make([]inSection, len(file.Sections)), Lost: make([]lossKind, inMercCount)}
	l.Inputs = []*input{in}
	l.Secs = []*section{
		{},
		outText:      {ID: outText, Name: ".text.f", Kind: kindText, Fn: inMercFunc, Parts: []part{{Sec: secText, Merc: secCapsule}}},
		outRela:      {ID: outRela, Name: ".rela.text.f", Kind: kindRela, Target: outText, Parts: []part{{Sec: secRela, Merc: secMercRela}}},
		outFrame:     {ID: outFrame, Name: ".debug_frame", Kind: kindDebug, MercData: bytes.Repeat([]byte{0xee}, 0x30), MercSize: 0x30},
		outFrameRela: {ID: outFrameRela, Name: ".rela.debug_frame", Kind: kindRela, Target: outFrame, Parts: []part{{Merc: secMercFrameRela}}},
		outUser:      {ID: outUser, Name: mercUser, Kind: kindConstUser},
		outGlobal:    {ID: outGlobal, Name: ".nv.global", Kind: kindGlobal},
		outResolved:  {ID: outResolved, Name: ".nv.resolvedrela.text.f", Kind: kindResolved, Target: outText},
	}
	l.Secs[outFrame].Sym = inMercFrame
	for twin, out := range map[int]secID{secCapsule: outText, secMercRela: outRela, secMercFrameRela: outFrameRela} {
		in.Secs[twin].Out = out
	}
	in.Secs[secMercFrame] = inSection{Out: outFrame, Off: 0x20}
	l.Syms = make([]symbol, inMercCount)
	in.Syms = make([]symID, inMercCount)
	for i := 1; i < inMercCount; i++ {
		y := &file.Symbols[i]
		l.Syms[i] = symbol{Name: y.Name, Info: y.Info, Other: y.Other, Size: y.Size, Index: uint32(i), Shndx: 1}
		if i != inMercFrame {
			in.Syms[i] = symID(i)
		}
	}
	in.PlainSyms = in.Syms
	l.Syms[inMercFunc].Sec, l.Syms[inMercAlias].Sec = outText, outText
	l.Syms[inMercGlobal].Sec = outGlobal
	l.Syms[inMercConst].Sec, l.Syms[inMercConst].Value = outUser, 0x24
	l.Syms[inMercFrame].Of = outFrame
	l.Syms[inMercGone].Dead, l.Syms[inMercGone].Index = true, 0
	for _, n := range []int{inMercMarker, inMercCap} {
		l.Syms[n].Def, l.Syms[n].Shndx = noFile, 0
	}
	l.Funcs = make([]function, 1)
	return l
}

func kept(s *section) []outRel { return s.MercRels }

func TestCapsuleGetsValuesOnlyInWholeInstructions(t *testing.T) {
	// The constant is used by SASS instruction 1, which the capsule writes out, and by number 0, which it does not.
	plain := []cubin.Rel{{Offset: 16, Type: 115, Sym: inMercConst}, {Offset: 0, Type: 115, Sym: inMercConst}}
	code := []cubin.Rel{{Offset: 0x2c, Type: 0x10003, Sym: inMercConst, Addend: 4}, {Offset: 0xc, Type: 0x10003, Sym: inMercConst}}
	l := twinBench(Options{}, plain, code, nil)
	if err := l.relocateMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := capsuleBytes()
	le.PutUint32(want[16+16+12:], 0x28) // second unit of the record at 16, byte 12
	if diff := cmp.Diff(want, l.Secs[outText].MercData); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(kept(l.Secs[outRela])); n != 0 {
		t.Errorf("%d entries stay, want none", n)
	}
}

func TestCapsuleStaysWhenTheFormsHaveDifferentNumbersOfEntries(t *testing.T) {
	plain := []cubin.Rel{{Offset: 16, Type: 115, Sym: inMercConst}}
	code := []cubin.Rel{{Offset: 0x2c, Type: 0x10003, Sym: inMercConst}, {Offset: 0x3c, Type: 0x10003, Sym: inMercConst}}
	l := twinBench(Options{}, plain, code, nil)
	if err := l.relocateMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(capsuleBytes(), l.Secs[outText].MercData) {
		t.Error("a value was written")
	}
}

func TestTwinEntriesThatStayAreReversedAndPlain(t *testing.T) {
	code := []cubin.Rel{
		{Offset: 0x10, Type: 0x10005, Sym: inMercGlobal, Addend: 1},
		{Offset: 0x20, Type: 0x1003e, Sym: inMercAlias},
		{Offset: 0x30, Type: 0x10002, Sym: inMercMarker},
		{Offset: 0x40, Type: 0x10003, Sym: inMercCap},
		{Offset: 0x50, Type: 0x10002, Sym: inMercGone},
	}
	for _, test := range []struct {
		name string
		opts Options
		typ  uint32
	}{{"executable", Options{}, 0x10005}, {"relocatable", Options{Relocatable: true}, 0x1003e}} {
		l := twinBench(test.opts, nil, code, nil)
		if err := l.relocateMercury(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := []outRel{
			{Offset: 0x40, Sym: inMercCap, Type: 0x10003},
			{Offset: 0x20, Sym: inMercFunc, Type: test.typ}, // the alias gives way to its function
			{Offset: 0x10, Sym: inMercGlobal, Type: 0x10005, Addend: 1},
		}
		if diff := cmp.Diff(want, kept(l.Secs[outRela])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestTwinFramesAreMovedClearedAndApplied(t *testing.T) {
	frame := []cubin.Rel{
		{Offset: 0, Type: 0x10002, Sym: inMercFrame, Addend: 5},
		{Offset: 8, Type: 0x1000e, Sym: inMercGone},
		{Offset: 8, Type: 0x1000e, Sym: inMercFunc},
		{Offset: 8, Type: 0x1003d, Sym: inMercFunc, Addend: 0x100},
	}
	l := twinBench(Options{}, nil, nil, frame)
	if err := l.relocateMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte{0xee}, 0x30)
	le.PutUint64(want[0x20:], 0x25)
	le.PutUint64(want[0x28:], 0)
	if diff := cmp.Diff(want, l.Secs[outFrame].MercData); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
	stay := []outRel{{Offset: 0x28, Sym: inMercFunc, Type: 0x1003d, Addend: 0x100}}
	if diff := cmp.Diff(stay, kept(l.Secs[outFrameRela])); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestTwinFramesOfADefinitionThatLostOnArrivalGo(t *testing.T) {
	frame := []cubin.Rel{{Offset: 8, Type: 0x1003d, Sym: inMercFunc}}
	for lost, want := range map[lossKind]int{notLost: 1, lostOnArrival: 0, replacedLater: 1} {
		l := twinBench(Options{}, nil, nil, frame)
		l.Inputs[0].Lost[inMercFunc] = lost
		if err := l.relocateMercury(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := len(kept(l.Secs[outFrameRela])); got != want {
			t.Errorf("loss %d: %d entries stay, want %d", lost, got, want)
		}
	}
}

func TestAppliedSharedEntriesOfCodeAreRecorded(t *testing.T) {
	code := []cubin.Rel{{Offset: 0x10, Type: 0x10003, Sym: inMercShared}, {Offset: 0x20, Type: 0x10003, Sym: inMercShared, Addend: 4},
		{Offset: 0x30, Type: 0x10003, Sym: inMercConst}}
	l := twinBench(Options{PreserveRelocs: true}, nil, code, nil)
	l.resolved = map[string]secID{".text.f": outResolved}
	if err := l.relocateMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []outRel{{Offset: 0x20, Sym: inMercShared, Type: 0x10003, Addend: 4}, {Offset: 0x10, Sym: inMercShared, Type: 0x10003}}
	if diff := cmp.Diff(want, l.Secs[outResolved].MercRels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRelocatableTwinsKeepWhatALaterLinkCanChange(t *testing.T) {
	code := []cubin.Rel{{Offset: 0x10, Type: 0x10003, Sym: inMercShared}, {Offset: 0x30, Type: 0x10003, Sym: inMercConst}}
	frame := []cubin.Rel{{Offset: 8, Type: 0x1000e, Sym: inMercFunc}}
	l := twinBench(Options{Relocatable: true, KeepSettledRelocs: true}, nil, code, frame)
	if err := l.relocateMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := len(kept(l.Secs[outRela])); got != 2 {
		t.Errorf("%d entries of code stay, want 2", got)
	}
	if got := len(kept(l.Secs[outFrameRela])); got != 1 {
		t.Errorf("%d entries of frames stay, want 1", got)
	}
}

func TestTwinEntriesOutsideTheirSectionAreRefused(t *testing.T) {
	for name, frame := range map[string][]cubin.Rel{
		"place":  {{Offset: 16, Type: 0x1003d, Sym: inMercFunc}},
		"field":  {{Offset: 12, Type: 0x10002, Sym: inMercFrame}},
		"symbol": {{Offset: 0, Type: 0x10002, Sym: 1 << 20}},
	} {
		l := twinBench(Options{}, nil, nil, frame)
		l.Secs[outFrame].MercData = l.Secs[outFrame].MercData[:0x30]
		if err := l.relocateMercury(context.Background()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestHeaderIndicesCountFromTheFirstSlot(t *testing.T) {
	l := &link{table: bindlessTable{base: 0x390}}
	l.Secs = []*section{{},
		{ID: 1, Name: mercIndices + "k", Kind: kindConstIndices, Size: 0x39c},
		{ID: 2, Name: ".rela" + mercIndices + "k", Kind: kindRela, Target: 1, Rels: []outRel{
			{Offset: 0x398, Sym: 3, Type: 52}, {Offset: 0x394, Sym: 2, Type: 101}, {Offset: 0x390, Sym: 1, Type: 6}}},
	}
	(&twinRelocator{l: l}).headerIndices()
	want := []outRel{{Offset: 8, Sym: 3, Type: 0x1000d}, {Offset: 4, Sym: 2, Type: 0x1000c}, {Offset: 0, Sym: 1, Type: 0x1000b}}
	if diff := cmp.Diff(want, l.Secs[2].MercRels); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if s := l.Secs[1]; s.MercSize != 12 || !bytes.Equal(s.MercData, make([]byte, 12)) {
		t.Errorf("%#x bytes %x, want 12 zeros", s.MercSize, s.MercData)
	}
}

func TestReservedSharedTwinShowsTheNextHeaders(t *testing.T) {
	l := &link{Mercury: true, form: cubin.FormOf(cubin.Class64), shstrtab: 1, earlyStrings: 0x21, Syms: []symbol{{}, {Name: "k", Info: 0x12, Def: noFile, Size: 0x30, Sec: 5}}}
	l.Secs = []*section{{},
		{ID: 1, Name: ".shstrtab", Kind: kindShstrtab, Size: 0x200, nameOff: 1, Index: 1},
		{ID: 2, Name: ".strtab", Kind: kindStrtab, Size: 0x40, Index: 2},
		{ID: 3, Name: ".nv.compat", Kind: kindCompat, Size: 0x24, Align: 4, Index: 3},
		{ID: 4, Name: ".rela.text.k", Kind: kindRela, Size: 0x30, Align: 8, Index: 4},
		{ID: 5, Name: ".text.k", Kind: kindText, Fn: 1, Size: 0x180, MercSize: 0x33, Align: 128, Index: 5, MercIndex: 8, mercNameOff: 0x123},
		{ID: 6, Name: ".nv.shared.reserved.0", Kind: kindSharedReserved, Size: 0xe0, Align: 16, Index: 6, MercIndex: 9, mercNameOff: 0x140},
		{ID: 7, Name: ".nv.shared.k", Kind: kindSharedEntry, Size: 0x500, Align: 256, Index: 7},
	}
	l.numbering.order = []header{{}, {sec: 1}, {sec: 2}, {sec: 3}, {sec: 4}, {sec: 5}, {sec: 6}, {sec: 7}, {5, true}, {6, true}}
	s := l.Secs[6]
	// 0x40 + names 0x123 + symbols' names 0x21 = 0x184; .nv.compat without its last attribute ends at 0x19c, the relocations
	// have no twin, Mercury code is from 0x1a0 to 0x1d0.
	for _, test := range []struct {
		name       string
		align, gap uint64
	}{
		{"no gap", 4, 0},
		{"as far as the next shared section", 256, 0x30},
		{"beyond the bytes", 1024, 0x230},
	} {
		l.Secs[7].Align = test.align
		if err := l.fillReserved(s); err != nil {
			t.Fatal(err)
		}
		want := make([]byte, 0x800)
		header := want[test.gap+0x40:]
		le.PutUint32(header, 1)
		le.PutUint32(header[0x4:], 3)
		le.PutUint64(header[0x18:], 0x40)
		le.PutUint64(header[0x20:], 0x123)
		le.PutUint64(header[0x30:], 1)
		header = header[0x40:]
		le.PutUint32(header, 11)
		le.PutUint32(header[0x4:], 3)
		le.PutUint64(header[0x18:], 0x163)
		if diff := cmp.Diff(want[:0xa0], s.MercData); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	s.Size, l.Diag = 1<<40, &diag.Collector{}
	if err := l.fillReserved(s); err == nil {
		t.Error("2^40 bytes are taken")
	}
}

func TestFinishMercuryNumbersCapsulesAndSharesOffsets(t *testing.T) {
	l := &link{Mercury: true}
	l.Secs = []*section{{},
		{ID: 1, Name: ".text.k", Kind: kindText, Index: 9, MercData: capsuleBytes()},
		{ID: 2, Name: ".debug_info", Kind: kindDebug, Data: []byte{1}, MercData: []byte{1}},
		{ID: 3, Name: ".debug_str", Kind: kindDebug, Data: []byte{1}, MercData: []byte{1}},
		{ID: 4, Name: ".debug_line", Kind: kindDebug, Data: []byte{1}, MercData: []byte{2}},
		{ID: 5, Name: mercUser, Kind: kindConstUser, Size: 12},
		{ID: 6, Name: ".nv.global.init", Kind: kindGlobalInit, Size: 5},
	}
	if err := l.finishMercury(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := le.Uint32(l.Secs[1].MercData); got != 9 {
		t.Errorf("the capsule names section %d, want 9", got)
	}
	var got []bool
	for _, s := range l.Secs[2:] {
		got = append(got, s.ShareOff)
	}
	if diff := cmp.Diff([]bool{false, true, false, true, true}, got); diff != "" {
		t.Errorf("sharing (-want +got):\n%s", diff)
	}
}

func TestMovedTablesStandBeforeTheKernelsOwn(t *testing.T) {
	entries := []cubin.Rel{{Offset: 16, Type: 0x10008, Sym: 1}, {Offset: 4, Type: 0x10008, Sym: 1}, {Offset: 0, Type: 0x10008, Sym: 1}}
	file := &cubin.File{
		Sections: []cubin.Section{{},
			{Name: ".nv.capmerc.text.f", Type: cubin.SHTCudaCapsule},
			{Name: ".nv.merc.nv.constant.optimizer.f", Type: cubin.SHTMercOptimizer, Info: 1, Size: 20},
			{Name: ".nv.merc.rela.nv.constant.optimizer.f", Type: cubin.SHTMercRela, Info: 2, Size: 72, Data: encodeRels(entries)}},
		MercSymbols: []cubin.Symbol{{},
			fileSymbol("f", cubin.STTFunc, cubin.STBGlobal, 0),
			{Name: "f.const_opt.8.20", Info: 13, Shndx: 2, Value: 8, Size: 12},
			{Name: "f.const_opt.0.8", Info: 13, Shndx: 2, Size: 8}},
	}
	l := &link{Mercury: true, Inputs: []*input{{Name: "a", File: file, Syms: []symID{0, 1, 0, 0}}}}
	own := outRel{Offset: 0, Sym: 2, Type: 0x10008}
	l.Secs = []*section{{},
		{ID: 1, Name: ".text.f", Kind: kindText, Fn: 1, Parts: []part{{Merc: 1}}},
		{ID: 2, Name: ".text.k", Kind: kindText, Fn: 2},
		{ID: 3, Name: mercOptimizer + "k", Kind: kindConstFunc, Owner: 2},
		{ID: 4, Name: ".rela" + mercOptimizer + "k", Kind: kindRela, Target: 3, MercRels: []outRel{own}}}
	l.Syms = []symbol{{}, {Name: "f", Func: 1, Sec: 1, Index: 1}, {Name: "k", Func: 2, Sec: 2, Index: 2}}
	l.Funcs = []function{{}, {Sym: 1, Text: 1}, {Sym: 2, Text: 2, Calls: []funcID{1}}}
	l.Entries = []funcID{2}
	l.Protos = []string{""}
	l.graph.build(l)
	l.Inputs[0].Secs = make([]inSection, len(file.Sections))
	l.Inputs[0].Secs[2].Off = 0x20
	l.FuncConsts = []funcConst{{Owner: 1, Parts: []part{{Merc: 2}}}}
	if err := (&twinRelocator{l: l}).movedTables(); err != nil {
		t.Fatal(err)
	}
	// Read in the order 4, 0 (first table), 16 (second), then the own one; all reversed.
	want := []outRel{own,
		{Offset: 0x30, Sym: 1, Type: 0x10008}, {Offset: 0x20, Sym: 1, Type: 0x10008}, {Offset: 0x24, Sym: 1, Type: 0x10008}}
	if diff := cmp.Diff(want, l.Secs[4].MercRels, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// sass is an instruction with that opcode half word and fourth byte.
func instruction(op uint16, reg byte) []byte {
	b := make([]byte, 16)
	le.PutUint16(b, op)
	b[3] = reg
	return b
}

func TestKernelsThatTheReferenceMakesAnew(t *testing.T) {
	loadStack := instruction(0x0b82, 0xff)
	loadStack[2] = 1
	noBarrier := bytes.Clone(loadStack)
	le.PutUint64(noBarrier[8:], 7<<46)
	unscheduled := bytes.Clone(loadStack)
	le.PutUint64(unscheduled[8:], 3<<52)
	copyStack := instruction(0x7202, 0xff)
	copyStack[4] = 1
	addStack := instruction(0x7210, 0xff)
	addStack[8] = 1
	exit := instruction(0x794d, 1)
	never, membar, asyncCopy := instruction(0xf984, 0xff), instruction(0x7992, 0), instruction(0x7fae, 0)
	debugExit := le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 1), 0xc0000001), 1)
	debugExit = append(le.AppendUint32(debugExit, 0), 0x51, 0x02, 0x41, 0x11, 0x00, 0x0a)
	debugExit[18] = 0x01 // the whole instruction
	debugExit = append(debugExit, make([]byte, 12)...)
	for _, test := range []struct {
		name    string
		opts    Options
		capsule []byte
		code    [][]byte
		want    bool
	}{
		{"dead stack pointer", Options{}, nil, [][]byte{loadStack, exit}, true},
		{"stack pointer without barrier", Options{}, nil, [][]byte{noBarrier, exit}, false},
		{"stack pointer used", Options{}, nil, [][]byte{loadStack, instruction(0x7387, 1), exit}, false},
		{"stack pointer as second operand", Options{}, nil, [][]byte{loadStack, copyStack, exit}, false},
		{"stack pointer as third operand", Options{}, nil, [][]byte{loadStack, addStack, exit}, false},
		{"code of -O0", Options{}, nil, [][]byte{unscheduled, exit}, false},
		{"call", Options{}, nil, [][]byte{loadStack, instruction(0x7944, 0), exit}, false},
		{"relocatable", Options{Relocatable: true}, nil, [][]byte{loadStack, exit}, false},
		{"fence", Options{}, nil, [][]byte{noBarrier, instruction(0xf984, 0xff), instruction(0x7992, 0), exit}, true},
		{"fence and asynchronous copy", Options{}, nil, [][]byte{noBarrier, never, membar, asyncCopy, exit}, false},
		{"pair of fences and asynchronous copy", Options{}, nil, [][]byte{noBarrier, asyncCopy, never, membar, membar, exit}, true},
		{"fences apart and asynchronous copy", Options{}, nil, [][]byte{noBarrier, asyncCopy, never, membar, exit, membar, exit}, false},
		{"fence without workaround", Options{}, nil, [][]byte{noBarrier, instruction(0x7992, 0), exit}, false},
		{"fence and call", Options{}, nil, [][]byte{noBarrier, instruction(0xf984, 0xff), instruction(0x7992, 0), instruction(0x7343, 0)}, false},
		{"debugging exit", Options{}, debugExit, [][]byte{noBarrier, exit}, true},
		{"debugging exit and call", Options{}, debugExit, [][]byte{noBarrier, instruction(0x7944, 0), exit}, true},
		{"debugging exit and surface store", Options{}, debugExit, [][]byte{noBarrier, instruction(0x7f9d, 0), exit}, false},
		{"-g", Options{Debug: true}, nil, [][]byte{noBarrier, instruction(0x7944, 0), exit}, true},
		{"-g of a debugging object", Options{Debug: true}, debugExit, [][]byte{noBarrier, exit}, false},
		{"-g -suppress-debug-info", Options{Debug: true, SuppressDebugInfo: true}, nil, [][]byte{noBarrier, exit}, false},
	} {
		l := &link{Options: test.opts, rel: test.opts.Relocatable}
		if got := l.madeAnew(true, bytes.Join(test.code, nil), test.capsule, false); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	// Beside code that was compiled with -G, every kernel that was not.
	l := &link{rel: true}
	call := bytes.Join([][]byte{noBarrier, instruction(0x7944, 0), exit}, nil)
	if !l.madeAnew(true, call, nil, true) || l.madeAnew(true, call, debugExit, true) {
		t.Error("beside debugging code a kernel without its own is made anew, no other")
	}
	if (&link{}).madeAnew(true, call, debugExit, true) {
		t.Error("a debugging kernel with calls is made anew beside debugging code")
	}
	// With -g device functions that end the thread, too; else never.
	l = &link{Options: Options{Debug: true}}
	if !l.madeAnew(false, call, nil, false) || l.madeAnew(false, call[:32], nil, false) {
		t.Error("with -g a device function is made anew if it has an EXIT")
	}
	if (&link{}).madeAnew(false, bytes.Join([][]byte{loadStack, never, membar, exit}, nil), debugExit, false) {
		t.Error("a device function is made anew without -g")
	}
}

func TestMercurySymbolsKeepTypeAndSpace(t *testing.T) {
	l := &link{Mercury: true, Options: Options{SM: 100}}
	l.Inputs = []*input{{File: &cubin.File{MercSymbols: []cubin.Symbol{{}, {Name: "f", Size: 0x240}}}}}
	l.Secs = []*section{{}, {Kind: kindText}, {Kind: kindGlobal}, {Kind: kindConstUser}, {Kind: kindSharedReserved}}
	variable := func(sec secID, other uint8, value uint64) symbol {
		return symbol{Name: "v", Info: 0x1d, Other: other, Sec: sec, Value: value, Size: 4, Shndx: 1}
	}
	l.Syms = []symbol{{},
		{Name: "f", Info: 0x12, Other: 0x10, Sec: 1, Shndx: 1, DefSym: 1, Size: 0x180},
		variable(2, cubin.STOGlobal|cubin.STOManaged, 8),
		variable(3, cubin.STOConstant, 12),
		variable(4, cubin.STOReservedShrd, 0x40),
		{Name: ".nv.reservedSmem.cap", Info: 0x2d, Other: cubin.STOReservedShrd, Def: noFile, Value: 0x400, Size: 4, Side: globalSide},
	}
	l.Syms[4].Name = "__nv_reservedSMEM_tcgen05_partition"
	type fields struct {
		Info, Other uint8
		Value, Size uint64
	}
	want := []fields{{0x12, 0x10, 0, 0x240}, {0x1d, 0x24, 8, 4}, {0x1d, 0x80, 12, 4}, {0x1d, 0xa0, 0, 4}, {0x1d, 0, 0, 4}}
	var got []fields
	for id := 1; id < len(l.Syms); id++ {
		info, other, value, size := l.mercSymbol(symID(id))
		got = append(got, fields{info, other, value, size})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
