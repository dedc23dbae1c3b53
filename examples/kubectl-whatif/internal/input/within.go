package input

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FilesIn is the variable of the environment that names the only folder from which files are
// opened. A program that runs this one for strangers sets it: the flags that it passes on then
// open nothing else.
const FilesIn = "KUBECTL_WHATIF_FILES_IN"

// within is that folder, nil if every file may be opened.
var within *os.Root

// Confine limits what is opened from now on to regular files in a folder and below it. No link leads
// out of it. Standard input stays open. A program calls it before anything else.
func Confine(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", FilesIn, err)
	}
	within = root
	return nil
}

// OpenFile opens a file for reading. If files are confined, the error about any other file says
// nothing of it, not even whether it is there.
func OpenFile(name string) (*os.File, error) {
	if within == nil {
		return os.Open(name)
	}
	info, err := Stat(name)
	if err != nil {
		return nil, err
	}

	// Opening a pipe would wait for somebody to write to it.
	if !info.Mode().IsRegular() {
		return nil, confined(name)
	}
	f, err := within.Open(filepath.Clean(name))
	if err != nil {
		return nil, confined(name)
	}
	return f, nil
}

// Stat says what a name is of, as far as that may be opened.
func Stat(name string) (fs.FileInfo, error) {
	if within == nil {
		return os.Stat(name)
	}
	info, err := within.Stat(filepath.Clean(name))
	if err != nil {
		return nil, confined(name)
	}
	return info, nil
}

// walk goes through a folder.
func walk(name string, visit fs.WalkDirFunc) error {
	if within == nil {
		return filepath.WalkDir(name, visit)
	}
	return fs.WalkDir(within.FS(), filepath.ToSlash(filepath.Clean(name)), visit)
}

// confined is the error about a file outside, and about one that is not there.
func confined(name string) error {
	return fmt.Errorf("%s is no file that may be opened here", Called(name))
}
