package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lay(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var folders = []Folder{{
	Path:   "p/sm_90",
	Inputs: []string{"in/a.cubin"},
	Links: []Link{
		{Name: "default", Args: []string{"in/a.cubin"}},
		{Name: "refused", Args: []string{"--register-link-binaries=r.reg", "in/a.cubin"}, Fails: true},
	},
}}

func TestEveryFileOfASuiteBelongsToALink(t *testing.T) {
	complete := []string{CasesFile, "p/sm_90/in/a.cubin", "p/sm_90/default.cubin", "p/sm_90/refused.log", "p/sm_90/r.reg"}
	for _, test := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"complete", complete, nil},
		{"text of a link that may print", append([]string{"p/sm_90/default.log"}, complete...), nil},
		{"a file that no link knows", append([]string{"p/sm_90/old.cubin"}, complete...), []string{"orphan: p/sm_90/old.cubin"}},
		{"a folder that no link knows", append([]string{"q/default.cubin"}, complete...), []string{"orphan: q/default.cubin"}},
		{"no input, no image", []string{CasesFile}, []string{"missing: p/sm_90/default.cubin", "missing: p/sm_90/in/a.cubin"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Unaccounted(lay(t, test.files...), folders)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestCasesAreReadAsTheyWereWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), CasesFile)
	if err := WriteCases(path, folders); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCases(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(folders, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestUnknownFieldsOfCasesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), CasesFile)
	if err := os.WriteFile(path, []byte(`[{"path": "p", "link": []}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCases(path); err == nil {
		t.Error("a misspelt field was taken")
	}
}
