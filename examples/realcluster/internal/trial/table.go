package trial

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Row counts the results of the trials of a kind.
type Row struct {
	Kind                                     string
	Trials, Preempted, Fitted, Waits         int
	Same, Tie, Different, Disturbed, Arrived int
	Victims                                  int
}

// Table counts trials.
type Table struct {
	rows  []*Row
	index map[string]*Row
}

// NewTable returns an empty table of these kinds.
func NewTable(kinds []Kind) *Table {
	t := &Table{index: map[string]*Row{}}
	for _, k := range kinds {
		row := &Row{Kind: k.Name}
		t.rows = append(t.rows, row)
		t.index[k.Name] = row
	}
	return t
}

// Add counts a trial. A disturbed trial is counted only as such.
func (t *Table) Add(kind string, result Result, o *Observed) {
	row := t.index[kind]
	if result == Disturbed {
		row.Disturbed++
		return
	}

	row.Trials++
	switch o.Outcome() {
	case "preempted":
		row.Preempted++
		if o.Arrived == o.Nominated {
			row.Arrived++
		}
	case "fitted":
		row.Fitted++
	default:
		row.Waits++
	}
	row.Victims += len(o.Evicted)

	switch result {
	case Same:
		row.Same++
	case Tie:
		row.Tie++
	default:
		row.Different++
	}
}

// Total returns the sum of all rows.
func (t *Table) Total() Row {
	sum := Row{Kind: "all"}
	for _, r := range t.rows {
		sum.Trials += r.Trials
		sum.Preempted += r.Preempted
		sum.Fitted += r.Fitted
		sum.Waits += r.Waits
		sum.Victims += r.Victims
		sum.Arrived += r.Arrived
		sum.Same += r.Same
		sum.Tie += r.Tie
		sum.Different += r.Different
		sum.Disturbed += r.Disturbed
	}
	return sum
}

// columns are the headings of the columns.
var columns = []string{"kind", "trials", "preempted", "victims", "arrived", "fitted", "waits", "same", "documented tie", "different", "repeated"}

func (r *Row) cells() []string {
	out := []string{r.Kind}
	for _, n := range []int{r.Trials, r.Preempted, r.Victims, r.Arrived, r.Fitted, r.Waits, r.Same, r.Tie, r.Different, r.Disturbed} {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// Write writes the table in Markdown. The column arrived counts the pods that were bound to the node that they
// were nominated to. The column repeated counts the disturbed trials.
func (t *Table) Write(w io.Writer) error {
	total := t.Total()
	lines := [][]string{columns, slices.Repeat([]string{"---"}, len(columns))}
	for _, r := range append(slices.Clone(t.rows), &total) {
		lines = append(lines, r.cells())
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | ")); err != nil {
			return err
		}
	}
	return nil
}
