package link

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubin/cubintest"
	"github.com/culink/culink/linker/diag"
)

// clashing is the one symbol s of a file, as ptxas writes it.
type clashing struct {
	typ      cubin.SymbolType
	bind     cubin.Binding
	other    uint8
	section  string // "" for undefined, "COMMON"
	value    uint64
	size     uint64
	proto    string // .nv.prototype has it
	taken    string // .nv.callgraph has it as the prototype of a function whose address is taken
	function string // one more function, so that the call graph has a node
}

// clashKinds are the kinds of symbols of the table below.
var clashKinds = map[string]clashing{
	"func":        {typ: cubin.STTFunc, bind: global, section: ".text.s", size: 256, proto: "_1"},
	"func2":       {typ: cubin.STTFunc, bind: global, section: ".text.s", size: 256, proto: "_2"},
	"weak func":   {typ: cubin.STTFunc, bind: weak, section: ".text.s", size: 256, proto: "_1"},
	"weak func2":  {typ: cubin.STTFunc, bind: weak, section: ".text.s", size: 256, proto: "_2"},
	"extern func": {typ: cubin.STTFunc, bind: global, proto: "_1"},
	"taken func":  {typ: cubin.STTFunc, bind: global, taken: "_1"},
	"static func": {typ: cubin.STTFunc, bind: local, section: ".text.s", size: 256, proto: "_1"},
	"kernel":      {typ: cubin.STTFunc, bind: global, other: cubin.STOEntry, section: ".text.s", size: 256},
	"taken kern":  {typ: cubin.STTFunc, bind: global, other: cubin.STOEntry, taken: ""},
	"global4":     {typ: cubin.STTCudaObject, bind: global, other: cubin.STOGlobal, section: ".nv.global", size: 4},
	"weak4":       {typ: cubin.STTCudaObject, bind: weak, other: cubin.STOGlobal, section: ".nv.global", size: 4},
	"static4":     {typ: cubin.STTCudaObject, bind: local, other: cubin.STOGlobal, section: ".nv.global", size: 4},
	"managed8":    {typ: cubin.STTCudaObject, bind: global, other: cubin.STOGlobal | cubin.STOManaged, section: ".nv.global", size: 8},
	"init4":       {typ: cubin.STTCudaObject, bind: global, other: cubin.STOGlobal, section: ".nv.global.init", size: 4},
	"common4":     {typ: cubin.STTCudaObject, bind: global, other: cubin.STOGlobal, section: "COMMON", value: 1, size: 4},
	"common8":     {typ: cubin.STTCudaObject, bind: global, other: cubin.STOGlobal, section: "COMMON", value: 1, size: 8},
	"const8":      {typ: cubin.STTCudaObject, bind: global, other: 0x80, section: ".nv.constant3", size: 8},
	"shared4":     {typ: cubin.STTCudaObject, bind: global, other: cubin.STOShared, section: ".nv_debug.shared", value: 4, size: 4},
	"shared4 in":  {typ: cubin.STTCudaObject, bind: global, other: cubin.STOShared, section: ".nv_debug.shared", value: 1, size: 4, function: "q"},
	"dynamic":     {typ: cubin.STTCudaObject, bind: global, other: cubin.STOShared},
	"texture":     {typ: cubin.STTTexture, bind: global},
}

