package cli

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/inspect"
)

// undefined is what the inputs tell of symbols without a definition.
type undefined struct {
	// uses are the places that use a symbol, of each function and section the first: "f (.text.f+0x80) in a.o".
	uses map[string][]string
	// alike are the first definitions by the names that people know them by: without parameters, and without arguments of templates.
	alike map[string]definition
}

// definition is a symbol and the input that defines it.
type definition struct {
	symbol, file string
	local        bool
}

// findUndefined looks for the symbols that messages call undefined; nil if there are none.
func findUndefined(in *input.Result, messages []diag.Message) *undefined {
	wanted, bases := map[string]bool{}, map[string]bool{}
	for i := range messages {
		if m := &messages[i]; m.ID == diag.UndefinedReference {
			wanted[m.Subject()] = true
			bases[baseName(m.Subject())] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	u := &undefined{uses: map[string][]string{}, alike: map[string]definition{}}
	for i := range in.Modules {
		m := &in.Modules[i]
		if m.File == nil {
			continue
		}
		u.findUses(m, wanted)
		u.findAlike(m, bases)
	}
	return u
}

func (u *undefined) findUses(m *input.Module, wanted map[string]bool) {
	first := map[string][]inspect.Use{}
	inspect.Uses(m.File, wanted, func(symbol string, use inspect.Use) {
		uses := first[symbol]
		if last := len(uses) - 1; last >= 0 && uses[last].Section == use.Section {
			uses[last].Offset = min(uses[last].Offset, use.Offset)
		} else {
			first[symbol] = append(uses, use)
		}
	})
	for symbol, uses := range first {
		for _, use := range uses {
			where := use.String() + " in " + m.Name
			if fn := use.Function(); fn != "" {
				where = diag.Plain(fn) + " (" + use.String() + ") in " + m.Name
			}
			u.uses[symbol] = append(u.uses[symbol], where)
		}
	}
}

func (u *undefined) findAlike(m *input.Module, bases map[string]bool) {
	for i := range m.File.Symbols {
		y := &m.File.Symbols[i]
		if y.Shndx == cubin.SHNUndef || y.Type() != cubin.STTFunc && y.Type() != cubin.STTCudaObject {
			continue
		}
		base := baseName(y.Name)
		if _, known := u.alike[base]; bases[base] && !known {
			u.alike[base] = definition{y.Name, m.Name, y.Binding() == cubin.STBLocal}
		}
	}
}

// meant says which definition may be meant by an undefined symbol, or where it is usually defined.
func (u *undefined) meant(symbol string) string {
	if d, ok := u.alike[baseName(symbol)]; ok {
		text := "did you mean '" + diag.Plain(d.symbol) + "', defined in '" + d.file + "'?"
		if d.local {
			text += " It is static there: no other file can use it."
		}
		return text
	}
	if isRuntimeName(symbol) {
		return "this belongs to CUDA's device runtime: link libcudadevrt (-L TOOLKIT/lib64 -l cudadevrt)."
	}
	return ""
}

// isRuntimeName tells the names of the device runtime's functions, which begin like those of the host's runtime.
func isRuntimeName(symbol string) bool {
	rest, ok := strings.CutPrefix(symbol, "cuda")
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' || strings.HasPrefix(symbol, "__cudaCDP")
}

// baseName is a function's or variable's name as people know it, without types: scale of float scale<float>(float*).
func baseName(symbol string) string {
	name := diag.Plain(symbol)
	if strings.Contains(name, "operator") || strings.Contains(name, "(anonymous") {
		return name
	}
	if i := strings.IndexAny(name, "(<"); i > 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, ' ')+1:]
}
