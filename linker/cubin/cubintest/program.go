package cubintest

import (
	"github.com/culink/culink/linker/cubin"
)

// CodeSize is the size in bytes of the code that Program gives each function: zeros, since no linker decodes it.
const CodeSize = 0x180

// Relocation types that Program uses (R_CUDA numbers).
const (
	RelAddr64 = 2  // R_CUDA_64
	RelLo32   = 56 // R_CUDA_ABS32_LO_32
	RelHi32   = 57 // R_CUDA_ABS32_HI_32
	RelCall   = 58 // the target of a call
)

// Function is a function of a program.
type Function struct {
	Name      string
	Bind      cubin.Binding
	Kernel    bool
	Registers uint32
	Frame     uint32
	Calls     []string // functions of this program or of others
	Globals   []string // variables whose address it takes
	Size      uint64   // code size; CodeSize if 0
	// Attributes are further records of its .nv.info section, encoded.
	Attributes []byte
}

// Variable is a variable of a program: initialised data, or an undefined reference.
type Variable struct {
	Name      string
	Bind      cubin.Binding
	Size      uint64
	Undefined bool
	Managed   bool
}

// Program is one cubin in terms of functions and variables.
type Program struct {
	SM        int
	ABI       int
	Virtual   int // virtual architecture, with ABI 8; 0 means SM
	Functions []Function
	Variables []Variable
}

func note(kind uint32, desc []byte) []byte {
	out := Words(12, uint32(len(desc)), kind)
	return append(append(out, "NVIDIA Corp\x00"...), desc...)
}

type programBuilder struct {
	f     *File
	symOf map[string]uint32
}

// Encode returns the program as a relocatable cubin.
func (p *Program) Encode() []byte {
	f := New(p.SM, p.ABI)
	b := &programBuilder{f, map[string]uint32{}}
	if p.ABI == 8 {
		virtual := p.Virtual
		if virtual == 0 {
			virtual = p.SM
		}
		tkinfo := f.AddSection(Section{Name: ".note.nv.tkinfo", Type: cubin.SHTNote, Flags: cubin.SHFTkinfo, Align: 4, Data: note(2000, Words(2, 20, 20, 20, 20, 20, 0))})
		f.Cuinfo = f.AddSection(Section{Name: ".note.nv.cuinfo", Type: cubin.SHTNote, Flags: cubin.SHFCuinfo, Link: uint32(tkinfo), Align: 4, Data: note(1000, Words(uint32(virtual)<<16|2, 130))})
	}
	info := f.AddSection(Section{Name: ".nv.info", Type: cubin.SHTCudaInfo, Link: 3, Align: 4})
	graph := f.AddSection(Section{Name: ".nv.callgraph", Type: cubin.SHTCudaCallgraph, Link: 3, Align: 4, Entsize: 8})
	text := make([]int, len(p.Functions))
	for i := range p.Functions {
		fn := &p.Functions[i]
		text[i] = f.AddSection(Section{Name: ".text." + fn.Name, Type: cubin.SHTProgbits, Flags: 6, Link: 3, Align: 128, Data: make([]byte, fn.size())})
	}
	for i := range p.Functions {
		if fn := &p.Functions[i]; fn.Kernel {
			f.AddSection(Section{Name: ".nv.constant0." + fn.Name, Type: cubin.SHTCudaConstant0, Flags: 0x42, Info: uint32(text[i]), Align: 4, Data: make([]byte, 0x168)})
		}
	}
	data := b.data(p.Variables)
	b.symbols(p, text, data)
	b.code(p, text, graph, info)
	return f.Encode()
}

func (fn *Function) size() uint64 {
	if fn.Size != 0 {
		return fn.Size
	}
	return CodeSize
}

// data adds .nv.global.init: each byte of a variable is its index.
func (b *programBuilder) data(vars []Variable) int {
	var bytes []byte
	for i := range vars {
		if v := &vars[i]; !v.Undefined {
			for range v.Size {
				bytes = append(bytes, byte(i))
			}
		}
	}
	if len(bytes) == 0 {
		return 0
	}
	return b.f.AddSection(Section{Name: ".nv.global.init", Type: cubin.SHTCudaGlobalInit, Flags: 3, Align: 4, Data: bytes})
}