func (c clashing) encode() []byte {
	f := cubintest.New(80, 7)
	graph := f.AddSection(cubintest.Section{Name: ".nv.callgraph", Type: cubin.SHTCudaCallgraph, Link: 3, Align: 4, Entsize: 8})
	y := cubintest.Symbol{Name: "s", Info: uint8(c.bind)<<4 | uint8(c.typ), Other: c.other, Value: c.value, Size: c.size}
	sec := cubintest.Section{Name: c.section, Flags: 3, Link: 3, Align: 16, Type: cubin.SHTNobits, Size: 16}
	switch c.section {
	case "":
	case "COMMON":
		y.Shndx = 0xfff2
	case ".text.s":
		sec.Type, sec.Flags, sec.Size, sec.Info = cubin.SHTProgbits, 6, 0, 8<<24
		sec.Data = make([]byte, c.size)
		y.Shndx = uint16(f.AddSection(sec))
	case ".nv.constant3", ".nv.global.init":
		sec.Type, sec.Data = cubin.SHTProgbits, make([]byte, 16)
		y.Shndx = uint16(f.AddSection(sec))
	default:
		y.Shndx = uint16(f.AddSection(sec))
	}
	f.Locals = 1
	n := f.AddSymbol(y)
	if c.bind == local {
		f.Locals = 2
	}
	if c.function != "" {
		i := f.AddSection(cubintest.Section{Name: ".text." + c.function, Type: cubin.SHTProgbits, Flags: 6, Link: 3, Info: 8 << 24, Align: 128, Data: make([]byte, 128)})
		f.AddSymbol(cubintest.Symbol{Name: c.function, Info: uint8(global)<<4 | uint8(cubin.STTFunc), Other: cubin.STOEntry, Shndx: uint16(i), Size: 128})
	}
	if c.taken != "" || c.other&cubin.STOEntry != 0 && c.section == "" {
		f.Sections[graph].Data = cubintest.Words(0, 0xfffffffe, n, f.Strings.Add(c.taken))
	}
	if c.proto != "" {
		f.AddSection(cubintest.Section{Name: ".nv.prototype", Type: cubin.SHTCudaPrototype, Link: 3, Align: 4, Entsize: 8, Data: cubintest.Words(n, f.Strings.Add(c.proto))})
	}
	return f.Encode()
}

// shortened are the letters for the messages of the table.
var shortened = strings.NewReplacer(
	"Function 's' not declared __global__ in all source files", "kernel",
	"Memory space doesn't match for 's' in ", "space ",
	"Managed attribute doesn't match for 's' in ", "managed ",
	"Size doesn't match for 's' in ", "size ",
	"Multiple definition of 's' in ", "multiple ",
	"Prototype doesn't match for 's' in ", "prototype ",
	"Common symbol 's' in file ", "common ", " has larger size than initialization", "",
	", first specified in '<input>'", " <input>", ", first defined in '<input>'", " <input>",
	", first specified in 'a'", "", ", first defined in 'a'", "", ", first specified in 'b'", " b", ", first defined in 'b'", " b",
	"Internal error: no callgraph node", "no node", "Internal error: no such original reg count", "no count",
	"'a'", "a", "'b'", "b", "'c'", "c", "merge_elf failed", "merge", "Undefined reference to 's' in ", "undefined ",
)

// The table was made by linking such files with the reference; where it crashes, the messages are those before the crash.
func TestSymbolsOfOneNameClashAsInTheReference(t *testing.T) {
	tests := []struct{ kinds, want string }{
		// A function, and what else has its name.
		{"global4+func", "space b, multiple b, no node"},
		{"global4+weak func", "space b, no node"},
		{"global4+extern func", "space b, no node"},
		{"global4+kernel", "kernel, space b, multiple b, merge"},
		{"weak4+func", "space b, no node"},
		{"weak4+kernel", "kernel, space b, merge"},
		{"shared4+func", "space b, multiple b, no node"},
		{"shared4 in+func", "space b, multiple b, merge"},
		{"dynamic+func", "space b, multiple b, no node"},
		{"texture+func", "space b <input>, no node"},
		{"texture+kernel", "kernel, space b <input>, merge"},
		{"func+global4", "space b, size b, multiple b, merge"},
		{"func+managed8", "space b, managed b, size b, multiple b, merge"},
		{"func+common4", "space b, size b, multiple b, merge"},
		{"weak func+common4", "space b, size b, merge"},
		{"extern func+managed8", "space b, managed b, merge"},
		{"func+texture", "multiple b, merge"},
		// Local symbols of other files: the first counts until a global one comes.
		{"static func+func", ""},
		{"static func+kernel", "kernel, merge"},
		{"static4+kernel", "kernel, merge"},
		{"kernel+static func", ""},
		{"static4+texture", "multiple b, merge"},
		{"static4+static func+texture", "multiple c, merge"},
		{"texture+static4+texture", ""},
		// Variables.
		{"texture+global4", "space b <input>, merge"},
		{"texture+managed8", "space b <input>, managed b <input>, merge"},
		{"global4+texture", "multiple b, merge"},
		{"dynamic+global4", "space b, multiple b, merge"},
		{"dynamic+managed8", "space b, managed b, multiple b, merge"},
		{"dynamic+common4", "space b, size b, multiple b, merge"},
		{"const8+common4", "space b, size b, multiple b, merge"},
		{"common4+const8", "space b, size b, merge"},
		{"init4+common8", "common b, merge"},
		{"common8+init4", "common a, merge"},
		// Prototypes: where an address is taken they are not compared, but count.
		{"func+weak func2", "prototype b, merge"},
		{"weak func2+taken func", ""},
		{"taken func+weak func2", "prototype b b, merge"},
		{"weak func2+taken func+weak func", ""},
		{"func+taken kern", "kernel, merge"},
		{"taken kern+func", "kernel, prototype b b, merge"},
	}
	for _, tt := range tests {
		t.Run(tt.kinds, func(t *testing.T) {
			var src []Source
			for i, k := range strings.Split(tt.kinds, "+") {
				c, ok := clashKinds[k]
				if !ok {
					t.Fatalf("no kind %q", k)
				}
				src = append(src, Source{Name: string(rune('a' + i)), Data: c.encode()})
			}
			d := &diag.Collector{}
			_, err := Run(t.Context(), Options{SM: 80, Toolkit: 124, AsReference: true}, src, d)
			if got := shortened.Replace(strings.Join(texts(d), ", ")); got != tt.want || (err == nil) != (tt.want == "") {
				t.Errorf("%v\n%s", err, cmp.Diff(tt.want, got))
			}
		})
	}
}

