package slab

import "unsafe"

// Chunks of a Pool grow from firstChunk to lastChunk bytes; large is the size in bytes from which Make asks for huge pages.
const (
	firstChunk = 8 << 10
	lastChunk  = 4 << 20
	large      = 1 << 20
)

// Make is make([]T, n), on huge pages if the slice is large.
func Make[T any](n int) []T { return Cap[T](n, n) }

// Cap is make([]T, n, c), on huge pages if the slice is large.
func Cap[T any](n, c int) []T {
	s := make([]T, n, c)
	if size := uintptr(c) * unsafe.Sizeof(*new(T)); size >= large {
		advise(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
	return s
}

// Pool makes slices of T. The zero value is ready for use by one goroutine at a time.
type Pool[T any] struct {
	rest []T
	next int // size of the next chunk in elements
}

// Take returns n zero elements, with no room behind them: appending copies.
func (p *Pool[T]) Take(n int) []T {
	if n > len(p.rest) && !p.refill(n) {
		return Make[T](n)
	}
	s := p.rest[:n:n]
	p.rest = p.rest[n:]
	return s
}

// refill starts a chunk for n elements. A slice that would take most of one is none of the chunks': it would waste their rests.
func (p *Pool[T]) refill(n int) bool {
	size := max(int(unsafe.Sizeof(*new(T))), 1)
	p.next = max(min(max(4*p.next, firstChunk/size), lastChunk/size), 1)
	if 2*n > p.next {
		return false
	}
	p.rest = Make[T](p.next)
	return true
}
