package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Suite is a folder of links and the linker to run them with.
type Suite struct {
	Root    string // folder of cases.json
	Folders []Folder
	Linker  string // absolute path of the executable
	Scratch string // empty folder for outputs; its path has no effect on them
}

// outcome is what one link leaves behind.
type outcome struct {
	image    []byte // nil if there is none
	text     string // stdout and stderr
	register []byte // nil if there is none
	failed   bool
}

// linkerName is the name that the linker is started under: under it culink prints what the reference prints.
const linkerName = "nvlink"

// Prepare makes the name under which the linker is started.
func (s *Suite) Prepare() error {
	return os.Symlink(s.Linker, filepath.Join(s.Scratch, linkerName))
}

// run links. The image gets the link's own name: with debug information it is part of the image.
func (s *Suite) run(f *Folder, l *Link) (outcome, error) {
	dir, err := os.MkdirTemp(s.Scratch, "link")
	if err != nil {
		return outcome{}, err
	}
	image, register := filepath.Join(dir, l.Name+".cubin"), filepath.Join(dir, "register")
	var args []string
	for _, a := range l.Args {
		if strings.HasPrefix(a, registerOption) {
			a = registerOption + register
		}
		args = append(args, a)
	}
	cmd := exec.Command(filepath.Join(s.Scratch, linkerName), append(args, "-o", image)...)
	cmd.Dir = filepath.Join(s.Root, f.Path)
	cmd.Env = []string{"PATH="}
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	if exit != nil && !exit.Exited() {
		return outcome{}, fmt.Errorf("the linker was ended by a signal: %w\n%s", exit, text)
	}
	got := outcome{text: string(text), failed: err != nil}
	if got.image, err = readIfThere(image); err != nil {
		return got, err
	}
	got.register, err = readIfThere(register)
	return got, err
}

// Check links and returns what differs from the expected outcome, empty if nothing does.
func (s *Suite) Check(f *Folder, l *Link) (string, error) {
	got, err := s.run(f, l)
	if err != nil {
		return "", err
	}
	var diff strings.Builder
	if got.failed != l.Fails {
		fmt.Fprintf(&diff, "failed: %v, expected: %v\n", got.failed, l.Fails)
	}
	want, err := readIfThere(s.expected(f, l.Name+".log"))
	if err != nil {
		return "", err
	}
	if got.text != string(want) {
		fmt.Fprintf(&diff, "the text differs\n--- got\n%s--- expected\n%s", got.text, want)
	}
	path := s.expected(f, l.Name+".cubin")
	image, err := readIfThere(path)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(got.image, image) {
		diff.WriteString(s.explain(got.image, path))
	}
	if name := l.register(); name != "" && !l.Fails {
		want, err := readIfThere(s.expected(f, name))
		if err != nil {
			return "", err
		}
		if !bytes.Equal(got.register, want) {
			fmt.Fprintf(&diff, "the list of modules to register differs\n--- got\n%s--- expected\n%s", got.register, want)
		}
	}
	return diff.String(), nil
}

// explain says in which sections, symbols and attributes the image differs from the expected one.
func (s *Suite) explain(got []byte, want string) string {
	switch _, err := os.Stat(want); {
	case got == nil:
		return "there is no image\n"
	case err != nil:
		return "there is an image where none is expected\n"
	}
	file := filepath.Join(s.Scratch, "got.cubin")
	if err := os.WriteFile(file, got, 0o666); err != nil {
		return err.Error() + "\n"
	}
	out, err := exec.Command(s.Linker, "diff", file, want).CombinedOutput()
	if err == nil {
		out = append(out, "no difference in meaning; the files differ in bytes only\n"...)
	}
	return "the image differs (got.cubin: what was linked)\n" + string(out)
}

// Update writes what the linker does now as the expected outcome.
func (s *Suite) Update(f *Folder, l *Link) error {
	got, err := s.run(f, l)
	if err != nil {
		return err
	}
	l.Fails = got.failed
	files := map[string][]byte{l.Name + ".cubin": got.image, l.Name + ".log": nil}
	if got.text != "" {
		files[l.Name+".log"] = []byte(got.text)
	}
	if name := l.register(); name != "" {
		files[name] = got.register
	}
	for name, data := range files {
		path := s.expected(f, name)
		if data == nil {
			err = os.Remove(path)
			if errors.Is(err, os.ErrNotExist) {
				err = nil
			}
		} else {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Suite) expected(f *Folder, name string) string {
	return filepath.Join(s.Root, f.Path, name)
}

// readIfThere reads a file; it returns nil, and not an empty slice, if there is none.
func readIfThere(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}
