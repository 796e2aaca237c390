package diag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogIsSound(t *testing.T) {
	seen := map[string]ID{}
	for id := RawText; id < messageCount; id++ {
		row := catalog[id]
		if row.Format == "" {
			t.Errorf("message %d has no text", id)
		}
		if strings.HasSuffix(row.Hint, "\n") || strings.Contains(row.Hint, "%") {
			t.Errorf("message %d: explanation %q", id, row.Hint)
		}
		if other, ok := seen[row.Format]; ok && row.Format != "%s" && !strings.HasPrefix(row.Format, "Unknown option") {
			t.Errorf("messages %d and %d have one text %q", other, id, row.Format)
		}
		seen[row.Format] = id
		n := strings.Count(row.Format, "%")
		if r := rolesOf[id]; r.symbol > n || r.file > n {
			t.Errorf("%q has no arguments %d and %d", row.Format, r.symbol, r.file)
		}
		if own := ownWords[id]; own != "" && strings.Count(own, "%") > n {
			t.Errorf("%q takes more arguments than %q", own, row.Format)
		}
	}
}

func report(c *Collector) []Message {
	c.Report(UndefinedReference, "_Z1fi", "b.o")
	c.Report(StackSizeUnknown, "k")
	c.Report(MultipleDefinition, "x", "c.o", "a.o")
	c.Report(SizeMismatch, "x", "c.o", "a.o")
	c.Report(FunctionProperties, "k")
	c.Raw("raw text\n")
	_ = c.Fatal(MergeElfFailed)
	return c.Messages()
}

