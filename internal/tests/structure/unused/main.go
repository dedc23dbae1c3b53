// Command unused lists the exported names of the library that have no user: no other package of the module,
// and no other module below examples. It marks the names that an example of their own package uses.
//
//	go run -C internal/tests/structure ./unused [DIR]
//
// DIR is the folder of the module, by default the current one. A name in the list is not wrong, because other
// modules may use what the library promises. But somebody should judge it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func main() {
	structure.Main("unused", func() (bool, error) { return true, list(os.Stdout, cmp.Or(flag.Arg(0), ".")) })
}

// list prints the names without a user.
func list(w io.Writer, root string) error {
	users := structure.NewUsers()

	var modules []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		folder, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		folder = filepath.ToSlash(folder)
		if folder != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}

		// Other modules are read at the end, when all names are known.
		if _, other := os.Stat(filepath.Join(path, "go.mod")); other == nil && folder != "." {
			modules = append(modules, path)
			return filepath.SkipDir
		}
		return users.Add(root, folder, public(folder))
	})
	if err != nil {
		return err
	}

	for _, dir := range modules {
		if err := users.AddModule(dir); err != nil {
			return err
		}
	}

	for _, n := range users.Without() {
		says := ""
		if n.Exampled {
			says = "\texample"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", n.Folder, n.Kind, n.Name, says)
	}
	return nil
}

// public reports whether a package of this folder can be imported from other modules.
func public(folder string) bool {
	return folder != "examples" && !strings.HasPrefix(folder, "examples/") && !strings.Contains("/"+folder+"/", "/internal/")
}
