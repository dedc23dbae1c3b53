// Command sizes prints how big the packages of a module are, as a table in Markdown.
//
//	go run -C internal/tests/structure ./sizes [-all] [DIR]
//
// DIR is the folder of the module, by default the current one. The sum of exported names leaves out packages
// below examples and internal; -all lists those below examples, too. The last line counts what users import,
// with what that imports in turn. The rest is for tests and for work on the library itself.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func main() {
	all := flag.Bool("all", false, "list the packages below examples, too")
	structure.Main("sizes", func() (bool, error) { return true, table(os.Stdout, cmp.Or(flag.Arg(0), "."), *all) })
}

// table prints the table.
func table(w io.Writer, root string, all bool) error {
	folders, err := structure.Folders(root)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| package | files | lines | test files | largest circle | files in circles | widest struct | fields | exported |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|---|--:|--:|")

	reader := structure.NewReader()
	files, lines, exported := 0, 0, 0
	read := map[string]*structure.Package{}
	for _, folder := range folders {
		if !all && strings.HasPrefix(folder+"/", "examples/") {
			continue
		}

		p, err := reader.Read(filepath.Join(root, folder))
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}

		// Circles come by size, so the first one is the largest.
		largest, within := 1, 0
		for i, circle := range p.Circles() {
			if within += len(circle); i == 0 {
				largest = len(circle)
			}
		}

		// Nobody can import the names of a program.
		names := 0
		if p.Name != "main" {
			names = p.Exported()
		}
		widest := p.WidestStruct()
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %s | %d | %d |\n",
			folder, len(p.Files), p.Lines, p.Tests, largest, within, widest.Name, widest.Fields, names)

		files, lines = files+len(p.Files), lines+p.Lines
		read[folder] = p
		if public(folder) {
			exported += names
		}
	}

	fmt.Fprintf(w, "| all | %d | %d | | | | | | %d public |\n", files, lines, exported)
	files, lines = imported(read)
	fmt.Fprintf(w, "| what users import | %d | %d | | | | | | |\n", files, lines)
	return nil
}

// imported counts the files and lines of the public packages and of everything that they import in this
// module.
func imported(read map[string]*structure.Package) (files, lines int) {
	seen := map[string]bool{}
	var visit func(folder string)
	visit = func(folder string) {
		p := read[folder]
		if p == nil || seen[folder] {
			return
		}
		seen[folder] = true
		files, lines = files+len(p.Files), lines+p.Lines
		for _, path := range p.Imports() {
			if path == module {
				visit(".")
			} else if below, ok := strings.CutPrefix(path, module+"/"); ok {
				visit(below)
			}
		}
	}

	for folder := range read {
		if public(folder) {
			visit(folder)
		}
	}
	return files, lines
}

const module = "github.com/outrank-go/outrank"

// public reports whether a package of this folder can be imported from other modules.
func public(folder string) bool {
	return folder != "examples" && !strings.HasPrefix(folder, "examples/") && !strings.Contains("/"+folder+"/", "/internal/")
}