func TestTheReferencesFormIsOneLineEachInOrder(t *testing.T) {
	var b strings.Builder
	if err := (ReferenceForm{"nvlink", "sm_90"}).Print(&b, report(&Collector{})); err != nil {
		t.Fatal(err)
	}
	want := `nvlink error   : Undefined reference to '_Z1fi' in 'b.o' (target: sm_90)
nvlink warning : Stack size for entry function 'k' cannot be statically determined (target: sm_90)
nvlink error   : Multiple definition of 'x' in 'c.o', first defined in 'a.o' (target: sm_90)
nvlink error   : Size doesn't match for 'x' in 'c.o', first specified in 'a.o' (target: sm_90)
nvlink info    : Function properties for 'k': (target: sm_90)
raw text
nvlink fatal   : merge_elf failed (target: sm_90)
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestOptionErrorsNameNeitherTheTargetNorAnotherTool(t *testing.T) {
	c := &Collector{}
	_ = c.Fatal(UnknownOption, "x")
	var b strings.Builder
	if err := (ReferenceForm{"other", "sm_90"}).Print(&b, c.Messages()); err != nil || b.String() != "nvlink fatal   : Unknown option 'x'\n" {
		t.Error(b.String(), err)
	}
}

func TestExplanationsAreSortedGroupedAndDemangled(t *testing.T) {
	var b strings.Builder
	x := Explanation{References: func(s string) []string { return []string{s + "1", s + "2", s + "3", s + "4", s + "5"} }}
	if err := x.Print(&b, report(&Collector{})); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	want := []string{
		"culink: info: properties of 'k'",
		"raw text",
		"culink: warning: stack size for entry function 'k' cannot be statically determined",
		"    " + catalog[StackSizeUnknown].Hint,
		"culink: error: undefined reference to 'f(int)' in 'b.o' [_Z1fi]",
		"    used by _Z1fi1",
		"    used by _Z1fi2",
		"    used by _Z1fi3",
		"    and 2 further uses",
		"    " + catalog[UndefinedReference].Hint,
		"culink: error: multiple definition of 'x' in 'c.o', first defined in 'a.o'",
		"    " + catalog[MultipleDefinition].Hint,
		"culink: error: size doesn't match for 'x' in 'c.o', first specified in 'a.o'",
		"    " + catalog[SizeMismatch].Hint,
		"culink: error: the link failed: 3 errors, 1 warning",
		"",
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
}

func TestManyErrorsAreCutShort(t *testing.T) {
	c := &Collector{}
	for i := range 30 {
		c.Report(UndefinedReference, fmt.Sprintf("s%02d", i), "a.o")
	}
	var b strings.Builder
	if err := (Explanation{Limit: 2}).Print(&b, c.Messages()); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "undefined reference") != 2 || !strings.Contains(got, "28 further messages not shown") ||
		!strings.Contains(got, "the link failed: 30 errors") {
		t.Error(got)
	}
}

func TestRepeatedMessagesAreExplainedOnce(t *testing.T) {
	c := &Collector{}
	for range 3 {
		c.Report(StackSizeUnknown, "k")
	}
	c.Report(StackSizeUnknown, "l")
	var b strings.Builder
	if err := (Explanation{}).Print(&b, c.Messages()); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "'k'") != 1 || strings.Count(got, "'l'") != 1 {
		t.Error(got)
	}
	b.Reset()
	if err := (ReferenceForm{}).Print(&b, c.Messages()); err != nil || strings.Count(b.String(), "'k'") != 3 {
		t.Error("the reference repeats itself:", b.String(), err)
	}
}

func TestWarningsArePromotedAndDropped(t *testing.T) {
	c := &Collector{WarningsAsErrors: true}
	c.Report(StackSizeUnknown, "k")
	c.Report(Redefinition, "arch")
	if m := c.Messages(); c.Errors() != 1 || m[0].Severity() != Error || m[1].Severity() != Warning {
		t.Error(c.Errors(), m)
	}
	c = &Collector{WarningsAsErrors: true, NoWarnings: true}
	c.Report(StackSizeUnknown, "k")
	c.Report(UndefinedReference, "x", "a.o")
	if len(c.Messages()) != 1 || c.Errors() != 1 {
		t.Error(c.Messages())
	}
}

func TestAppendLeavesOutRepeats(t *testing.T) {
	a, b := &Collector{}, &Collector{}
	a.Report(UndefinedReference, "x", "a.o")
	b.Report(UndefinedReference, "x", "a.o")
	b.Report(UndefinedReference, "y", "a.o")
	a.Append(b)
	if len(a.Messages()) != 2 || a.Errors() != 2 {
		t.Error(a.Messages())
	}
}

func TestExplanationsSayWhatArgumentsMean(t *testing.T) {
	c := &Collector{}
	c.Report(TooMuchShared, "_Z1kPi", uint64(0xea60), uint64(0xc000))
	c.Report(RegisterLimit, "_Z1kPi", 32, "_Z1fi", 182)
	c.Report(NoInputFile, "a.o")
	_ = c.FatalNote("a note", ConflictingOptions, "-x", "no -g%d")
	_ = c.Fatal(UnknownArch, "(null)")
	_ = c.Fatal(NoCallgraphNode)
	var b strings.Builder
	x := Explanation{Unreadable: func(file string) string { return "no " + file }}
	if err := x.Print(&b, c.Messages()); err != nil {
		t.Fatal(err)
	}
	want := "culink: error: kernel 'k(int*)' uses too much shared memory: 60000 bytes of at most 49152 [_Z1kPi]\n    " + catalog[TooMuchShared].Hint +
		"\nculink: error: kernel 'k(int*)' with at most 32 registers calls function 'f(int)' with 182 [_Z1kPi]\n    " + catalog[RegisterLimit].Hint +
		"\nculink: error: cannot read 'a.o': no a.o\nculink: error: option -x needs -g%d\n    a note\n" +
		"culink: error: no architecture to link for\n    " + catalog[UnknownArch].Hint + "\nculink: error: the link failed: 5 errors\n"
	got := strings.Split(b.String(), "\n")
	expected := strings.Split(want, "\n")
	slices.Sort(got)
	slices.Sort(expected)
	if d := cmp.Diff(expected, got); d != "" {
		t.Error(d)
	}
}