// What only the reference refuses is no mistake: a symbol that one file keeps to itself.
func TestLocalSymbolsClashWithNothingUnderTheOwnName(t *testing.T) {
	for _, pair := range [][2]string{{"static func", "kernel"}, {"static4", "kernel"}, {"static4", "texture"}} {
		d := &diag.Collector{}
		src := []Source{{Name: "a", Data: clashKinds[pair[0]].encode()}, {Name: "b", Data: clashKinds[pair[1]].encode()}}
		if _, err := Run(t.Context(), Options{SM: 80, Toolkit: 124}, src, d); err != nil {
			t.Errorf("%v: %v %v", pair, err, texts(d))
		}
	}
}

// The reference compares the two weak definitions by registers, and the variable has none.
func TestWeakCopiesBesideAVariableHaveNoRegisterCount(t *testing.T) {
	d := &diag.Collector{}
	a := program{SM: 90, ABI: 8, Variables: variables{{Name: "s", Bind: weak, Size: 4}}}
	b := program{SM: 90, ABI: 8, Functions: functions{fn("s", weak, 8)}}
	_, err := Run(t.Context(), Options{SM: 90, Toolkit: 130, AsReference: true}, []Source{{Name: "a", Data: a.Encode()}, {Name: "b", Data: b.Encode()}}, d)
	if want := "space b, no count"; err == nil || shortened.Replace(strings.Join(texts(d), ", ")) != want {
		t.Errorf("%v, want %q", texts(d), want)
	}
}

// From sm_100 on a function's size is that of its twin, as the reference compares it.
func TestSizesOfFunctionsAreThoseOfTheirTwins(t *testing.T) {
	for _, tt := range []struct {
		size uint64
		want string
	}{{64, "multiple b"}, {256, "size b, multiple b"}} {
		l := &link{Mercury: true, Diag: &diag.Collector{}, Inputs: []*input{{Name: "a"}, {Name: "b"}}}
		l.Syms = []symbol{{}, {Name: "s", Info: uint8(global)<<4 | uint8(cubin.STTFunc), Size: 256, MercSize: 64, Shndx: 4}}
		y := cubin.Symbol{Name: "s", Info: uint8(global)<<4 | uint8(cubin.STTCudaObject), Size: tt.size, Shndx: 5}
		(&resolver{l: l}).variable(l.Inputs[1], 1, &y, 1)
		if got := shortened.Replace(strings.Join(texts(l.Diag), ", ")); got != tt.want {
			t.Errorf("a variable of %d bytes beside a function whose twin has 64: %q, want %q", tt.size, got, tt.want)
		}
	}
}
