package link

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// compatRow says how an attribute of .nv.compat is merged over the inputs (observed by editing two inputs).
type compatRow struct {
	code   nvinfo.CompatCode
	format nvinfo.Format
	merge  func(a, b uint16) uint16
	// missing is the value of an input that has the section but not the attribute, if it counts.
	missing uint16
	counts  bool
}

var compatRows = [...]compatRow{
	{nvinfo.CompatISAClass, nvinfo.BVAL, zeroOrMax, 0, true},
	{nvinfo.CompatTensormapV1, nvinfo.BVAL, func(a, b uint16) uint16 { return a | b }, 3, true},
	{nvinfo.CompatTcgen05MMA, nvinfo.BVAL, mergeTcgen05, 0, true},
	{nvinfo.CompatOpportunistic, nvinfo.BVAL, mergeOpportunistic, 1, true},
	{nvinfo.CompatISAVersion, nvinfo.HVAL, func(a, b uint16) uint16 { return max(a, b) }, firstISA, true},
	{nvinfo.Compat08, nvinfo.HVAL, func(a, b uint16) uint16 { return max(a, b) }, 0, false},
}

// zeroOrMax is 0 if either is 0: 0 stands for an attribute that restricts nothing further.
func zeroOrMax(a, b uint16) uint16 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// mergeTcgen05 merges two fields of two bits each; the bits above are the first input's.
func mergeTcgen05(a, b uint16) uint16 {
	return zeroOrMax(a&3, b&3) | zeroOrMax(a>>2&3, b>>2&3)<<2 | a&0xf0
}

func mergeOpportunistic(a, b uint16) uint16 {
	if a == b {
		return a
	}
	return 1
}

func compatRowOf(c nvinfo.CompatCode) int {
	for i := range compatRows {
		if compatRows[i].code == c {
			return i
		}
	}
	return -1
}

// compatMerge is the state of merging: values and the order in which attributes first appeared.
type compatMerge struct {
	value [len(compatRows)]uint16
	known [len(compatRows)]bool
	order []int
	// tooNew is the first input after which the Mercury instruction set is newer than the finalizer's.
	tooNew string
}

func (m *compatMerge) add(row int, v uint16) {
	if m.known[row] {
		m.value[row] = compatRows[row].merge(m.value[row], v)
		return
	}
	m.known[row], m.value[row] = true, v
	m.order = append(m.order, row)
}

// input merges one input's section. An input without the section (ABI 7) says nothing.
func (m *compatMerge) input(in *input, section []byte) (missingISAClass bool, err error) {
	var own [len(compatRows)]uint16
	var has [len(compatRows)]bool
	var order []int
	r := nvinfo.Read(section)
	for r.Next() {
		row := compatRowOf(nvinfo.CompatCode(r.Code))
		if row < 0 {
			continue
		}
		v := r.Field
		if compatRows[row].format == nvinfo.BVAL {
			v &= 0xff
		}
		if !has[row] {
			order = append(order, row)
		}
		has[row], own[row] = true, v
	}
	for _, row := range order {
		m.add(row, own[row])
	}
	for row := range compatRows {
		if !has[row] && compatRows[row].counts {
			m.add(row, compatRows[row].missing)
		}
	}
	if row := compatRowOf(nvinfo.CompatISAVersion); has[row] {
		in.isa = own[row]
	}
	return !has[compatRowOf(nvinfo.CompatISAClass)], r.Err()
}

// firstISA is the Mercury instruction set of 12.8 and 12.9, whose objects do not name it.
const firstISA = 0x100

// compatISAVersionMax is the newest Mercury instruction set that 13.0 takes (observed).
const compatISAVersionMax = 0x101

// hasCompat reports whether the image states which architectures can run it.
func (l *link) hasCompat() bool { return l.ABI == 8 && l.profile.Compat }

// mergeCompat merges an input's .nv.compat: which architectures can run the image, and whether the driver may
// translate it. An input that does not state its instruction set class ties the image to its architecture. The reference says so
// when it has entered the input's symbols (observed).
func (l *link) mergeCompat(in *input) error {
	m := &l.attr.compat
	for _, i := range in.tables {
		s := &in.File.Sections[i]
		if s.Type != cubin.SHTCudaCompat {
			continue
		}
		missing, err := m.input(in, s.Data)
		if err != nil {
			return l.Diag.Fatal(diag.MalformedInput, in.Name, ".nv.compat: "+err.Error())
		}
		if missing {
			l.Diag.Report(diag.MissingCompatAttribute, l.SM, "ISA_CLASS", in.Name)
		}
		if v := m.value[compatRowOf(nvinfo.CompatISAVersion)]; l.Mercury && v > compatISAVersionMax && m.tooNew == "" {
			m.tooNew = in.Name
		}
	}
	return nil
}

// checkCompat ends the link if an input has a newer Mercury instruction set than the finalizer knows.
func (l *link) checkCompat() error {
	if in := l.attr.compat.tooNew; in != "" {
		return l.Diag.Fatal(diag.FinalizerError, in)
	}
	return nil
}

// encodeCompat writes .nv.compat: first whether the target is one architecture alone, then what the inputs state, in
// order of first appearance, in a Mercury image last which architectures can take the code over as it is.
func (l *link) encodeCompat() {
	if l.compat == 0 {
		return
	}
	m := &l.attr.compat
	accelerator := nvinfo.Record{Format: nvinfo.BVAL, Code: nvinfo.Code(nvinfo.CompatAcceleratorTarget)}
	if l.Suffix == "a" {
		accelerator.Field = 1
	}
	b := accelerator.Append(nil)
	for _, row := range m.order {
		b = nvinfo.Record{Format: compatRows[row].format, Code: nvinfo.Code(compatRows[row].code), Field: m.value[row]}.Append(b)
	}
	if l.Mercury {
		mask := l.fastPath(m.value[compatRowOf(nvinfo.CompatTcgen05MMA)])
		b = nvinfo.Record{Format: nvinfo.SVAL, Code: nvinfo.Code(nvinfo.CompatFastpathFinalize), Payload: le.AppendUint64(nil, mask)}.Append(b)
	}
	l.setTable(l.compat, b)
}
