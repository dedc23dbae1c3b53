package differential

import (
	"fmt"
	"io"
	"time"
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
		fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %s | %s | %s | %s, %s | %s, %s | %s |\n", c.Row, c.Nodes, c.Budgets, looked, brief(c.Filters), brief(c.PostFilter),
			c.times(c.New), c.times(c.Known)+" | "+c.times(c.Changed), brief(c.ReferenceChange), brief(c.Change), brief(c.ReferenceBuild), brief(c.Conversion+c.Build), c.slower())
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
		return brief(d)
	}
	return fmt.Sprintf("%s, %.0f times", brief(d), float64(c.Reference())/float64(d))
}

// slower formats the time of package preemption, also as a multiple of the reference's.
func (c *Cell) slower() string {
	if c.Book == 0 {
		return brief(c.Book)
	}
	return fmt.Sprintf("%s, %.1f times as long", brief(c.Book), c.Slower())
}

// brief formats a time with few digits.
func brief(d time.Duration) string {
	switch us := float64(d) / 1e3; {
	case d == 0:
		return "-"
	case us < 10:
		return fmt.Sprintf("%.1f µs", us)
	case us < 1000:
		return fmt.Sprintf("%.0f µs", us)
	case us < 10_000:
		return fmt.Sprintf("%.1f ms", us/1e3)
	}
	return fmt.Sprintf("%.0f ms", float64(d)/1e6)
}
