package link

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

func TestWordsJoinInReadingOrderEachOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		// One list of words in reading order, of which each side has a part.
		var all, a, b []word
		for at := 1; at < 12; at++ {
			w := word{uint32(r.IntN(5)), readingPos(at)}
			all = append(all, w)
			if side := r.IntN(3); side != 1 {
				a = append(a, w)
			} else {
				b = append(b, w)
			}
			if r.IntN(3) == 0 {
				b = append(b, w)
			}
		}
		before := slices.Clone(a)
		got := joinWords(inOrder(a), inOrder(b))
		if d := cmp.Diff(inOrder(all), got, cmp.AllowUnexported(word{})); d != "" {
			t.Fatal(d)
		}
		if !slices.Equal(a, before) {
			t.Fatal("joining changed a list that others share")
		}
	}
}

func TestStairsJoinToTheRunningMaximum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	stairOf := func(steps []step) stair {
		var s stair
		for _, x := range steps {
			if len(s) == 0 || x.reg > s[len(s)-1].reg {
				s = append(s, x)
			}
		}
		return s
	}
	for range 1000 {
		var a, b, all []step
		for text := range secID(10) {
			x := step{text: text, reg: uint32(1 + r.IntN(20))}
			all = append(all, x)
			if r.IntN(2) == 0 {
				a = append(a, x)
			} else {
				b = append(b, x)
			}
		}
		if d := cmp.Diff(stairOf(all), joinStairs(stairOf(a), stairOf(b)), cmp.AllowUnexported(step{})); d != "" {
			t.Fatal(d)
		}
	}
}

// registerLink has entries 1 (24 registers, limit 30) and 2 (16 registers), which both call 3 (28) and 4 (40).
func registerLink() (*link, *infoForm) {
	l := graphLink(4, 0)
	l.release = rulesOf(130)
	for i := range l.Funcs {
		l.Syms[i].Index, l.Syms[i].Name = uint32(i), string(rune('a'+i))
		l.Funcs[i].Text = secID(i)
	}
	l.Funcs[1].Calls, l.Funcs[2].Calls = []funcID{4, 3}, []funcID{3, 4}
	l.Entries = []funcID{1, 2}
	l.graph.build(l)
	l.Secs = []*section{{}, {}, {}, {}, {}}
	f := &infoForm{l: l, own: make([]ownAttrs, 5), edits: make([]*infoEdit, 5)}
	for i, regs := range []uint32{0, 24, 16, 28, 40} {
		f.own[i].reg, f.own[i].hasReg = regs, true
	}
	f.own[1].limit = 30
	f.sums = reachFold(l, f.ownSum, joinSums)
	l.attr.plain = f
	return l, f
}

func TestRegisterCountsRiseFunctionByFunctionEntriesBackwards(t *testing.T) {
	_, f := registerLink()
	want := []raise{{fn: 3, entry: 2}, {fn: 3, entry: 1}, {fn: 4, entry: 2}, {fn: 4, entry: 1, limit: 30}}
	if d := cmp.Diff(want, f.raises(), cmp.AllowUnexported(raise{})); d != "" {
		t.Error(d)
	}
	if got := [2]uint32{f.registers(1), f.registers(2)}; got != [2]uint32{40, 40} {
		t.Errorf("registers of the entries %v, want 40 each", got)
	}
}

