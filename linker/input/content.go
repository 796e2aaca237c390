package input

import (
	"bytes"
	"encoding/binary"

	"github.com/culink/culink/linker/ar"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/hostobj"
)

// content is what the first bytes of a file say that it is.
type content uint8

const (
	contentOther content = iota
	contentArchive
	contentCubin
	contentHost
	contentFatbin
	contentPTX
	contentIR
)

func (c content) String() string {
	return [...]string{"a file of no known kind", "an archive", "a cubin", "a host ELF file", "a fatbin", "a PTX file", "IR"}[c]
}

func elfType(data []byte) uint16 {
	if len(data) < 20 {
		return 0
	}
	return binary.LittleEndian.Uint16(data[16:])
}

// contentOf looks at the first bytes, except for PTX, which may begin with comments of any length.
func contentOf(data []byte) content {
	switch {
	case ar.Is(data):
		return contentArchive
	case hostobj.IsELF(data) && len(data) >= 20:
		if binary.LittleEndian.Uint16(data[18:]) == hostobj.MachineCUDA {
			return contentCubin
		}
		return contentHost
	case fatbin.Is(data):
		return contentFatbin
	case bytes.HasPrefix(data, []byte("BC\xc0\xde")): // LLVM's bitcode
		return contentIR
	case isPTX(data):
		return contentPTX
	}
	return contentOther
}

// isPTX reports whether a text's first word, behind blanks and comments, is .version (observed: what makes a text PTX).
func isPTX(text []byte) bool {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\v\f")
		var ok bool
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			_, text, ok = bytes.Cut(text, []byte("\n"))
		case bytes.HasPrefix(text, []byte("/*")):
			_, text, ok = bytes.Cut(text[2:], []byte("*/"))
		default:
			return bytes.HasPrefix(text, []byte(".version"))
		}
		if !ok {
			return false
		}
	}
}

// target asks package arch on behalf of package fatbin.
type target struct{ o *Options }

func (t target) Is64() bool { return t.o.is64() }

func (t target) Old() bool { return t.o.Toolkit.Word < firstOwnRules }

func (t target) AcceptsPTX(number uint32, v fatbin.Variant) bool {
	return t.o.Toolkit.AcceptsPTX(t.o.Target, archOf(number, v))
}

// firstMercury is the SM number from which an entry must say that it has Mercury code to serve another number (observed).
const firstMercury = 100

func (t target) AcceptsCubin(number uint32, v fatbin.Variant, entry, compat bool) bool {
	if number >= firstMercury && number != uint32(t.o.Target.SM) && entry && !compat {
		return false
	}
	return t.o.Toolkit.Accepts(t.o.Target, archOf(number, v))
}

func archOf(number uint32, v fatbin.Variant) arch.Arch {
	const beyond = 1 << 20 // no such architecture, and no overflow
	return arch.Arch{SM: int(min(number, beyond)), Suffix: arch.Suffix(v)}
}
