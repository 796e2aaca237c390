package reloc

// firstAction is the first type that .nv.rel.action describes: older loaders know the types before it (observed: the
// header of the section names 115).
const firstAction = ConstField22

// ActionSection is the content of .nv.rel.action: a header of 8 bytes that names the first type, then 8 bytes for each
// type from there on, so that a loader older than the linker can apply them. Every executable image up to sm_90 has
// it; relocatable output and images from sm_100 on have not (observed).
//
// The bytes of a type are, by the dump tool's own column titles: symbol kind, addend shift, then source position,
// length and destination position of the value, and of the bank.
func ActionSection() []byte {
	out := []byte{byte(firstAction), 0, 0, 0, 0, 0, 0, 0}
	for i := int(firstAction); i < CudaTypes; i++ {
		v, w := cudaTable[i].Actions[0], cudaTable[i].Actions[1]
		if v.Op == OpEnd {
			continue
		}
		kind, shift := v.Op.kind()
		out = append(out, kind, shift, v.Shift-shift, v.Width, v.Pos, w.Shift, w.Width, w.Pos)
	}
	return out
}

// kind gives the first two bytes of a type's row (seed document relocation-engine; only OpFull is observed).
func (o Op) kind() (kind, shift uint8) {
	switch {
	case o == OpShift2:
		return 0, 2
	case o >= OpByte0 && o < OpGlobalByte0:
		return uint8(o - OpByte0), 0
	case o >= OpGlobalByte0 && o < OpDescriptorByte0:
		return 1, 0
	case o >= OpDescriptorByte0 && o < OpUnified:
		return 2, 0
	case o >= OpUnified && o <= OpUnifiedHigh:
		return 9, 0
	}
	return 0, 0
}
