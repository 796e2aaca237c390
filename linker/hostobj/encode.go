package hostobj

import (
	"encoding/binary"
	"fmt"
)

// rela is an entry of a relocation section; sym is a number of the symbol table.
type rela struct {
	offset uint64
	typ    uint32
	sym    uint32
	addend int64
}

// code is machine code with its relocations.
type code struct {
	text    []byte
	relas   []rela
	labels  [placeModuleCount + 1]int // offset of each label
	modules int
	// symbol tells the symbol and addend that stand for a place.
	symbol func(place) (sym uint32, addend int64)
}

// add encodes instructions behind those that are there. Labels of earlier calls may be used.
func (c *code) add(list []ins) error {
	start := len(c.text)
	at := start
	for _, i := range list { // labels first: jumps go forward as well
		if i.code == "" {
			c.labels[i.place] = at
		}
		at += len(i.code)
	}
	for _, i := range list {
		c.text = append(c.text, i.code...)
		if i.fix == noFix {
			continue
		}
		if err := c.settle(i); err != nil {
			return err
		}
	}
	return nil
}

// settle enters the place of the instruction that was written last.
func (c *code) settle(i ins) error {
	end := len(c.text)
	last := c.text[end-4:]
	if r := fixRelocs[i.fix]; r.typ != 0 {
		sym, addend := c.symbol(i.place)
		c.relas = append(c.relas, rela{uint64(end - 4), r.typ, sym, addend + r.bias})
		return nil
	}
	le := binary.LittleEndian
	n := uint32(c.modules)
	jump := c.labels[i.place] - end // from the instruction's end
	switch i.fix {
	case fixImm32:
		le.PutUint32(last, n)
	case fixMovLow:
		le.PutUint32(last, le.Uint32(last)|n&0xffff<<5)
	case fixMovHigh:
		le.PutUint32(last, le.Uint32(last)|n>>16<<5)
	case fixShort:
		if int(int8(jump)) != jump {
			return fmt.Errorf("jump over %d bytes", jump)
		}
		c.text[end-1] = byte(jump)
	case fixNear:
		if int(int32(jump)) != jump {
			return fmt.Errorf("jump over %d bytes", jump)
		}
		le.PutUint32(last, uint32(jump))
	case fixLabel19:
		le.PutUint32(last, le.Uint32(last)|uint32(jump+4)>>2&(1<<19-1)<<5)
	case fixLabel26:
		if jump+4 < -1<<27 {
			return fmt.Errorf("jump over %d bytes", jump)
		}
		le.PutUint32(last, le.Uint32(last)|uint32(jump+4)>>2&(1<<26-1))
	}
	return nil
}
