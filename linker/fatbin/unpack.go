package fatbin

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The ways in which a payload cannot be unpacked.
var (
	// ErrUncompress is returned for a payload that is damaged or does not have the size that its header states.
	ErrUncompress = errors.New("payload does not unpack")
	// ErrTooLarge is returned for a payload whose stated size is beyond what Limits allow.
	ErrTooLarge = errors.New("payload would unpack to more than is allowed")
)

// Limits bound what a compressed payload may become. The zero value means the defaults.
type Limits struct {
	// Floor is the size in bytes that every payload may unpack to; 0 means DefaultFloor.
	Floor uint64
	// Ratio is the multiple of its packed size that a payload larger than Floor may unpack to; 0 means DefaultRatio.
	Ratio uint64
}

// Defaults of Limits. Device code packs two to five times; large initialised arrays of zeros are the honest exception,
// and 64 MiB of them pass.
const (
	DefaultFloor = 64 << 20
	DefaultRatio = 1000
)

// largest is the largest allowed plain size of packed bytes.
func (l Limits) largest(packed uint64) uint64 {
	floor, ratio := l.Floor, l.Ratio
	if floor == 0 {
		floor = DefaultFloor
	}
	if ratio == 0 {
		ratio = DefaultRatio
	}
	return max(floor, packed*ratio)
}

// An LZ4 block spends at least one byte on 255 bytes of output; the rest is room for the last token.
const (
	lz4Ratio = 255
	lz4Extra = 64
)

// Unpacker unpacks payloads. It is safe for concurrent use.
type Unpacker struct {
	limits  Limits
	workers int

	mu   sync.Mutex
	zstd *zstd.Decoder // made for the first payload that needs it: most links have none
}

// NewUnpacker returns an Unpacker for up to workers concurrent callers. Close gives back what it holds.
func NewUnpacker(limits Limits, workers int) *Unpacker {
	return &Unpacker{limits: limits, workers: max(workers, 1)}
}

// Close releases the decoders.
func (u *Unpacker) Close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

func (u *Unpacker) decoder() (*zstd.Decoder, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var err error
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(u.workers), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	}
	return u.zstd, err
}

// Check reports whether the payload of e may be unpacked, before any memory is spent on it.
func (u *Unpacker) Check(e *Entry) error {
	if !e.Compressed() {
		return nil
	}
	packed := uint64(e.Packed)
	if packed > uint64(len(e.Stored)) {
		return &EntryError{e.Offset, fmt.Sprintf("%d packed bytes where %d are stored", packed, len(e.Stored)), ErrUncompress}
	}
	most, what := u.limits.largest(packed), ErrTooLarge
	if e.Flags&FlagLZ4 != 0 {
		most, what = packed*lz4Ratio+lz4Extra, ErrUncompress
	}
	if e.Plain > most {
		return &EntryError{e.Offset, fmt.Sprintf("%d bytes from %d, at most %d", e.Plain, packed, most), what}
	}
	return nil
}

// Payload is the code of e: a slice of the container when it is stored plain, new memory otherwise.
func (u *Unpacker) Payload(e *Entry) ([]byte, error) {
	if !e.Compressed() {
		return e.Stored, nil
	}
	if err := u.Check(e); err != nil {
		return nil, err
	}
	src, dst := e.Stored[:e.Packed], make([]byte, e.Plain)
	if e.Flags&FlagLZ4 != 0 {
		n, err := lz4.UncompressBlock(src, dst)
		if err == nil && n != len(dst) {
			err = fmt.Errorf("%d bytes where the header states %d", n, e.Plain)
		}
		if err != nil {
			return nil, &EntryError{e.Offset, "LZ4: " + err.Error(), ErrUncompress}
		}
		return dst, nil
	}
	d, err := u.decoder()
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	out, err := d.DecodeAll(src, dst[:0])
	if err == nil && len(out) != len(dst) {
		err = fmt.Errorf("%d bytes where the header states %d", len(out), e.Plain)
	}
	if err != nil {
		return nil, &EntryError{e.Offset, "zstd: " + err.Error(), ErrUncompress}
	}
	return out, nil
}
