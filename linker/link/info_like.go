package link

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// likeNamed finds, in a Mercury link, the attributes of local functions of one name in one input, as relocatable links make
// them: the reference writes the first one's records for all (observed). Where these are the same records in another order that
// is done here, too; otherwise each function keeps its own.
func (f *infoForm) likeNamed() {
	if !f.l.Mercury {
		return
	}
	type key struct {
		name string
		in   fileID
	}
	var first map[key]*section
	for _, s := range f.functions {
		fn := f.l.Secs[s.Owner].Fn
		if len(s.Parts) != 1 || f.l.Syms[fn].Binding() != cubin.STBLocal {
			continue
		}
		if first == nil {
			first = map[key]*section{}
		}
		k := key{s.Name, s.Parts[0].In}
		other, ok := first[k]
		if !ok {
			first[k] = s
			continue
		}
		own, _ := f.part(&s.Parts[0])
		p, ok := f.part(&other.Parts[0])
		if !ok || !sameRecords(own.data, p.data) {
			continue
		}
		if f.like == nil {
			f.like = map[secID]infoPart{}
		}
		f.like[s.ID] = p
	}
}

// sameRecords reports whether two sections hold the same attribute records, in whatever order.
func sameRecords(a, b []byte) bool {
	x, y := sortedRecords(a), sortedRecords(b)
	return x != nil && slices.EqualFunc(x, y, bytes.Equal)
}

// sortedRecords are the records of a section in order of their bytes, nil if it is malformed.
func sortedRecords(section []byte) [][]byte {
	var out [][]byte
	r := nvinfo.Read(section)
	for r.Next() {
		out = append(out, r.Record.Append(nil))
	}
	if r.Err() != nil {
		return nil
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}
