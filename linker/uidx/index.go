package uidx

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Index is an index file, parsed.
type Index struct {
	Functions, Variables Table
	// Raw is the file as it was given to Parse, which does not copy it. An image carries it in .nv.uidx.
	Raw []byte
}

// Table is one of the tables of an index file.
type Table struct {
	// Window is the size of the table in bytes.
	Window  uint64
	Records []Record
}

// Record is the place of one function or variable, in bytes from the begin of its table.
type Record struct {
	ID     ID
	Offset uint64
}

// ID is the id of a unified function or variable: the two numbers of PTX's .attribute(.unified(a, b)).
type ID [2]uint64

// Reasons for which an index file is refused.
var (
	ErrNotIndex  = errors.New("no index file: it does not begin with its mark")
	ErrMalformed = errors.New("malformed index file: its size does not follow from its counts")
)

const (
	mark       = "\x7fUFTINDX"
	headSize   = 48
	recordSize = 24
	extraSize  = 16 // from version 2 on, for each function
	// firstVersions is the first toolkit that looks at the version (observed).
	firstVersions = 130
)

// Parse reads an index file as a toolkit (ten times its version: 124, 130) does. The error is ErrNotIndex or ErrMalformed. Memory is
// proportional to the file.
func Parse(data []byte, toolkit int) (*Index, error) {
	if len(data) < len(mark) || string(data[:len(mark)]) != mark {
		return nil, ErrNotIndex
	}
	if len(data) < headSize {
		return nil, ErrMalformed
	}
	functions, variables := binary.LittleEndian.Uint64(data[24:]), binary.LittleEndian.Uint64(data[40:])
	size := uint64(recordSize)
	if binary.LittleEndian.Uint32(data[8:]) > 1 && toolkit >= firstVersions {
		size += extraSize
	}
	// Sizes that do not fit 64 bits fit no file either.
	over, first := bits.Mul64(functions, size)
	over2, second := bits.Mul64(variables, recordSize)
	rest := uint64(len(data) - headSize)
	if over != 0 || over2 != 0 || first > rest || second != rest-first {
		return nil, ErrMalformed
	}
	u := &Index{Raw: data}
	u.Functions = Table{Window: binary.LittleEndian.Uint64(data[16:]), Records: records(data[headSize:], functions)}
	u.Variables = Table{Window: binary.LittleEndian.Uint64(data[32:]), Records: records(data[headSize+recordSize*functions:], variables)}
	return u, nil
}

func records(data []byte, n uint64) []Record {
	out := make([]Record, n)
	for i := range out {
		b := data[i*recordSize:]
		out[i] = Record{ID: ID{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}, Offset: binary.LittleEndian.Uint64(b[16:])}
	}
	return out
}
