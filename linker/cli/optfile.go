package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/culink/culink/linker/diag"
)

// maxDepth is how deeply options files may name each other (observed: the 16th is refused). maxFiles bounds the number
// of files that one command line opens, so that files that name each other many times end in an error.
const (
	maxDepth = 15
	maxFiles = 10000
)

// maxOptions is the size in bytes from which on an options file, which can be a pipe without end, is refused.
const maxOptions = 256 << 20

// readOptionsFile reads a file of options up to the first NUL, which devices have soon. A folder reads as an empty file (observed).
func readOptionsFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data []byte
	for piece := make([]byte, 32<<10); len(data) < maxOptions; {
		n, err := f.Read(piece)
		end := bytes.IndexByte(piece[:n], 0)
		switch {
		case end >= 0:
			return append(data, piece[:end]...), nil
		case errors.Is(err, syscall.EISDIR):
			return nil, nil
		case err == io.EOF:
			return append(data, piece[:n]...), nil
		case err != nil:
			return nil, err
		}
		data = append(data, piece[:n]...)
	}
	return nil, fmt.Errorf("%s: options of more than %d bytes", name, maxOptions)
}

// optionsFiles puts the tokens of the files in place of the option that named them.
func (p *parser) optionsFiles(files []string, depth int) error {
	var tokens []string
	for _, name := range files {
		if depth >= maxDepth || p.files >= maxFiles {
			return p.diag.Fatal(diag.TooManyOptionsFiles, name)
		}
		p.files++
		data, err := p.read(name)
		if err != nil {
			return p.diag.FatalCause(err, diag.NoOptionsFile, name)
		}
		t, stray := tokenize(data)
		if stray != nil {
			return p.diag.FatalNote("in the options file '"+name+"'.", diag.StrayCharacter, *stray)
		}
		tokens = append(tokens, t...)
	}
	p.frames = append(p.frames, frame{tokens, depth + 1})
	return nil
}

// tokenize cuts an options file into arguments, in the reference's two steps (observed): while cutting, a backslash
// stands for the character behind it, which then neither separates nor quotes; afterwards \" becomes " and other double
// quotes vanish. There are no comments. A NUL ends the file. stray is not nil if the file ends inside quotes (then it is
// the quote) or in a backslash (then it is empty).
func tokenize(data []byte) (tokens []string, stray *string) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		data = data[:i]
	}
	var token []byte
	open, quoted := false, false
	flush := func() {
		if open {
			tokens = append(tokens, unquote(string(token)))
		}
		token, open = token[:0], false
	}
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '\\':
			if i++; i == len(data) {
				s := ""
				return nil, &s
			}
			token, open = append(token, data[i]), true
		case c == '"':
			quoted = !quoted
			token, open = append(token, c), true
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			flush()
		default:
			token, open = append(token, c), true
		}
	}
	if quoted {
		s := `"`
		return nil, &s
	}
	flush()
	return tokens, nil
}

// unquote is the second step: \" becomes ", other double quotes vanish.
func unquote(s string) string {
	if !strings.Contains(s, `"`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '"':
			b.WriteByte('"')
			i++
		case s[i] != '"':
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
