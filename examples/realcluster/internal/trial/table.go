package trial

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Row is what became of the trials of a kind.
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

// NewTable is a table of these kinds.
func NewTable(kinds []Kind) *Table {
	t := &Table{index: map[string]*Row{}}
	for _, k := range kinds {
		row := &Row{Kind: k.Name}
		t.rows = append(t.rows, row)
		t.index[k.Name] = row
	}
	return t
}

// Add counts a trial. One that was disturbed is counted as that alone.
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

// Total is the sum of all rows.
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

// Write writes the table in the form that documents of the project use.
func (t *Table) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "| kind\t| trials\t| preempted\t| victims\t| arrived\t| fitted\t| waits\t| same\t| documented tie\t| different\t| repeated\t|")
	fmt.Fprintln(tab, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, r := range append(append([]*Row(nil), t.rows...), new(t.Total())) {
		fmt.Fprintf(tab, "| %s\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d\t|\n",
			r.Kind, r.Trials, r.Preempted, r.Victims, r.Arrived, r.Fitted, r.Waits, r.Same, r.Tie, r.Different, r.Disturbed)
	}
	return tab.Flush()
}
