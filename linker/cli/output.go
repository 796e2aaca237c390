package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file so that a reader sees the old content or the whole new one: to a temporary file in the same
// folder, then renamed. What is no regular file (a pipe, /dev/null), or stands in a folder where no file can be made, is
// written directly; a symbolic link stays, and its target is replaced.
func writeFile(name string, data []byte) error {
	if name == "" {
		return os.ErrNotExist
	}
	mode := 0o666 &^ umask()
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, data, 0o666)
		}
		mode = info.Mode().Perm()
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // a file that is not to be changed is not to be replaced
		if err != nil {
			return err
		}
		f.Close()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if errors.Is(err, fs.ErrPermission) {
		return os.WriteFile(name, data, 0o666)
	}
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), mode)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
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
