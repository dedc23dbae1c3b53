// Compare measures kube-scheduler's own code and outrank in one run, on the rows of outrank's
// matrix, and prints a table:
//
//	go run ./differential/cmd/compare
//	go run ./differential/cmd/compare -rows plain,volume -nodes 100,1000 -rounds 5
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/gen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/current"
)

func main() {
	rows := flag.String("rows", strings.Join(append(gen.MatrixRows(), "group-8", "group-64"), ","), "preemptors; groups come last, because their feature gate stays open")
	nodes := flag.String("nodes", "1000", "numbers of nodes, with 30 pods each")
	budgets := flag.String("budgets", "0,20", "numbers of disruption budgets")
	sampled := flag.Bool("sampled", false, "look at kube-scheduler's default sample of nodes, not at all of them")
	rounds := flag.Int("rounds", 3, "decisions of kube-scheduler in a cell; outrank makes up to 200 of each kind beside each")
	flag.Parse()
	wanted, err := cellsOf(strings.Split(*rows, ","), *nodes, *budgets, *sampled)
	if err == nil {
		err = run(wanted, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cellsOf returns the cells to be measured: each row with each number of nodes and of budgets.
func cellsOf(rows []string, nodes, budgets string, sampled bool) (cells []differential.Cell, err error) {
	ns, err := numbers("-nodes", nodes, 1)
	if err != nil {
		return nil, err
	}
	bs, err := numbers("-budgets", budgets, 0)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		for _, n := range ns {
			for _, b := range bs {
				cells = append(cells, differential.Cell{Row: row, Nodes: n, Budgets: b, Sampled: sampled})
			}
		}
	}
	return cells, nil
}

// run measures the cells and prints their table.
func run(wanted []differential.Cell, rounds int) error {
	differential.Quiet()
	if rounds < 1 {
		return fmt.Errorf("-rounds %d: want at least 1", rounds)
	}
	var cells []*differential.Cell
	for _, cell := range wanted {
		fmt.Fprintf(os.Stderr, "%s, %d nodes, %d budgets\n", cell.Row, cell.Nodes, cell.Budgets)
		c, err := measure(cell, rounds)
		if err != nil {
			return err
		}
		cells = append(cells, c)
	}
	differential.WriteCells(os.Stdout, cells)
	return nil
}

// measure measures a row of the matrix, or a group.
func measure(cell differential.Cell, rounds int) (*differential.Cell, error) {
	if size, ok := strings.CutPrefix(cell.Row, "group-"); ok {
		pods, err := numbers("-rows group-", size, 1)
		if err != nil {
			return nil, err
		}
		return current.MeasureGroup(pods[0], cell.Nodes, cell.Budgets)
	}
	return current.Harness.Measure(cell, rounds)
}

// numbers reads a list of numbers, none of which may be smaller than least.
func numbers(flag, text string, least int) (ns []int, err error) {
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < least {
			return nil, fmt.Errorf("%s %q: want numbers from %d on, separated by commas", flag, text, least)
		}
		ns = append(ns, n)
	}
	return ns, nil
}
