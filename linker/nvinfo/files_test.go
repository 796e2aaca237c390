package nvinfo_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// seen counts what a check has come across, so that a test notices when it checked nothing.
type seen struct {
	records, symbols, edges, prototypes, tkinfos, cuinfos, compats int
}

// checkFile reads every section that the package knows and writes it back.
func checkFile(t *testing.T, path string, n *seen) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		var out []byte
		switch s.Type {
		case cubin.SHTCudaInfo, cubin.SHTMercInfo:
			symbols := len(f.Symbols)
			if s.Type == cubin.SHTMercInfo {
				symbols = len(f.MercSymbols)
			}
			out = checkInfo(t, path, s, symbols, n)
		case cubin.SHTCudaCompat:
			out = checkCompat(t, path, s, n)
		case cubin.SHTCudaCallgraph:
			out = checkGraph(t, path, s, len(f.Symbols), n)
		case cubin.SHTCudaPrototype:
			out = checkPrototypes(t, path, s, len(f.Symbols), n)
		case cubin.SHTNote:
			out = checkNotes(t, path, s, n)
		default:
			continue
		}
		if !bytes.Equal(out, s.Data) {
			t.Errorf("%s: %s changes when it is written back", path, s.Name)
		}
	}
}

func checkInfo(t *testing.T, path string, s *cubin.Section, symbols int, n *seen) (out []byte) {
	t.Helper()
	r := nvinfo.Read(s.Data)
	for r.Next() {
		n.records++
		out = r.Append(out)
		a := nvinfo.Lookup(r.Code)
		if a.Name == "" || a.Format != r.Format {
			t.Errorf("%s: %s: %v has format %v, the table says %v", path, s.Name, r.Code, r.Format, a.Format)
		}
		if (a.Payload == nvinfo.InstructionOffsets || a.Symbols == nvinfo.AllWords) && len(r.Payload)%4 != 0 {
			t.Errorf("%s: %s: %v has %d bytes", path, s.Name, r.Code, len(r.Payload))
		}
		words := 0
		switch a.Symbols {
		case nvinfo.AllWords:
			words = r.Words()
		case nvinfo.FirstWord, nvinfo.FirstWordOrZero:
			if _, ok := r.Symbol(); !ok {
				t.Errorf("%s: %s: %v has no symbol", path, s.Name, r.Code)
			}
			words = 1
		}
		for i := range words {
			n.symbols++
			if int(r.Word(i)) >= symbols {
				t.Errorf("%s: %s: %v names symbol %d of %d", path, s.Name, r.Code, r.Word(i), symbols)
			}
		}
	}
	if r.Err() != nil {
		t.Errorf("%s: %s: %v", path, s.Name, r.Err())
	}
	return out
}

func checkCompat(t *testing.T, path string, s *cubin.Section, n *seen) (out []byte) {
	t.Helper()
	r := nvinfo.Read(s.Data)
	for r.Next() {
		n.compats++
		out = r.Append(out)
		if name := nvinfo.CompatCode(r.Code).String(); !strings.HasPrefix(name, "EICOMPAT_ATTR_") {
			t.Errorf("%s: %s", path, name)
		}
	}
	if r.Err() != nil {
		t.Errorf("%s: %s: %v", path, s.Name, r.Err())
	}
	return out
}

func checkGraph(t *testing.T, path string, s *cubin.Section, symbols int, n *seen) (out []byte) {
	t.Helper()
	edges := nvinfo.Edges()
	group := 0
	out = nvinfo.AppendMarker(out, edges[0])
	g := nvinfo.ReadGraph(s.Data)
	for g.Next() {
		n.edges++
		for ; group < len(edges) && edges[group] != g.Edge; group++ {
			if group+1 < len(edges) {
				out = nvinfo.AppendMarker(out, edges[group+1])
			}
		}
		out = nvinfo.AppendPair(out, g.A, g.B)
		if int(g.A) >= symbols || (g.Edge == nvinfo.Calls || g.Edge == nvinfo.TakesAddress) && int(g.B) >= symbols {
			t.Errorf("%s: %v %d %d of %d symbols", path, g.Edge, g.A, g.B, symbols)
		}
	}
	if g.Err() != nil {
		t.Errorf("%s: %s: %v", path, s.Name, g.Err())
	}
	for ; group+1 < len(edges); group++ {
		out = nvinfo.AppendMarker(out, edges[group+1])
	}
	return out
}

func checkPrototypes(t *testing.T, path string, s *cubin.Section, symbols int, n *seen) (out []byte) {
	t.Helper()
	p := nvinfo.ReadPrototypes(s.Data)
	for p.Next() {
		n.prototypes++
		out = nvinfo.AppendPair(out, p.Symbol, p.String)
		if int(p.Symbol) >= symbols {
			t.Errorf("%s: prototype of symbol %d of %d", path, p.Symbol, symbols)
		}
	}
	if p.Err() != nil {
		t.Errorf("%s: %s: %v", path, s.Name, p.Err())
	}
	return out
}

func checkNotes(t *testing.T, path string, s *cubin.Section, n *seen) (out []byte) {
	t.Helper()
	r := nvinfo.ReadNotes(s.Data)
	for r.Next() {
		if r.Name != nvinfo.Owner {
			t.Errorf("%s: note of %q", path, r.Name)
		}
		switch r.Type {
		case nvinfo.NoteTkinfo:
			n.tkinfos++
			k, err := nvinfo.DecodeTkinfo(r.Desc)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			out = k.Note().Append(out)
		case nvinfo.NoteCuinfo:
			n.cuinfos++
			c, err := nvinfo.DecodeCuinfo(r.Desc)
			if err != nil || c.Version != nvinfo.CuinfoVersion {
				t.Errorf("%s: %+v, %v", path, c, err)
			}
			out = c.Note().Append(out)
		default:
			t.Errorf("%s: note of type %d", path, r.Type)
		}
	}
	if r.Err() != nil {
		t.Errorf("%s: %s: %v", path, s.Name, r.Err())
	}
	return out
}

func TestSectionsOfFilesAreReadAndWrittenBack(t *testing.T) {
	var n seen
	files, err := filepath.Glob("testdata/*.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		checkFile(t, f, &n)
	}
	want := seen{records: 183, symbols: 67, edges: 20, prototypes: 3, tkinfos: 7, cuinfos: 2, compats: 7}
	if d := cmp.Diff(want, n, cmp.AllowUnexported(seen{})); d != "" {
		t.Error(d)
	}
}

// TestEveryFileOfACorpusIsReadAndWrittenBack walks the folder that CULINK_CORPUS names; it is for runs by hand.
func TestEveryFileOfACorpusIsReadAndWrittenBack(t *testing.T) {
	root := os.Getenv("CULINK_CORPUS")
	if root == "" {
		t.Skip("CULINK_CORPUS is not set")
	}
	var n seen
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".cubin") {
			if head, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(head, []byte("\x7fELF")) {
				return err
			}
			files++
			checkFile(t, path, &n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: %+v", files, n)
}
