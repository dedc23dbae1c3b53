package figures

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outrank-go/outrank/internal/tests/gen"
)

// Write writes the worst and the best cells, and a table for each size with a line for each row.
func Write(w io.Writer, cells []*Cell) {
	if len(cells) == 0 {
		return
	}
	WriteEnds(w, cells)

	bySize := map[int][]*Cell{}
	for _, c := range cells {
		bySize[c.Nodes] = append(bySize[c.Nodes], c)
	}
	for _, nodes := range slices.Sorted(maps.Keys(bySize)) {
		fmt.Fprintf(w, "\n| %s nodes | kube-scheduler: filters | victims | of its sample |", grouped(nodes))
		for _, way := range gen.RealWays() {
			fmt.Fprintf(w, " %s |", shown[way])
		}
		fmt.Fprintln(w, " worst against its sample |\n|---|---|---|---|---|---|---|---|---|---|---|")
		for _, c := range bySize[nodes] {
			writeRow(w, c)
		}
	}
}

// writeRow writes the line of a cell.
func writeRow(w io.Writer, c *Cell) {
	fmt.Fprintf(w, "| %s | %s | %s | %s |", c.Row, Brief(c.Filters), Brief(c.PostFilter), Brief(c.Sampled))
	for _, way := range gen.RealWays() {
		o := one{c, way}
		if o.time() == 0 {
			fmt.Fprint(w, " - |")
			continue
		}
		fmt.Fprintf(w, " %s, %s |", Brief(o.time()), times(o.overAll()))
	}
	worst := slices.MinFunc(each([]*Cell{c}, later), byOver(one.overSample))
	fmt.Fprintf(w, " %s, %s |\n", times(worst.overSample()), shown[worst.way])
}

// WriteEnds writes the worst and the best cells: by how many times faster outrank is, and by its own time. The first
// question ever about a snapshot is a matter of its own.
func WriteEnds(w io.Writer, cells []*Cell) {
	all := each(cells, later)
	if len(all) == 0 {
		return
	}
	for _, against := range []struct {
		whom string
		over func(one) float64
	}{{"kube-scheduler with all nodes", one.overAll}, {"its default sample", one.overSample}} {
		worst, best := slices.MinFunc(all, byOver(against.over)), slices.MaxFunc(all, byOver(against.over))
		fmt.Fprintf(w, "Of %d cells the worst against %s is %s: %s. The best is %s: %s.\n",
			len(all), against.whom, worst, times(against.over(worst)), best, times(against.over(best)))
	}

	dearest := func(of []one) one {
		return slices.MaxFunc(of, func(a, b one) int { return cmp.Compare(a.time(), b.time()) })
	}
	most := dearest(all)
	fmt.Fprintf(w, "The dearest is %s: %s.", most, Brief(most.time()))
	if firsts := each(cells, func(way string) bool { return !later(way) }); len(firsts) > 0 {
		first := dearest(firsts)
		least := slices.MinFunc(firsts, byOver(one.overAll))
		fmt.Fprintf(w, " Of first questions it is %s: %s; and the worst against all nodes %s: %s.", first, Brief(first.time()), least, times(least.overAll()))
	}
	fmt.Fprintln(w)
}

// later reports whether a way asks about a snapshot that has been asked before.
func later(way string) bool { return way != gen.RealFirst }

// byOver compares cells by how many times faster they are.
func byOver(over func(one) float64) func(a, b one) int {
	return func(a, b one) int { return cmp.Compare(over(a), over(b)) }
}

// times formats how many times faster outrank is.
func times(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.1f times", ratio)
	}
	return fmt.Sprintf("%.0f times", ratio)
}

// grouped formats a number with a comma before the thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// Brief formats a time with few digits. A time of 0 was not measured.
func Brief(d time.Duration) string {
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
