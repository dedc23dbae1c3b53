package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// mostNames is the most names of a cascade or cycle that are shown.
const mostNames = 8

// WriteText writes the summary for people. Control characters in names are shown as escapes, because names
// come from files.
func (s *Summary) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Simulated %s\n\n", Seconds(s.Simulated))
	s.writePods(&b)
	s.writeWaits(&b)
	s.Preemption.write(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// writePods writes the counts: of pods, of gangs and kubelets if there are any, and of lost work.
func (s *Summary) writePods(w io.Writer) {
	p := &s.Pods
	t := Table{Right: map[int]bool{1: true}}
	t.Add("pods", Count(p.Arrived), "")
	t.Add("  run", Count(p.Run), Count(p.Finished)+" to their end")
	t.Add("  waited", Count(p.Waited), Count(p.Waiting)+" had no node at the end")
	t.Add("  evicted", Count(p.Evicted), Count(p.EvictedAgain)+" more than once")

	if g := s.Gangs; g != nil {
		t.Add("gangs", Count(g.Arrived), "")
		t.Add("  placed", Count(g.Placed), Count(g.Waiting)+" waited for a node at the end")
		t.Add("  evicted", Count(g.Preempted), Count(g.PreemptedAgain)+" more than once")
		t.Add("  evicting", Count(g.Preemptions), "how often a gang evicted others")
	}
	if s.Kubelets != nil {
		s.Kubelets.write(&t)
	}

	t.Add("lost pod-seconds", decimal(s.Lost.PodSeconds), "for which evicted pods had run")
	t.Add("lost cpu-hours", decimal(s.Lost.CPUHours), "of the cpu that they asked for meanwhile")
	t.Write(w)
}

// writeWaits writes the waits by priority.
func (s *Summary) writeWaits(w io.Writer) {
	fmt.Fprint(w, "\nTime without a node\n")
	if len(s.Waits) == 0 {
		fmt.Fprintln(w, "  no pods")
		return
	}
	t := Table{Right: map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true}}
	t.Add("  priority", "pods", "mean", "median", "p95", "max")
	for _, x := range s.Waits {
		t.Add(strconv.Itoa(int(x.Priority)), Count(x.Pods), Seconds(x.Mean), Seconds(x.Median), Seconds(x.P95), Seconds(x.Max))
	}
	t.Write(w)
}

// write writes the findings about preemption.
func (p *Preemption) write(w io.Writer) {
	fmt.Fprint(w, "\nPreemption\n")
	t := Table{Right: map[int]bool{1: true}}
	t.Add("  preemptions", Count(p.Preemptions), plural(p.Evictions, "eviction"))
	t.Add("  cascades", Count(p.Cascades), "evicted pods that evicted others in turn"+p.longest())
	t.Add("  cycles", Count(p.Cycles), "rings of pods that evict each other, gone round "+plural(p.Rounds, "time"))
	t.Add("  repeats", Count(p.Repeats), "pods evicted several times"+p.mostEvicted())
	t.Write(w)
	p.writeCascade(w)
	p.writeCycles(w)
}

// longest describes the longest cascade, if there is one.
func (p *Preemption) longest() string {
	if len(p.LongestCascade) == 0 {
		return ""
	}
	return fmt.Sprintf(", at most %d evictions long", len(p.LongestCascade))
}

// mostEvicted describes the pod that was evicted most often, if any was evicted several times.
func (p *Preemption) mostEvicted() string {
	r := p.MostEvicted
	switch {
	case r == nil:
		return ""
	case r.Preemptor != "":
		return fmt.Sprintf("; %s %s times, by %s", r.Pod, Count(r.Times), r.Preemptor)
	}
	return fmt.Sprintf("; %s %s times, by several pods", r.Pod, Count(r.Times))
}

// writeCascade writes the first steps of the longest cascade.
func (p *Preemption) writeCascade(w io.Writer) {
	if len(p.LongestCascade) == 0 {
		return
	}
	fmt.Fprint(w, "\nLongest cascade\n")
	t := Table{Right: map[int]bool{0: true}}
	for _, s := range p.LongestCascade[:min(len(p.LongestCascade), mostNames)] {
		t.Add("  "+Seconds(s.Time), s.Preemptor+" evicts "+s.Victim, "on "+s.Node)
	}
	t.Write(w)
	if more := len(p.LongestCascade) - mostNames; more > 0 {
		fmt.Fprintf(w, "  and %s more\n", Count(more))
	}
}

// writeCycles writes the busiest and the longest cycle.
func (p *Preemption) writeCycles(w io.Writer) {
	if p.BusiestCycle == nil || p.LongestCycle == nil {
		return
	}
	fmt.Fprint(w, "\nCycles\n")
	p.BusiestCycle.write(w, "most rounds")
	p.LongestCycle.write(w, "most pods")
}

// write writes a cycle in two lines, because rings are long.
func (c *Cycle) write(w io.Writer, heading string) {
	fmt.Fprintf(w, "  %-12s %s from %s to %s\n", heading, plural(c.Rounds, "round"), Seconds(c.First), Seconds(c.Last))
	fmt.Fprintf(w, "    %s\n", screen.Safe(ring(c.Pods)))
}

// plural formats a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// ring joins the names of a cycle. Names in the middle are left out if there are many.
func ring(names []string) string {
	shown := names
	if len(names) > mostNames {
		more := fmt.Sprintf("%d more", len(names)-mostNames+1)
		shown = append(append(append([]string{}, names[:mostNames-2]...), more), names[len(names)-1])
	}
	return strings.Join(shown, " → ") + " → " + names[0]
}

// Seconds formats a time with its two largest units, or in seconds with one decimal below a minute.
func Seconds(s float64) string {
	if s < 59.95 {
		return strconv.FormatFloat(s, 'f', 1, 64) + "s"
	}
	n := int64(math.Round(min(s, 1e15)))
	switch {
	case n < 3600:
		return fmt.Sprintf("%dm %02ds", n/60, n%60)
	case n < 24*3600:
		return fmt.Sprintf("%dh %02dm", n/3600, n/60%60)
	}
	return fmt.Sprintf("%dd %02dh", n/(24*3600), n/3600%24)
}

// Count formats a number with commas between thousands.
func Count(n int) string {
	text := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// decimal formats an amount: with one decimal below 1000, and otherwise as Count does.
func decimal(v float64) string {
	if v < 1000 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return Count(int(min(v, 1e18)))
}
