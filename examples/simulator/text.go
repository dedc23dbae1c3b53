package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/outrank-go/outrank/examples/simulator/report"
)

func (s *inputSummary) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}

// rightFrom returns the columns from first on, for [report.Table].Right.
func rightFrom(first, columns int) map[int]bool {
	right := map[int]bool{}
	for i := first; i < columns; i++ {
		right[i] = true
	}
	return right
}

func (s *inputSummary) writeText(w io.Writer) error {
	c := s.Capacity
	fmt.Fprintf(w, "%s nodes with %s cores, %s GiB of memory and %s GPUs\n",
		report.Count(s.Nodes), whole(c.Cores), whole(c.Memory), whole(c.GPUs))
	fmt.Fprintf(w, "%s pods, which come within %s\n", report.Count(s.Pods), report.Seconds(s.Seconds))
	if s.Unplaceable > 0 {
		fmt.Fprintf(w, "%s of them fit no node, not even an empty one\n", report.Count(s.Unplaceable))
	}

	fmt.Fprint(w, "\nPods by service class; all sums are over all pods of the class\n")
	t := report.Table{Right: rightFrom(1, 8)}
	t.Add("  class", "priority", "pods", "never end", "median run", "cores", "GiB", "GPUs")
	for _, x := range s.Classes {
		median := report.Seconds(x.MedianSeconds)
		if x.Endless == x.Pods {
			median = "-" // no pod of the class ends
		}
		t.Add("  "+x.Name, strconv.Itoa(int(x.Priority)), report.Count(x.Pods), report.Count(x.Endless), median,
			whole(x.Asks.Cores), whole(x.Asks.Memory), strconv.FormatFloat(x.Asks.GPUs, 'f', 1, 64))
	}
	t.Write(w)

	s.writeDemand(w)
	return nil // the writer is a buffer, which does not fail
}

// writeDemand writes the demand over time, if there is any.
func (s *inputSummary) writeDemand(w io.Writer) {
	if len(s.Demand) == 0 {
		return
	}
	fmt.Fprint(w, "\nWhat all pods ask for together, if each runs from its arrival\n")
	t := report.Table{Right: rightFrom(0, 6)}
	t.Add("  from", "arrivals", "pods at once", "cpu", "memory", "GPUs")
	for _, x := range s.Demand {
		t.Add(report.Seconds(x.From), report.Count(x.Arrivals), whole(x.Pods), partOf(x.CPU, s.Capacity.Cores), partOf(x.Memory, s.Capacity.Memory), partOf(x.GPU, s.Capacity.GPUs))
	}
	t.Write(w)
}

func whole(v float64) string { return report.Count(int(min(v, 1e15) + 0.5)) }

// partOf formats a share of the capacity. Without a capacity it returns a dash instead of 0 %, because pods
// may still request the resource.
func partOf(share, capacity float64) string {
	if capacity == 0 {
		return "-"
	}
	return percent(share)
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + "%" }
