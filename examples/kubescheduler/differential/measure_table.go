package differential

import (
	"fmt"
	"io"
	"time"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/figures"
)

// WriteCells writes a table of cells, with a line about the worst and the best of them.
func WriteCells(w io.Writer, cells []*Cell) {
	if len(cells) == 0 {
		return
	}
	fmt.Fprintln(w, "| preemptor | nodes | budgets | nodes looked at | kube-scheduler: filters | victims | outrank: new | known | after a change | following it, both | built once, both | by the book |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	worst, best := cells[0], cells[0]
	for _, c := range cells {
		looked := "all"
		if c.Sampled {
			looked = "its sample"
		}
		fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %s | %s | %s | %s, %s | %s, %s | %s |\n", c.Row, c.Nodes, c.Budgets, looked, figures.Brief(c.Filters), figures.Brief(c.PostFilter),
			c.times(c.New), c.times(c.Known)+" | "+c.times(c.Changed), figures.Brief(c.ReferenceChange), figures.Brief(c.Change), figures.Brief(c.ReferenceBuild), figures.Brief(c.Conversion+c.Build), c.slower())
		if c.Ratio() < worst.Ratio() {
			worst = c
		}
		if c.Ratio() > best.Ratio() {
			best = c
		}
	}
	fmt.Fprintf(w, "\nNew shapes, worst: %s, %d nodes, %d budgets, %.0f times. Best: %s, %d nodes, %d budgets, %.0f times.\n",
		worst.Row, worst.Nodes, worst.Budgets, worst.Ratio(), best.Row, best.Nodes, best.Budgets, best.Ratio())
}

// times formats one of outrank's times, and how many times faster than the reference it is.
func (c *Cell) times(d time.Duration) string {
	if d == 0 {
		return figures.Brief(d)
	}
	return fmt.Sprintf("%s, %.0f times", figures.Brief(d), float64(c.Reference())/float64(d))
}

// slower formats the time of package preemption, also as a multiple of the reference's.
func (c *Cell) slower() string {
	if c.Book == 0 {
		return figures.Brief(c.Book)
	}
	return fmt.Sprintf("%s, %.1f times as long", figures.Brief(c.Book), c.Slower())
}
