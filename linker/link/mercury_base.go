package link

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/sass"
)

// What a capsule's record of LDC says of the constant: bytes of the record (observed).
const (
	recordOpcode  = 1 // byte
	recordLoad    = 0x22
	recordBank    = 12 // byte
	recordIndices = 0x49
)

// placeDescriptorBases writes the place of the table of descriptors into code that adds a slot to it: LDC R, c[0][R + place],
// as the compiler makes it without optimization in independent texture mode. The place depends on the parameters of all
// kernels; no relocation entry names it, but the capsule says which instructions mean the table (observed).
func (l *link) placeDescriptorBases() error {
	if !slices.ContainsFunc(l.Inputs, (*input).hasReferences) {
		return nil
	}
	base := l.table.base
	if l.rel {
		base = l.descriptorBase() // a later link writes its own
	}
	return l.parallel(len(l.Secs), func(i int) error {
		if s := l.Secs[i]; s != nil && s.Kind == kindText && len(s.Parts) > 0 && s.Parts[0].Merc != 0 {
			placeDescriptorBase(s, base)
		}
		return nil
	})
}

func placeDescriptorBase(s *section, base uint64) {
	c, err := cubin.ParseCapsule(s.MercData)
	if err != nil {
		return // refused when an operand is looked for
	}
	for i := range c.Records {
		r := &c.Records[i]
		if !r.Whole() || s.MercData[r.Off+recordOpcode] != recordLoad || s.MercData[r.Off+recordBank] != recordIndices {
			continue
		}
		if o := sass.Size * int(r.SASS); o < len(s.Data) { // where a relocation entry gives the descriptor's own place, no register is added
			sass.SetLoadOffset(s.Data[o:], base)
		}
	}
}

// hasReferences reports whether an input has textures, samplers or surfaces.
func (in *input) hasReferences() bool {
	return slices.ContainsFunc(in.File.MercSymbols, func(y cubin.Symbol) bool { return isReference(y.Type()) })
}
