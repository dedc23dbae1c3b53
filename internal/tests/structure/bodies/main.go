// Command bodies prints, for each package of a module, how its functions read: how many of 100 lines in a
// body are blank or have a comment, how many functions are long, and how often code takes three steps through
// fields, as in w.search.attempt.config: a function that does so was not given what it needs. It also names
// functions with five or more parameters beside a context, and structs with more than twelve bool fields.
//
//	go run -C internal/tests/structure ./bodies [-all] [-v] [-over N] [DIR]
//	go run -C internal/tests/structure ./bodies -by TEXT [-comments N] [-functions N] [DIR]
//
// DIR is the folder of a module within the library's, by default the library itself. -all includes the packages
// below examples. -v prints every reach. -over prints the functions with more than N lines: their blank lines,
// comments, and longest run of lines without a blank one.
//
// With -by it prints comments and long functions that are drawn from all modules below DIR. TEXT, such as the
// hash of a commit, decides which ones, so that nobody chooses them.
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

// mostParameters is the most parameters that a function may have beside a context, and mostBools the most
// bool fields of a struct.
const (
	mostParameters = 4
	mostBools      = 12
)

// long is the most lines of a body that is not counted as long.
const long = 25

// options say what is printed.
type options struct {
	all, verbose bool
	// over prints the functions with more lines than this by name; negative prints none.
	over int
	// by is the text that draws comments and functions. If it is empty, the table is printed.
	by                  string
	comments, functions int
}

func main() {
	var o options
	flag.BoolVar(&o.all, "all", false, "look at the packages below examples, too")
	flag.BoolVar(&o.verbose, "v", false, "print every reach")
	flag.IntVar(&o.over, "over", -1, "print the functions with more lines than this")
	flag.StringVar(&o.by, "by", "", "print what a `TEXT` draws, such as the hash of a commit")
	flag.IntVar(&o.comments, "comments", 60, "how many comments are drawn")
	flag.IntVar(&o.functions, "functions", 20, "how many long functions are drawn")
	structure.Main("bodies", func() (bool, error) {
		dir := cmp.Or(flag.Arg(0), ".")
		if o.by != "" {
			return true, draw(os.Stdout, dir, o)
		}
		return true, table(os.Stdout, dir, o)
	})
}

// draw prints the comments and the long functions that the text draws.
func draw(w io.Writer, root string, o options) error {
	drawn, err := structure.DrawComments(root, o.comments, o.by)
	if err != nil {
		return err
	}
	long, err := structure.DrawFunctions(root, o.functions, long, o.by)
	if err != nil {
		return err
	}

	for i, d := range append(drawn, long...) {
		fmt.Fprintf(w, "%d. %s\n   %s\n", i+1, d.At, strings.ReplaceAll(d.Text, "\n", "\n   "))
	}
	return nil
}

// room is a row of the table: the counts of one package, or of all.
type room struct {
	functions, long        int
	lines, blank, comments int
	allLines, reaches      int
}

// table prints the table, and below it the findings in detail.
func table(w io.Writer, root string, o options) error {
	folders, err := structure.Folders(root)
	if err != nil {
		return err
	}

	fmt.Fprintf(w, "| package | functions | over %d lines | lines in bodies | blank of 100 | comments of 100 | reaches | of 100 lines |\n", long)
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|--:|")

	var sum room
	var details []string
	reader := structure.NewReader()
	for _, folder := range folders {
		if !o.all && beside(folder) {
			continue
		}

		p, err := reader.Read(filepath.Join(root, folder))
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		bodies, err := p.Bodies()
		if err != nil {
			return err
		}
		reaches := p.Reaches()

		r := roomOf(p, bodies, reaches)
		r.print(w, folder)
		sum.add(r)

		if o.verbose {
			details = append(details, printed(reaches)...)
		}
		if o.over >= 0 {
			for _, b := range structure.Longer(bodies, o.over) {
				details = append(details, fmt.Sprintf("%s: %s has %d lines, %d blank, %d comments, %d in a row", b.At, b.Name, b.Lines, b.Blank, b.Comments, b.Run))
			}
		}
		details = append(details, printed(p.Crowded(mostParameters, mostBools))...)
	}
	sum.print(w, "all")

	for _, d := range details {
		fmt.Fprintln(w, d)
	}
	return nil
}

// roomOf counts what the table says of one package.
func roomOf(p *structure.Package, bodies []structure.Body, reaches []structure.Finding) room {
	r := room{functions: len(bodies), long: len(structure.Longer(bodies, long)), allLines: p.Lines, reaches: len(reaches)}
	for _, b := range bodies {
		r.lines += b.Lines
		r.blank += b.Blank
		r.comments += b.Comments
	}
	return r
}

func (r *room) add(o room) {
	r.functions += o.functions
	r.long += o.long
	r.lines += o.lines
	r.blank += o.blank
	r.comments += o.comments
	r.allLines += o.allLines
	r.reaches += o.reaches
}

func (r *room) print(w io.Writer, name string) {
	fmt.Fprintf(w, "| %s | %d | %d | %d | %.1f | %.1f | %d | %.1f |\n", name, r.functions, r.long, r.lines,
		share(r.blank, r.lines), share(r.comments, r.lines), r.reaches, share(r.reaches, r.allLines))
}

// share returns n as a percentage of of.
func share(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// printed returns a line for each finding.
func printed(findings []structure.Finding) []string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.At+": "+f.Text)
	}
	return lines
}

// beside reports whether a folder has a program, and no part of the library or its tests.
func beside(folder string) bool { return strings.HasPrefix(folder+"/", "examples/") }
