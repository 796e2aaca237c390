package link

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/slab"
)

// imageWriter encodes the image in batches.
type imageWriter struct {
	l        *link
	segments []segment
	batches  []batch
	phoff    uint64 // e_phoff, behind the section headers
	size     uint64 // of the image in bytes
}

// batch is a run of bytes of the image, from begin to end, with what is in it: sections of numbering.order, or section
// headers, from lo to hi-1; program headers if both are 0.
type batch struct {
	begin, end uint64
	lo, hi     int
	headers    bool
}

// batchSize is how many bytes a batch has at least, unless it is the last of its kind.
const batchSize = 1 << 20

// plan cuts the image into batches: the file header and the sections in file order, the section headers, the program headers.
func (w *imageWriter) plan() {
	l := w.l
	order := l.numbering.order
	b := batch{}
	for i := 1; i < len(order); i++ {
		at, ok := l.placeOf(order[i])
		if ok && at-b.begin >= batchSize {
			b.hi, b.end = i, at
			w.batches = append(w.batches, b)
			b = batch{begin: at, lo: i}
		}
	}
	b.hi, b.end = len(order), l.shoff
	w.batches = append(w.batches, b)
	shdr := uint64(l.form.Shdr)
	for lo := 0; lo < len(order); lo += batchSize / cubin.ShdrSize {
		hi := min(lo+batchSize/cubin.ShdrSize, len(order))
		w.batches = append(w.batches, batch{l.shoff + uint64(lo)*shdr, l.shoff + uint64(hi)*shdr, lo, hi, true})
	}
	w.phoff = l.shoff + uint64(len(order))*shdr
	w.size = w.phoff + uint64(len(w.segments)*l.form.Phdr)
	if len(w.segments) > 0 {
		w.batches = append(w.batches, batch{begin: w.phoff, end: w.size})
	}
}

// placeOf is where a section's bytes begin; ok is false for those without bytes of their own.
func (l *link) placeOf(h header) (off uint64, ok bool) {
	s := l.Secs[h.sec]
	switch {
	case h.sec == 0, h.merc && s.ShareOff, !h.merc && s.NoBits():
		return 0, false
	case h.merc:
		return s.MercOffset, true
	}
	return s.Offset, true
}

// encode fills a batch's bytes, which are zero.
func (w *imageWriter) encode(buf []byte, b *batch) {
	l := w.l
	order := l.numbering.order
	switch {
	case b.headers:
		for i := b.lo; i < b.hi; i++ {
			var record [cubin.ShdrSize]byte
			switch {
			case i > 0:
				l.writeSectionHeader(record[:], order[i])
			case len(order) >= wideSections:
				le.PutUint64(record[32:], uint64(len(order))) // sh_size of the null section
			}
			l.form.PutShdr(buf[(i-b.lo)*l.form.Shdr:], record[:])
		}
	case b.hi == 0:
		for i, p := range w.segments {
			var record [cubin.PhdrSize]byte
			p.write(record[:], w.phoff, uint64(len(w.segments)*l.form.Phdr), l.form.Align)
			l.form.PutPhdr(buf[i*l.form.Phdr:], record[:])
		}
	default:
		if b.lo == 0 {
			l.writeHeader(buf, w.phoff, len(w.segments))
		}
		for i := b.lo; i < b.hi; i++ {
			if at, ok := l.placeOf(order[i]); ok {
				l.writeSection(buf[at-b.begin:], order[i])
			}
		}
	}
}

func (w *imageWriter) loop() parallel.Loop { return parallel.Loop{Jobs: w.l.Jobs} }

// whole is the image in one piece.
func (w *imageWriter) whole() []byte {
	buf := slab.Make[byte](int(w.size))
	_ = w.loop().Do(len(w.batches), func(_, i int) error {
		b := &w.batches[i]
		w.encode(buf[b.begin:b.end:b.end], b)
		return nil
	})
	return buf
}

// stream encodes batches on several goroutines and writes them to Output in order. A goroutine takes a buffer before it
// takes a batch, so that the batch to be written next always has one.
func (w *imageWriter) stream(ctx context.Context) error {
	if r, ok := w.l.Output.(Reserver); ok {
		if err := r.Reserve(int64(w.size)); err != nil {
			return err
		}
	}
	if w.size <= batchSize { // not worth more than one system call
		_, err := w.l.Output.Write(w.whole())
		return err
	}
	workers := w.loop().Workers(len(w.batches))
	free := make(chan []byte, 2*workers)
	for range cap(free) {
		free <- nil
	}
	done := make([]chan []byte, len(w.batches))
	for i := range done {
		done[i] = make(chan []byte, 1)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for buf := range free {
				i := int(next.Add(1)) - 1
				if i >= len(w.batches) {
					return
				}
				b := &w.batches[i]
				buf = zeroed(buf, int(b.end-b.begin))
				w.encode(buf, b)
				done[i] <- buf
			}
		})
	}
	var err error
	for i := range done {
		buf := <-done[i]
		if err == nil {
			if err = ctx.Err(); err == nil {
				_, err = w.l.Output.Write(buf)
			}
		}
		free <- buf[:0]
	}
	close(free)
	wg.Wait()
	return err
}

// zeroed returns n zero bytes, in buf if it has room for them. Batches are of similar sizes, so a new one has some room to spare.
func zeroed(buf []byte, n int) []byte {
	if cap(buf) < n {
		return make([]byte, n, n+n/8)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}
