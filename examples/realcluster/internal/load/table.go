package load

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
)

// Slice is the result of a scheduler's turn.
type Slice struct {
	Scheduler string
	// Faults says that faults struck in this turn.
	Faults bool
	Time   time.Duration
	// Pods counts the pods of bursts, and Unbound the pods among them that got no node.
	Pods, Unbound int
	audit.Report
	usage
}

func (s *Slice) add(b *Burst) {
	s.Pods += b.Pods
	s.Unbound += b.Unbound
	s.Report.Add(&b.Report)
}

// Table has the results of all turns and bursts, in their order.
type Table struct {
	Slices []Slice
	Bursts []*Burst
}

// Wrong lists the results that must not occur. For the judged scheduler these are pods that got no node and
// pods that a process deleted more than once; for any scheduler, a mirror that differs from the cluster.
func (t *Table) Wrong(judged string) []string {
	var out []string
	for _, b := range t.Bursts {
		of := strings.TrimSpace(b.label + " " + b.Fault)
		if n := b.Unbound; n > 0 && b.Scheduler == judged {
			out = append(out, fmt.Sprintf("%s: %d pods got no node", of, n))
		}
		if len(b.Twice) > 0 && b.Scheduler == judged {
			out = append(out, fmt.Sprintf("%s: deleted twice: %s", of, strings.Join(b.Twice, ", ")))
		}
		if len(b.Unlike) > 0 {
			out = append(out, fmt.Sprintf("%s: the mirror differs from a fresh list: %s", of, strings.Join(b.Unlike, ", ")))
		}
	}
	return out
}

// rows are the rows of the table of turns.
var rows = []struct {
	name string
	cell func(*Slice) string
}{
	{"seconds", func(s *Slice) string { return fmt.Sprintf("%.0f", s.Time.Seconds()) }},
	{"pods bound, a second", func(s *Slice) string { return fmt.Sprintf("%d, %.1f", s.Bound, float64(s.Bound)/s.Time.Seconds()) }},
	{"time to bind, p50", func(s *Slice) string { return inSeconds(quantile(s.Waited, 50)) }},
	{"time to bind, p99", func(s *Slice) string { return inSeconds(quantile(s.Waited, 99)) }},
	{"PostFilter, mean of", func(s *Slice) string {
		return fmt.Sprintf("%.1f ms, %d", 1000*s.In.Seconds()/float64(max(1, s.PostFilters)), s.PostFilters)
	}},
	{"victims", func(s *Slice) string { return fmt.Sprint(s.Victims) }},
	{"against a budget at 0", func(s *Slice) string {
		return fmt.Sprintf("%d, %.1f %%", s.AgainstBudget, 100*float64(s.AgainstBudget)/float64(max(1, s.Victims)))
	}},
	{"status patches", func(s *Slice) string { return fmt.Sprint(s.Writes.StatusPatches) }},
	{"deletions", func(s *Slice) string { return fmt.Sprint(s.Writes.Deletes) }},
	{"events", func(s *Slice) string { return fmt.Sprint(s.Writes.Events) }},
	{"other writes", func(s *Slice) string { return fmt.Sprint(s.Writes.Bindings + s.Writes.Others) }},
	{"CPU of the leader", func(s *Slice) string { return inSeconds(s.CPU) }},
	{"resident, start and end", func(s *Slice) string { return fmt.Sprintf("%.0f, %.0f MB", s.First.Resident/1e6, s.Last.Resident/1e6) }},
	{"goroutines, start and end", func(s *Slice) string { return fmt.Sprintf("%.0f, %.0f", s.First.Goroutines, s.Last.Goroutines) }},
	{"pods of bursts, lost", func(s *Slice) string { return fmt.Sprintf("%d, %d", s.Pods, s.Unbound) }},
	{"deleted twice, by one process and two", func(s *Slice) string { return fmt.Sprintf("%d, %d", len(s.Twice), len(s.Both)) }},
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// quantile returns the smallest duration that is not exceeded by the given percentage of the durations, or 0 if
// there are none.
func quantile(of []time.Duration, percent int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[(len(sorted)*percent+99)/100-1]
}

// Write writes two tables in Markdown: the turns side by side, and the bursts with faults.
func (t *Table) Write(w io.Writer) error {
	head := []string{""}
	for i := range t.Slices {
		name := t.Slices[i].Scheduler
		if t.Slices[i].Faults {
			name += ", faults"
		}
		head = append(head, name)
	}

	lines := [][]string{head, slices.Repeat([]string{"---"}, len(head))}
	for _, row := range rows {
		line := []string{row.name}
		for i := range t.Slices {
			line = append(line, row.cell(&t.Slices[i]))
		}
		lines = append(lines, line)
	}
	lines = append(lines, nil)
	lines = append(lines, t.struck()...)

	for _, line := range lines {
		text := ""
		if line != nil {
			text = "| " + strings.Join(line, " | ") + " |"
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// struck returns the rows of the bursts with faults, below a head.
func (t *Table) struck() (lines [][]string) {
	for _, b := range t.Bursts {
		if b.Fault == "" {
			continue
		}
		if lines == nil {
			head := []string{"fault", "scheduler", "pods", "lost", "all bound after", "victims", "against a budget", "deleted twice, by one process and two", "mirror differs", "odd objects"}
			lines = [][]string{head, slices.Repeat([]string{"---"}, len(head))}
		}
		lines = append(lines, []string{
			b.Fault, b.Scheduler, fmt.Sprint(b.Pods), fmt.Sprint(b.Unbound), inSeconds(b.After), fmt.Sprint(b.Victims),
			fmt.Sprint(b.AgainstBudget), fmt.Sprintf("%d, %d", len(b.Twice), len(b.Both)), fmt.Sprint(len(b.Unlike)), fmt.Sprint(b.Odd),
		})
	}
	return lines
}
