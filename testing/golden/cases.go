// Package golden compares what the linker writes with what the reference linker wrote for the same arguments: image,
// text and exit status.
//
// A suite is a folder with cases.json, which lists folders of links. Each folder holds the inputs of its links and, per
// link NAME, the expected image NAME.cubin (none if the link fails) and the expected text NAME.log (none if nothing is
// printed). A file that no link accounts for is an error, and so is a missing one.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CasesFile is the name of the file that describes a suite.
const CasesFile = "cases.json"

// Folder is a set of links of the same inputs.
type Folder struct {
	Path   string   `json:"path"`   // relative to the folder of cases.json, with slashes
	Inputs []string `json:"inputs"` // files that links read, relative to Path
	Links  []Link   `json:"links"`
}

// Link is one run of the linker in its folder.
type Link struct {
	Name  string   `json:"name"` // unique in the folder; the stem of the expected files
	Args  []string `json:"args"` // without the output file
	Fails bool     `json:"fails,omitempty"`
}

// registerOption names a second output; the expected one has the name that the option gives.
const registerOption = "--register-link-binaries="

// register is the name of the link's second output, or empty.
func (l *Link) register() string {
	for _, a := range l.Args {
		if name, ok := strings.CutPrefix(a, registerOption); ok {
			return name
		}
	}
	return ""
}

// ReadCases reads cases.json.
func ReadCases(path string) ([]Folder, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var folders []Folder
	if err := d.Decode(&folders); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return folders, nil
}

// WriteCases writes cases.json.
func WriteCases(path string, folders []Folder) error {
	b, err := json.MarshalIndent(folders, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// Unaccounted lists what is wrong with the files of a suite: orphans, which no link accounts for, and inputs and images
// that are missing.
func Unaccounted(root string, folders []Folder) ([]string, error) {
	known := map[string]bool{CasesFile: true}
	var wrong []string
	for _, f := range folders {
		must := func(name string) {
			known[f.Path+"/"+name] = true
			if _, err := os.Stat(filepath.Join(root, f.Path, name)); err != nil {
				wrong = append(wrong, "missing: "+f.Path+"/"+name)
			}
		}
		for _, name := range f.Inputs {
			must(name)
		}
		for _, l := range f.Links {
			if !l.Fails {
				must(l.Name + ".cubin")
			}
			if r := l.register(); r != "" {
				known[f.Path+"/"+r] = true
			}
			known[f.Path+"/"+l.Name+".log"] = true
		}
	}
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if rel = filepath.ToSlash(rel); err == nil && !known[rel] {
			wrong = append(wrong, "orphan: "+rel)
		}
		return err
	})
	slices.Sort(wrong)
	return wrong, err
}
