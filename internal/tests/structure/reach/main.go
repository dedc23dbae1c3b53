// Command reach prints, for each package of a module, how often its code takes three steps
// through fields, as in w.search.attempt.config: a function that does so was not given what it
// needs. It also names the functions with five parameters or more beside a context, and the
// structs with more than twelve fields that are bools.
//
//	go run ./internal/tests/structure/reach [-all] [-v] [DIR]
//
// DIR is the folder of the module, the one at hand by default. -all has the packages below
// examples and internal/tests/structure, too, and -v prints every reach.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// The most parameters of a function beside a context, and the most bools of a struct.
const (
	mostParameters = 4
	mostBools      = 12
)

func main() {
	all := flag.Bool("all", false, "look at the packages below examples and internal/tests/structure, too")
	verbose := flag.Bool("v", false, "print every reach")
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	if err := table(os.Stdout, dir, *all, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "reach:", err)
		os.Exit(1)
	}
}

func table(w io.Writer, root string, all, verbose bool) error {
	folders, err := structure.Folders(root)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| package | lines | reaches | per 100 lines |")
	fmt.Fprintln(w, "|---|--:|--:|--:|")
	var details []structure.Finding
	reader := structure.NewReader()
	for _, folder := range folders {
		if !all && beside(folder) {
			continue
		}
		p, err := reader.Read(filepath.Join(root, folder))
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		reaches := p.Reaches()
		fmt.Fprintf(w, "| %s | %d | %d | %.1f |\n", folder, p.Lines, len(reaches), 100*float64(len(reaches))/float64(p.Lines))
		if verbose {
			details = append(details, reaches...)
		}
		details = append(details, p.Crowded(mostParameters, mostBools)...)
	}
	for _, d := range details {
		fmt.Fprintf(w, "%s: %s\n", d.At, d.Text)
	}
	return nil
}

// beside reports whether a package is a program or a tool beside the library.
func beside(folder string) bool {
	return strings.HasPrefix(folder+"/", "examples/") || strings.HasPrefix(folder+"/", "internal/tests/structure/")
}
