package link

import (
	"errors"
	"math/bits"
)

// UnifiedIndex is an index file (--uidx-file): it assigns the unified functions and variables of a whole program, host
// side included, their places in two tables. An image carries the file in .nv.uidx.
//
//	"\x7fUFTINDX" | u32 version | u32 0 | u64 window, u64 count (functions) | u64 window, u64 count (variables) | records
//	record: u64, u64 id | u64 offset
//
// Functions come first. From version 2 on, 16 bytes for each function follow the records; 12.4 does not know them
// (observed; what they hold is not known).
type UnifiedIndex struct {
	Functions, Variables UnifiedTable
	// raw is the file, which ParseUnifiedIndex does not copy.
	raw []byte
}

// UnifiedTable is one of the tables of an index file.
type UnifiedTable struct {
	// Window is the size of the table in bytes.
	Window  uint64
	Records []UnifiedRecord
}

// UnifiedRecord is the place of one function or variable, in bytes from the begin of its table.
type UnifiedRecord struct {
	ID     UnifiedID
	Offset uint64
}

// UnifiedID is the id of a unified function or variable: the two numbers of PTX's .attribute(.unified(a, b)).
type UnifiedID [2]uint64

// Reasons for which an index file is refused.
var (
	ErrNotUnifiedIndex       = errors.New("no index file: it does not begin with its mark")
	ErrMalformedUnifiedIndex = errors.New("malformed index file: its size does not follow from its counts")
)

const (
	unifiedIndexMark   = "\x7fUFTINDX"
	unifiedIndexHead   = 48
	unifiedIndexRecord = 24
	unifiedIndexExtra  = 16 // from version 2 on, for each function
)

// ParseUnifiedIndex reads an index file as a toolkit (124, 130) does. Memory is proportional to the file.
func ParseUnifiedIndex(data []byte, toolkit int) (*UnifiedIndex, error) {
	if len(data) < len(unifiedIndexMark) || string(data[:len(unifiedIndexMark)]) != unifiedIndexMark {
		return nil, ErrNotUnifiedIndex
	}
	if len(data) < unifiedIndexHead {
		return nil, ErrMalformedUnifiedIndex
	}
	functions, variables := le.Uint64(data[24:]), le.Uint64(data[40:])
	size := uint64(unifiedIndexRecord)
	if le.Uint32(data[8:]) > 1 && rulesOf(toolkit).indexRecordsGrow {
		size += unifiedIndexExtra
	}
	// Sizes that do not fit 64 bits fit no file either.
	over, first := bits.Mul64(functions, size)
	over2, second := bits.Mul64(variables, unifiedIndexRecord)
	rest := uint64(len(data) - unifiedIndexHead)
	if over != 0 || over2 != 0 || first > rest || second != rest-first {
		return nil, ErrMalformedUnifiedIndex
	}
	u := &UnifiedIndex{raw: data}
	u.Functions = UnifiedTable{Window: le.Uint64(data[16:]), Records: unifiedRecords(data[unifiedIndexHead:], functions)}
	u.Variables = UnifiedTable{Window: le.Uint64(data[32:]), Records: unifiedRecords(data[unifiedIndexHead+unifiedIndexRecord*functions:], variables)}
	return u, nil
}

func unifiedRecords(data []byte, n uint64) []UnifiedRecord {
	out := make([]UnifiedRecord, n)
	for i := range out {
		b := data[i*unifiedIndexRecord:]
		out[i] = UnifiedRecord{ID: UnifiedID{le.Uint64(b), le.Uint64(b[8:])}, Offset: le.Uint64(b[16:])}
	}
	return out
}
