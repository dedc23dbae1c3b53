// Real measures outrank beside kube-scheduler's own code on the matrix of real clusters, and prints a table for each
// size with the worst and the best cells. It fails where the two choose different nodes or victims.
//
//	go run ./differential/cmd/real -nodes 1000,5000
//	go run ./differential/cmd/real -rows own-labels,terms -rounds 1
//
// With -raw it keeps the results in a file, and makes its tables of all that the file holds; -rows none measures
// nothing. With -figures it replaces the section of a FIGURES.md by these tables. The rows of the openb trace are there
// if OPENB names its folder.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/internal/tests/gen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/current"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/figures"
)

func main() {
	var w work
	flag.StringVar(&w.rows, "rows", strings.Join(gen.RealRows(), ","), "rows to measure; none for none")
	flag.StringVar(&w.nodes, "nodes", "1000", "numbers of nodes, with about 30 pods each")
	flag.IntVar(&w.rounds, "rounds", 3, "decisions of kube-scheduler in a cell; outrank makes up to 200 of each kind beside each")
	flag.StringVar(&w.raw, "raw", "", "file of raw results, to which these are added")
	flag.StringVar(&w.figures, "figures", "", "document whose section is replaced by the tables")
	flag.Parse()
	if err := w.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work is what the command line asks for.
type work struct {
	rows, nodes  string
	rounds       int
	raw, figures string
}

// run measures, and writes raw results and tables.
func (w *work) run() error {
	differential.Quiet()
	if w.rounds < 1 {
		return fmt.Errorf("-rounds %d: want at least 1", w.rounds)
	}
	cells, err := w.known()
	if err != nil {
		return err
	}
	if w.rows != "none" {
		if cells, err = w.measure(cells); err != nil {
			return err
		}
	}

	figures.Write(os.Stdout, cells)
	for _, m := range figures.Misses(cells) {
		fmt.Println("MISSES A BAR", m)
	}
	if w.figures == "" {
		return nil
	}
	text, err := os.ReadFile(w.figures)
	if err != nil {
		return err
	}
	return os.WriteFile(w.figures, []byte(figures.Section(string(text), figures.SectionText(cells))), 0o644)
}

// known returns the cells that the file of raw results holds. There are none if there is no file.
func (w *work) known() ([]*figures.Cell, error) {
	if w.raw == "" {
		return nil, nil
	}
	f, err := os.Open(w.raw)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return figures.Read(f)
}

// measure measures the rows in all sizes, and keeps each result at once: a long run may end early.
func (w *work) measure(cells []*figures.Cell) ([]*figures.Cell, error) {
	for _, word := range strings.Split(w.nodes, ",") {
		nodes, err := strconv.Atoi(word)
		if err != nil || nodes < 2 {
			return nil, fmt.Errorf("-nodes %q: want numbers from 2 on, separated by commas", word)
		}
		for _, row := range strings.Split(w.rows, ",") {
			fmt.Fprintf(os.Stderr, "%s, %d nodes\n", row, nodes)
			c, err := current.Harness.MeasureReal(row, nodes, w.rounds)
			if err != nil {
				return nil, err
			}
			c.Conditions = w.conditions()
			cells = figures.Merge(cells, []*figures.Cell{c})
			if err := w.keep(cells); err != nil {
				return nil, err
			}
		}
	}
	return cells, nil
}

// keep writes the file of raw results.
func (w *work) keep(cells []*figures.Cell) error {
	if w.raw == "" {
		return nil
	}
	f, err := os.Create(w.raw)
	if err != nil {
		return err
	}
	return errors.Join(figures.WriteRaw(f, cells), f.Close())
}

// conditions says when and on what the cells are measured.
func (w *work) conditions() string {
	return fmt.Sprintf("%s, %s, %s/%s, %d processors, medians of %d", time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), w.rounds)
}
