package input

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FilesIn is the environment variable that names the only folder from which files may be opened. A program that
// runs this one for strangers sets it, so that the flags that it passes on cannot open anything else.
const FilesIn = "KUBECTL_WHATIF_FILES_IN"

// within is the folder of Confine. It is nil if every file may be opened.
var within *os.Root

// Confine restricts the files that may be opened from now on to regular files in a folder and below it. Links
// do not lead out of it. Standard input may still be read. A program calls Confine before anything else.
func Confine(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", FilesIn, err)
	}
	within = root
	return nil
}

// OpenFile opens a file for reading. If files are confined, the error about any other file reveals nothing
// about it, not even whether it exists.
func OpenFile(name string) (*os.File, error) {
	if within == nil {
		return os.Open(name)
	}
	info, err := Stat(name)
	if err != nil {
		return nil, err
	}

	// Opening a pipe would wait for a writer.
	if !info.Mode().IsRegular() {
		return nil, confined(name)
	}
	f, err := within.Open(filepath.Clean(name))
	if err != nil {
		return nil, confined(name)
	}
	return f, nil
}

// Stat describes a file, if it may be opened.
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

// walk visits everything in a folder and below it.
func walk(name string, visit fs.WalkDirFunc) error {
	if within == nil {
		return filepath.WalkDir(name, visit)
	}
	return fs.WalkDir(within.FS(), filepath.ToSlash(filepath.Clean(name)), visit)
}

// confined returns the error about a file that may not be opened. A missing file gets the same one.
func confined(name string) error {
	return fmt.Errorf("%s is no file that may be opened here", Called(name))
}