func (b *programBuilder) symbols(p *Program, text []int, data int) {
	f := b.f
	for i := 4; i < len(f.Sections); i++ {
		switch s := &f.Sections[i]; s.Type {
		case cubin.SHTProgbits, cubin.SHTCudaGlobalInit, cubin.SHTCudaConstant0:
			b.symOf["\x00"+s.Name] = f.AddSymbol(Symbol{Name: s.Name, Info: uint8(cubin.STTSection), Shndx: uint16(i)})
		}
	}
	f.Locals = len(f.Symbols)
	for i := range p.Functions {
		fn := &p.Functions[i]
		other := uint8(0)
		if fn.Kernel {
			other = cubin.STOEntry
		}
		id := f.AddSymbol(Symbol{Name: fn.Name, Info: uint8(fn.Bind)<<4 | uint8(cubin.STTFunc), Other: other, Shndx: uint16(text[i]), Size: fn.size()})
		b.symOf[fn.Name] = id
		f.Sections[text[i]].Info = fn.Registers<<24 | id
	}
	offset := uint64(0)
	for i := range p.Variables {
		v := &p.Variables[i]
		y := Symbol{Name: v.Name, Info: uint8(v.Bind)<<4 | uint8(cubin.STTCudaObject), Other: cubin.STOGlobal, Size: v.Size}
		if v.Managed {
			y.Other |= cubin.STOManaged
		}
		if !v.Undefined {
			y.Shndx, y.Value = uint16(data), offset
			offset += v.Size
		}
		b.symOf[v.Name] = f.AddSymbol(y)
	}
}

func (b *programBuilder) symbol(name string, info, other uint8) uint32 {
	id, ok := b.symOf[name]
	if !ok {
		id = b.f.AddSymbol(Symbol{Name: name, Info: info, Other: other})
		b.symOf[name] = id
	}
	return id
}

// code adds relocations, call graph and attributes.
func (b *programBuilder) code(p *Program, text []int, graph, info int) {
	edges := Words(0, 0xffffffff)
	var attrs []byte
	for i := range p.Functions {
		fn := &p.Functions[i]
		var rel []byte
		entry := func(off uint64, typ, sym uint32) {
			rel = le.AppendUint64(rel, off)
			rel = append(rel, Words(typ, sym)...)
		}
		self := b.symOf[fn.Name]
		for k, c := range fn.Calls {
			id := b.symbol(c, uint8(cubin.STBGlobal)<<4|uint8(cubin.STTFunc), 0)
			entry(uint64(0x100-0x10*k), RelCall, id)
			edges = append(edges, Words(self, id)...)
		}
		for k, g := range fn.Globals {
			id := b.symbol(g, uint8(cubin.STBGlobal)<<4|uint8(cubin.STTCudaObject), cubin.STOGlobal)
			entry(uint64(0x20*k+0x10), RelLo32, id)
			entry(uint64(0x20*k), RelHi32, id)
		}
		if len(rel) > 0 {
			b.f.AddSection(Section{Name: ".rel.text." + fn.Name, Type: cubin.SHTRel, Flags: 0x40, Link: 3, Info: uint32(text[i]), Align: 8, Entsize: cubin.RelSize, Data: rel})
		}
		// REGCOUNT, MAX_STACK_SIZE, FRAME_SIZE: format 4, code, 8 bytes of symbol and value.
		for _, a := range [][2]uint32{{0x2f, fn.Registers}, {0x23, 0}, {0x11, fn.Frame}} {
			attrs = append(attrs, Words(4|a[0]<<8|8<<16, self, a[1])...)
		}
		own := Words(0x04|0x37<<8|4<<16, 0x82) // CUDA_API_VERSION
		if fn.Kernel {
			// PARAM_CBANK with the bank's section symbol, and CBANK_PARAM_SIZE.
			own = append(own, Words(0x04|0x0a<<8|8<<16, b.symOf["\x00.nv.constant0."+fn.Name], 0x00080160, 0x03|0x19<<8|8<<16)...)
		}
		b.f.AddSection(Section{Name: ".nv.info." + fn.Name, Type: cubin.SHTCudaInfo, Flags: 0x40, Link: 3, Info: uint32(text[i]), Align: 4, Data: append(own, fn.Attributes...)})
	}
	b.f.Sections[graph].Data = append(edges, Words(0, 0xfffffffe, 0, 0xfffffffd, 0, 0xfffffffc)...)
	b.f.Sections[info].Data = attrs
}