func TestRegisterLimitIsAnErrorThatNamesCounts(t *testing.T) {
	l, f := registerLink()
	f.reportRaises(nil)
	got := texts(l.Diag)
	want := []string{"entry function 'b' with max regcount of 30 calls function 'e' with regcount of 40"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestReconfiguredRegistersAreNotRaised(t *testing.T) {
	l, f := registerLink()
	f.own[3].tracked = &trackedAttrs{}
	f.own[3].tracked.first[tReconfig] = 1
	f.anyReconfig = true
	f.sums = reachFold(l, f.ownSum, joinSums)
	if got := f.registers(1); got != 24 {
		t.Errorf("%d registers, want the entry's own 24", got)
	}
	if len(f.raises()) != 0 {
		t.Error("entries were raised")
	}
}

func TestCompatAttributesMerge(t *testing.T) {
	section := func(values ...uint16) []byte { // pairs of code and value
		var b []byte
		for i := 0; i < len(values); i += 2 {
			row := compatRowOf(nvinfo.CompatCode(values[i]))
			b = nvinfo.Record{Format: compatRows[row].format, Code: nvinfo.Code(values[i]), Field: values[i+1]}.Append(b)
		}
		return b
	}
	full := func(code nvinfo.CompatCode, v uint16) []byte {
		values := []uint16{2, 1, 5, 5, 7, 0x101, 3, 0, 6, 1}
		for i := 0; i < len(values); i += 2 {
			if nvinfo.CompatCode(values[i]) == code {
				values[i+1] = v
			}
		}
		return section(values...)
	}
	for _, c := range []struct {
		code       nvinfo.CompatCode
		a, b, want uint16
	}{
		{nvinfo.CompatISAClass, 1, 2, 2},
		{nvinfo.CompatISAClass, 0, 2, 0},
		{nvinfo.CompatTcgen05MMA, 1, 2, 2},
		{nvinfo.CompatTcgen05MMA, 1, 4, 0},
		{nvinfo.CompatTcgen05MMA, 5, 3, 3},
		{nvinfo.CompatTcgen05MMA, 4, 5, 4},
		{nvinfo.CompatTcgen05MMA, 5, 6, 6},
		{nvinfo.CompatTensormapV1, 1, 4, 5},
		{nvinfo.CompatOpportunistic, 0, 0, 0},
		{nvinfo.CompatOpportunistic, 2, 2, 2},
		{nvinfo.CompatOpportunistic, 0, 2, 1},
		{nvinfo.CompatISAVersion, 0x100, 0x101, 0x101},
	} {
		var m compatMerge
		for _, v := range []uint16{c.a, c.b} {
			if missing, err := m.input(&input{}, full(c.code, v)); missing || err != nil {
				t.Fatalf("missing %v, error %v", missing, err)
			}
		}
		if got := m.value[compatRowOf(c.code)]; got != c.want {
			t.Errorf("%v: %#x and %#x give %#x, want %#x", c.code, c.a, c.b, got, c.want)
		}
	}
	var m compatMerge
	if missing, err := m.input(&input{}, section(5, 5)); !missing || err != nil {
		t.Errorf("an input without ISA_CLASS: missing %v, error %v", missing, err)
	}
	if got := m.value[compatRowOf(nvinfo.CompatISAVersion)]; got != 0x100 {
		t.Errorf("default of attribute 7 is %#x, want 0x100", got)
	}
}

func TestPlainRecordsFollowTheirTwins(t *testing.T) {
	rec := func(c nvinfo.Code, payload ...byte) nvinfo.Record {
		return nvinfo.Record{Format: nvinfo.SVAL, Code: c, Payload: payload}
	}
	plain := []nvinfo.Record{
		rec(nvinfo.ExitInstrOffsets, 1, 0, 0, 0), rec(nvinfo.CudaAPIVersion, 9), rec(nvinfo.SwWar, 8), rec(nvinfo.ParamCbank, 7), rec(nvinfo.CbankParamSize, 6),
	}
	twins := []nvinfo.Record{
		rec(nvinfo.CudaAPIVersion, 4), rec(nvinfo.MercuryFinalizerOption, 1, 2), rec(nvinfo.ExitInstrOffsets, 2, 0, 0, 0), rec(nvinfo.MaxregCount, 3),
	}
	want := []nvinfo.Record{
		rec(nvinfo.CudaAPIVersion, 4), rec(nvinfo.ExitInstrOffsets, 1, 0, 0, 0), rec(nvinfo.MaxregCount, 3),
		rec(nvinfo.CbankParamSize, 6), rec(nvinfo.ParamCbank, 7), rec(nvinfo.SwWar, 8),
	}
	l := &link{}
	if d := cmp.Diff(want, l.plainFromTwins(&section{Kind: kindInfo}, plain, twins)); d != "" {
		t.Error(d)
	}
}

func TestManyRecordsMatchByCodeAndSymbol(t *testing.T) {
	var plain, twins []nvinfo.Record
	for i := range uint32(200) {
		payload := le.AppendUint32(le.AppendUint32(nil, i), 40+i)
		plain = append(plain, nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.Regcount, Payload: payload})
	}
	twins = slices.Clone(plain)
	slices.Reverse(twins)
	m := newRecordMatcher(plain)
	for i := range twins {
		if at := m.take(&twins[i]); at != len(plain)-1-i {
			t.Fatalf("twin %d matches record %d, want %d", i, at, len(plain)-1-i)
		}
	}
	if at := m.take(&twins[0]); at != -1 {
		t.Errorf("a record was matched twice: %d", at)
	}
}

func TestCallGraphListsNewestFirstAndARelocatableLinkDropsRepeats(t *testing.T) {
	for _, rel := range []bool{false, true} {
		l := graphLink(3, 1)
		l.Protos[1] = "#ii"
		l.rel = rel
		l.strings = newStringTable(1, 1)
		l.strings.add("#ii")
		for i := 1; i <= 3; i++ {
			l.Syms[i].Index, l.Syms[i].Info = uint32(10+i), uint8(cubin.STTFunc)
		}
		l.Funcs[1].Calls = []funcID{2, 3, 2}
		l.Funcs[1].Indirect = []protoID{1, 1}
		l.Funcs[2].Taken, l.Funcs[2].Proto = true, 1
		l.Funcs[3].Taken = true
		l.Funcs[1].Takes = []funcID{3}
		l.Secs = []*section{{}, {}, {}}
		l.callgraph, l.prototype = 1, 2
		l.encodeCallgraph()
		var got [][2]uint32
		for g := nvinfo.ReadGraph(l.Secs[1].Data); g.Next(); {
			got = append(got, [2]uint32{g.A, g.B})
		}
		want := [][2]uint32{{11, 12}, {11, 13}, {11, 12}, {12, 1}, {13, 0}, {11, 1}, {11, 1}, {11, 13}}
		if rel {
			want = slices.Delete(want, 0, 1)
			want[0], want[1] = [2]uint32{11, 13}, [2]uint32{11, 12}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("relocatable %v: %s", rel, d)
		}
		if l.Secs[2].Size != 0 {
			t.Error("functions whose address is taken have no place in .nv.prototype")
		}
	}
}

func TestFunctionsWithoutMercuryInstructionSetGetThatOfTheirFile(t *testing.T) {
	first := nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.MaxregCount, Field: 255}
	named := nvinfo.Record{Format: nvinfo.HVAL, Code: nvinfo.MercuryISAVersion, Field: 0x101}
	for _, c := range []struct {
		name string
		recs []nvinfo.Record
		isa  uint16
		want uint16
	}{
		{"12.9, which names none", []nvinfo.Record{first}, 0, 0x100},
		{"named in .nv.compat", []nvinfo.Record{first}, 0x101, 0x101},
		{"named by the function", []nvinfo.Record{named, first}, 0x100, 0x101},
	} {
		got := withISAVersion(slices.Clone(c.recs), 0, &input{isa: c.isa})
		if len(got) != 2 || got[0].Code != nvinfo.MercuryISAVersion || got[0].Field != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestNotesOf129NameTheVirtualArchitecture(t *testing.T) {
	note := nvinfo.Note{Name: nvinfo.Owner, Type: nvinfo.NoteCuinfo, Desc: []byte{1, 0, 80, 0, 1, 0, 0, 0, 1, 0, 0, 0}}
	f := &cubin.File{Sections: []cubin.Section{{Name: ".note.nv.cuver", Type: cubin.SHTNote, Data: note.Append(nil)}}}
	if got := virtualInNotes(f, 100); got != 80 {
		t.Errorf("%d, want 80", got)
	}
}
