// Command licences prints which modules are in the programs of a module, and under which
// licences, as a table in Markdown.
//
//	go run -C .ci/dist ./licences [-tags TAGS] DIR PACKAGE...
//
// DIR is the folder of the module. The packages are those of its programs, like "./cmd/x".
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

func main() {
	tags := flag.String("tags", "", "build tags, a `LIST` with commas")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: licences [-tags TAGS] DIR PACKAGE...")
		os.Exit(2)
	}
	if err := table(os.Stdout, licence.Programs{Dir: flag.Arg(0), Packages: flag.Args()[1:], Tags: *tags}); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func table(w io.Writer, p licence.Programs) error {
	modules, err := licence.Contained(p, licence.Systems)
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
