package link

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// From sm_100 on the reference makes the table of unified functions anew: one capsule for all stubs, and code from that. A stub
// ends in a branch to itself and a NOP; the table has NOPs there, and one such branch behind the last slot (observed).

const (
	sassInstruction = 16
	stubTail        = 6 * sassInstruction // a stub's branch to itself
	mercurySlot     = 160                 // bytes of a slot in the reference's count of Mercury code
	stubEntry       = 0x18                // where the entry of a stub stands in that count
	endOfTable      = 8<<7 | 0x50         // the last record of a capsule: 8 instructions, the branch and NOPs
)

// tableSlot is a placed stub: its code and its capsule.
type tableSlot struct {
	offset        uint64
	code, capsule []byte
}

// tableSlots lists the stubs that have places, in the table's order.
func (l *link) tableSlots(s *section) []tableSlot {
	var slots []tableSlot
	for i := range s.Parts {
		p := &s.Parts[i]
		in := l.Inputs[p.In]
		if p.Sec == 0 || p.Merc == 0 || in.Secs[p.Merc].Dead {
			continue
		}
		slots = append(slots, tableSlot{p.Off, in.File.Sections[p.Sec].Data, in.File.Sections[p.Merc].Data})
	}
	slices.SortFunc(slots, func(a, b tableSlot) int { return cmp.Compare(a.offset, b.offset) })
	return slots
}

// makeTable makes code and capsule of the table of unified functions of an executable.
func (l *link) makeTable() error {
	s := l.Secs[l.uft]
	slots := l.tableSlots(s)
	s.Data = make([]byte, 0, (len(slots)+1)*unifiedSlot)
	n := 8*len(slots) + 1
	bitmap := make([]byte, (n+31)/32*4)
	var records []byte
	for i := range slots {
		t := &slots[i]
		c, err := cubin.ParseCapsule(t.capsule)
		last := len(t.capsule)
		if err == nil && len(c.Records) > 0 {
			last = int(c.Records[len(c.Records)-1].Off) - 2
		}
		if err != nil || t.offset != uint64(i)*unifiedSlot || len(t.code) != unifiedSlot || c.SASS != 8 || c.Instructions != 7 || len(c.Records) == 0 ||
			c.Records[len(c.Records)-1].Count != 2 || c.Records[len(c.Records)-1].Instruction != 6 {
			return l.Diag.Fatal(diag.UnsupportedInput, l.fileName(s.Parts[0].In), fmt.Sprintf("the stub at %#x is not as compilers make them", t.offset))
		}
		s.Data = append(s.Data, t.code[:stubTail]...)
		s.Data = append(s.Data, bytes.Repeat(t.code[stubTail-sassInstruction:stubTail], 2)...)
		l.scheduleSlot(s.Data[len(s.Data)-unifiedSlot:])
		records = append(records, t.capsule[c.Records[0].Off:last]...)
		bitmap[i] = t.capsule[capsuleBits]&0x3f | 0xc0
	}
	if len(slots) > 0 {
		tail := slots[len(slots)-1].code[stubTail:]
		s.Data = append(s.Data, tail[:sassInstruction]...)
		s.Data = append(s.Data, bytes.Repeat(tail[sassInstruction:], 7)...)
	}
	s.Size = uint64(len(s.Data))
	s.MercData = le.AppendUint32(make([]byte, 8, capsuleBits+len(bitmap)+len(records)+2), uint32(n))
	copy(s.MercData[4:8], slots[0].capsule[4:8])
	s.MercData = append(append(s.MercData, bitmap...), records...)
	s.MercData = le.AppendUint16(s.MercData, endOfTable)
	s.MercSize = uint64(len(s.MercData))
	return nil
}

// scheduleSlot sets the scheduling bits of a slot's instructions, which depend on the link's -g (observed).
func (l *link) scheduleSlot(slot []byte) {
	const at, nop = 13, 0x7918
	for o := 0; o < len(slot); o += sassInstruction {
		bits := uint16(0x0fea)
		switch {
		case l.Debug && !l.SuppressDebugInfo:
			bits = 0x3fde
		case le.Uint16(slot[o:]) == nop:
			bits = 0x0fe2
		}
		le.PutUint16(slot[o+at:], bits)
	}
}

// capsuleBits is where the bit map of a capsule begins.
const capsuleBits = 12

// placedStub is st_value and st_size of a stub in .symtab of a Mercury executable. The reference takes the stub's offset for
// one in Mercury code, which has 10 units of 16 bytes for the 8 instructions of a slot, the first of them 3; and a stub ends
// where the next one begins, the first with the table (observed; the code itself is where .nv.uft.entry says).
func (l *link) placedStub(s *symbol) (value, size uint64) {
	table := l.Secs[s.Sec].Size
	value = mercuryToSASS(s.Value)
	if value == 0 {
		return 0, table
	}
	next := mercuryToSASS(s.Value + unifiedSlot)
	if s.Value+2*unifiedSlot >= table {
		next = table
	}
	return value, next - value
}

// firstStubRange is the length of the first stub's code as .debug_frame has it: up to the next stub.
func (l *link) firstStubRange() uint64 {
	if size := l.Secs[l.uft].Size; size <= 2*unifiedSlot {
		return size
	}
	return mercuryToSASS(unifiedSlot)
}

func mercuryToSASS(offset uint64) uint64 {
	slot, unit := offset/mercurySlot, offset%mercurySlot/sassInstruction
	instruction := uint64(0)
	if unit > 0 {
		instruction = max(unit, 3) - 2
	}
	return slot*unifiedSlot + instruction*sassInstruction
}

// oneWorkaround leaves one of the workaround records that the stubs bring: the reference makes them with the code.
func oneWorkaround(recs []nvinfo.Record) []nvinfo.Record {
	seen := false
	return slices.DeleteFunc(recs, func(r nvinfo.Record) bool {
		if r.Code != nvinfo.SwWar {
			return false
		}
		again := seen
		seen = true
		return again
	})
}

// isPlacedStub reports whether a symbol is a stub in the table of a Mercury executable. All but the first are described by
// their Mercury frames, and the first with the length that placedStub comes from (observed).
func (r *relocator) isPlacedStub(id symID) bool {
	return id != 0 && r.l.uft != 0 && r.l.Syms[id].Sec == r.l.uft
}
