package cli

import (
	"os"
	"path/filepath"
)

// writeFile writes a file so that a reader sees the old content or the whole new one: to a temporary file in the same
// folder, then renamed. What is no regular file (a pipe, /dev/null) is written directly.
func writeFile(name string, data []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, data, 0o666)
	}
	if name == "" {
		return os.ErrNotExist
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), fileMode(name))
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// fileMode is the mode that an ordinary write gives the file: the present one of a file that exists.
func fileMode(name string) os.FileMode {
	if info, err := os.Stat(name); err == nil {
		return info.Mode().Perm()
	}
	return 0o666 &^ umask()
}

// opens reports whether a file can be read.
func opens(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
