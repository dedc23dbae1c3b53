package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folders lists the folders of a module by their paths within it, sorted and with slashes. Other modules
// inside it, test data and hidden folders are left out.
func Folders(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path == root {
			folders = append(folders, ".")
			return nil
		}
		_, other := os.Stat(filepath.Join(path, "go.mod"))
		if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || other == nil {
			return filepath.SkipDir
		}
		folder, err := filepath.Rel(root, path)
		folders = append(folders, filepath.ToSlash(folder))
		return err
	})
	return folders, err
}
