package link

import (
	"hash/maphash"

	"github.com/culink/culink/linker/cubin"
)

// nameTable finds global and weak symbols by name: a hash table with open addressing whose hashes are computed while
// inputs are read in parallel, so that the sequential walk only compares. Its seed differs from run to run; nothing depends on
// the order of its slots.
type nameTable struct {
	seed  maphash.Seed
	slots []nameSlot // a power of two, at most half full
	used  int
	// touched is what touch read, kept so that it is read at all.
	touched uint64
}

type nameSlot struct {
	hash uint64
	id   symID
}

func (t *nameTable) hash(name string) uint64 { return maphash.String(t.seed, name) }

// hashAll fills hashes with those of the names that are entered by name, by symbol number; with locals those of local functions
// and objects, too.
func (t *nameTable) hashAll(view []cubin.Symbol, hashes []uint64, locals bool) []uint64 {
	for i := range view {
		if y := &view[i]; y.Binding() != cubin.STBLocal || locals && y.Type() != cubin.STTSection && y.Type() != cubin.STTNotype {
			hashes[i] = t.hash(y.Name)
		}
	}
	return hashes
}

// grow makes room for n names in all.
func (t *nameTable) grow(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	old := t.slots
	t.slots = make([]nameSlot, size)
	t.used = 0
	for _, s := range old {
		if s.id != 0 {
			t.add(s.hash, s.id)
		}
	}
}

// find returns the symbol of that name and hash.
func (t *nameTable) find(syms []symbol, hash uint64, name string) (symID, bool) {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == 0 {
			return 0, false
		}
		if s.hash == hash && syms[s.id].Name == name {
			return s.id, true
		}
	}
}

// touch brings what find will look at into the processor's caches. The accesses do not wait for each other, as those of one
// find after the other do: a name's slot, its symbol and its bytes lie anywhere in memory.
func (t *nameTable) touch(syms []symbol, hashes []uint64) {
	mask := uint64(len(t.slots) - 1)
	var sum uint64
	for _, h := range hashes {
		if s := &t.slots[h&mask]; s.hash == h && s.id != 0 {
			if name := syms[s.id].Name; name != "" {
				sum += uint64(name[0])
			}
		}
	}
	t.touched = sum
}

// add enters a symbol that find did not find.
func (t *nameTable) add(hash uint64, id symID) {
	if 2*(t.used+1) > len(t.slots) {
		t.grow(2 * (t.used + 1))
	}
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = nameSlot{hash, id}
	t.used++
}

// lookup returns the global or weak symbol of a name.
func (l *link) lookup(name string) (symID, bool) {
	return l.names.find(l.Syms, l.names.hash(name), name)
}
