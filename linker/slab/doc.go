// Package slab makes many small slices of one large one.
//
// A link of thousands of objects keeps hundreds of thousands of sections and symbols until it ends. Taking each table from the
// allocator costs a call, a size class that does not fit and, above all, the memory's first touch: the system hands out pages
// of 4 KiB one fault at a time, and a fault costs about as much as filling the page. A Pool takes tables out of chunks
// that grow with demand, so that a link of two files stays small, and Make, which allocates the chunks, asks the system for huge
// pages (2 MiB on most machines) where a chunk is large. The request is advice: without it, or where the system declines,
// everything works the same.
//
// Nothing is ever given back by itself: a chunk lives as long as any slice out of it. That suits a linker, whose
// tables live to its end, and nothing else.
package slab
