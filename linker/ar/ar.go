package ar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	magicOrdinary = "!<arch>\n"
	magicThin     = "!<thin>\n"

	// MagicSize is the number of bytes that Is looks at.
	MagicSize = 8

	headerSize = 60
	nameSize   = 16
	sizeAt     = 48
	sizeEnd    = 58
)

// The ways in which the reference refuses an archive (observed). An error of Next wraps one of them and tells the offset.
var (
	// ErrFormat is returned for a header whose name has no slash, or that no reading makes sense of.
	ErrFormat = errors.New("unexpected archive format")
	// ErrNoNames is returned for a member whose name is in a name table that the archive does not have before it.
	ErrNoNames = errors.New("longnames header not found")
	// ErrName is returned for a member whose name is not in the name table.
	ErrName = errors.New("name outside of the name table")
)

// HeaderError says where in an archive a header could not be read. Err is one of the package's errors.
type HeaderError struct {
	Offset int64 // of the header, in bytes from the start of the archive
	Detail string
	Err    error
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("archive header at offset %#x: %v: %s", e.Offset, e.Err, e.Detail)
}

func (e *HeaderError) Unwrap() error { return e.Err }

// Is reports whether data starts like an archive of either kind.
func Is(data []byte) bool {
	return len(data) >= MagicSize && (string(data[:MagicSize]) == magicOrdinary || string(data[:MagicSize]) == magicThin)
}

// Member is one file of an archive.
type Member struct {
	// Name is the name up to its first slash: what the reference shows, and what it opens for a member of a thin archive (observed).
	Name string
	// Path is the whole name. It differs from Name for members of thin archives in other folders and for names of the
	// BSD form, whose Name is "#1".
	Path string
	// Data are the member's bytes, a slice of the archive's; cut at the end of the archive when the header promises
	// more (Short). It is nil for a member of a thin archive.
	Data []byte
	// NameSize is how many bytes at the start of Data are the name, in the BSD form, which the reference does not know.
	NameSize int
	// Thin is set for a member of a thin archive: its bytes are in the file Path, relative to the archive's folder.
	Thin bool
	// Short is set when the archive ends before the member does.
	Short bool
	// Offset is where the header starts, in bytes from the start of the archive.
	Offset int64
}

// Reader hands out the members of an archive in file order.
type Reader struct {
	data  []byte
	at    int
	names []byte
	thin  bool
}

// NewReader starts reading the archive in data, which it does not copy. It returns ErrFormat when Is(data) is false.
func NewReader(data []byte) (*Reader, error) {
	if !Is(data) {
		return nil, &HeaderError{0, "no archive magic", ErrFormat}
	}
	return &Reader{data: data, at: MagicSize, thin: string(data[:MagicSize]) == magicThin}, nil
}

// Next returns the next member, past the symbol index and the name table. It returns io.EOF after the last one and a
// *HeaderError for a header that cannot be read; after an error it returns the same error again.
func (r *Reader) Next() (Member, error) {
	for r.at < len(r.data) {
		start := r.at
		m, own, err := r.member(start)
		if err != nil {
			r.at = start
			return Member{}, err
		}
		if !own {
			return m, nil
		}
	}
	return Member{}, io.EOF
}

// member reads the header at start and moves on to the next; own is set for the archive's own tables.
func (r *Reader) member(start int) (m Member, own bool, err error) {
	rest := r.data[start:]
	name := string(rest[:min(nameSize, len(rest))])
	if !strings.Contains(name, "/") {
		return m, false, &HeaderError{int64(start), fmt.Sprintf("no slash in the name %q", name), ErrFormat}
	}
	if len(rest) < headerSize { // the reference looks at the name of such a rest and stops (observed)
		r.at = len(r.data)
		return m, true, nil
	}
	size, ok := decimal(rest[sizeAt:sizeEnd])
	if !ok {
		return m, false, &HeaderError{int64(start), fmt.Sprintf("size %q", rest[sizeAt:sizeEnd]), ErrFormat}
	}
	body := rest[headerSize:]
	short := size > int64(len(body))
	if short {
		size = int64(len(body))
	}
	body = body[:size:size]
	longName := name[0] == '/' && name[1] >= '0' && name[1] <= '9'
	own = name[0] == '/' && !longName
	r.at = start + headerSize
	if !r.thin || own {
		r.at = min(r.at+len(body)+len(body)&1, len(r.data))
	}
	if own {
		if strings.HasPrefix(name, "// ") {
			r.names = body
		}
		return m, true, nil
	}
	m = Member{Offset: int64(start), Thin: r.thin, Short: short && !r.thin}
	switch {
	case longName:
		if m.Name, m.Path, err = r.longName(name, int64(start)); err != nil {
			return Member{}, false, err
		}
	case strings.HasPrefix(name, "#1/"):
		m.Name = "#1"
		n, ok := decimal([]byte(name[3:]))
		if !ok || n > int64(len(body)) || r.thin {
			m.Path = strings.TrimRight(name, " ")
			break
		}
		m.Path = string(bytes.TrimRight(body[:n], "\x00"))
		m.NameSize = int(n)
	default:
		m.Name, _, _ = strings.Cut(name, "/")
		m.Path = m.Name
	}
	if !r.thin {
		m.Data = body
	}
	return m, false, nil
}

// longName looks up a name of the form "/123" in the name table.
func (r *Reader) longName(field string, start int64) (name, path string, err error) {
	if r.names == nil {
		return "", "", &HeaderError{start, fmt.Sprintf("name %q", strings.TrimRight(field, " ")), ErrNoNames}
	}
	at, ok := decimal([]byte(field[1:]))
	if !ok || at >= int64(len(r.names)) {
		return "", "", &HeaderError{start, fmt.Sprintf("name %q of a table of %d bytes", strings.TrimRight(field, " "), len(r.names)), ErrName}
	}
	entry := r.names[at:]
	// A name is at most a line of the table; bounding the search keeps a table without line ends from costing the square of its size.
	const longest = 1 << 16
	entry = entry[:min(len(entry), longest)]
	slash := bytes.IndexByte(entry, '/')
	if slash < 0 {
		return "", "", &HeaderError{start, fmt.Sprintf("name at %d of the table has no end", at), ErrName}
	}
	end := bytes.Index(entry, []byte("/\n"))
	if end < 0 {
		end = slash
	}
	return string(entry[:slash]), string(entry[:end]), nil
}

// decimal reads the leading decimal number of a field padded with blanks, as atoi does: no digit at all is 0. It fails
// on a negative number, which would send a reader backwards; ten digits cannot overflow.
func decimal(field []byte) (int64, bool) {
	field = bytes.TrimLeft(field, " ")
	if len(field) > 0 && field[0] == '-' {
		return 0, false
	}
	var n int64
	for i, c := range field {
		if c < '0' || c > '9' || i > 15 {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
