package inspect

import (
	"fmt"
	"io"

	"github.com/culink/culink/linker/cubin"
)

// Capsule is the Mercury form of a function: which of its instructions are written out.
type Capsule struct {
	Section      string          `json:"section"`
	Text         string          `json:"text"`         // the code section that it stands beside
	Instructions int             `json:"instructions"` // Mercury instructions
	SASS         int             `json:"sass"`         // SASS instructions that they stand for
	Records      []CapsuleRecord `json:"records"`
}

// CapsuleRecord is an instruction that does not follow from its SASS alone.
type CapsuleRecord struct {
	Offset int    `json:"offset"` // of the first SASS instruction, in bytes of the code section
	Count  int    `json:"count"`  // SASS instructions
	Units  int    `json:"units"`  // size of the Mercury instruction in 16-byte units, 0 for the end of the code
	Bytes  string `json:"bytes"`  // what is written out of it: all, its opcode, or nothing
}

// sassSize is the size of a SASS instruction in bytes, from sm_70 on.
const sassSize = 16

func (d *describer) capsule(i int) {
	s := &d.f.Sections[i]
	c, err := cubin.ParseCapsule(s.Data)
	if err != nil {
		d.problem("section %s: %v", d.sections[i], err)
		return
	}
	out := Capsule{Section: d.sections[i], Text: d.sectionName(c.Text), Instructions: c.Instructions, SASS: c.SASS,
		Records: make([]CapsuleRecord, 0, len(c.Records))}
	for k := range c.Records {
		r := &c.Records[k]
		out.Records = append(out.Records, CapsuleRecord{sassSize * int(r.SASS), int(r.Count), int(r.Units), fmt.Sprintf("% x", s.Data[r.Off:r.Off+r.Size])})
	}
	d.image.Capsules = append(d.image.Capsules, out)
}

// isCapsule reports whether a section is a capsule that can be decoded.
func isCapsule(s *cubin.Section) bool {
	if s.Type != cubin.SHTCudaCapsule {
		return false
	}
	_, err := cubin.ParseCapsule(s.Data)
	return err == nil
}

func (im *Image) capsuleText(w io.Writer) {
	for i := range im.Capsules {
		c := &im.Capsules[i]
		fmt.Fprintf(w, "\nCapsule %s of %s: %d Mercury instructions for %d of SASS\n", c.Section, c.Text, c.Instructions, c.SASS)
		for _, r := range c.Records {
			fmt.Fprintf(w, "  %#8x  %3d SASS  %d units  %s\n", r.Offset, r.Count, r.Units, r.Bytes)
		}
	}
}

func (im *Image) capsuleFacts(f *factList) {
	for i := range im.Capsules {
		c := &im.Capsules[i]
		key := "capsule " + c.Section
		f.add(key, "text", c.Text)
		f.add(key, "instructions", fmt.Sprintf("%d for %d of SASS", c.Instructions, c.SASS))
		for _, r := range c.Records {
			f.repeated(fmt.Sprintf("%s record %#x", key, r.Offset), fmt.Sprintf("%d SASS, %d units, %s", r.Count, r.Units, r.Bytes))
		}
	}
}
