// Command licences prints which modules are in the programs of a module, and under which
// licences, as a table in Markdown.
//
//	go run -C .ci/dist ./licences DIR PACKAGE...
//
// DIR is the folder of the module, and the packages are those of its programs, "./cmd/x".
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: licences DIR PACKAGE...")
		os.Exit(2)
	}
	if err := table(os.Stdout, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func table(w io.Writer, dir string, packages []string) error {
	modules, err := licence.Contained(dir, packages, licence.Systems)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "# Licences of what the programs contain")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "Besides this project and Go's standard library (BSD-3-Clause), the programs built here contain these modules, by the")
	fmt.Fprintln(w, "licence files that each of them has. `.ci/run licences` compares this table with what is built.")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| module | licences |")
	fmt.Fprintln(w, "|---|---|")
	var wrong []error
	for _, m := range modules {
		ids, err := licence.Of(m)
		wrong = append(wrong, err)
		fmt.Fprintf(w, "| %s | %s |\n", m.Path, strings.Join(ids, ", "))
	}
	return errors.Join(wrong...)
}
