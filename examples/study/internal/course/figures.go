package course

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank/examples/study/internal/metric"
)

// Briefest is the least work that a slowdown is divided by; shorter work counts as this. Otherwise a pod of one
// second that waits a minute would outweigh all others (the bounded slowdown of Feitelson and others).
const Briefest = 10 * time.Second

// Figures ends the course and writes its figures into a map. The end must not be before any time that was
// recorded.
func (c *Course) Figures(end time.Duration, into map[string]float64) {
	c.Advance(end)

	// Running pods count up to the end. Visiting them in the order of binding rounds the sums the same way each
	// time.
	open := make([]*stay, 0, len(c.stays))
	for _, s := range c.stays {
		open = append(open, s)
	}
	slices.SortFunc(open, func(a, b *stay) int { return cmp.Compare(a.order, b.order) })
	for _, s := range open {
		c.account(s, end)
	}

	for priority, r := range c.speeds {
		r.note(into, func(name string) string { return metric.NameAt(name, priority) })
	}
	if c.all.pods > 0 {
		c.all.note(into, func(name string) string { return name })
	}
	c.uses(end, into)

	if c.asked > 0 {
		into["gpuMisfits"] = 100 * float64(c.unfit) / float64(c.asked)
	}
	if c.pieces == nil {
		return
	}
	c.pieces.Hold(max(end, c.now))
	if share, ok := c.pieces.Share(); ok {
		into["fragmentation"] = 100 * share
	}
}

// ratios sum up pods that have finished.
type ratios struct{ pods, completion, slowdown, squares float64 }

// add adds a finished pod.
func (r *ratios) add(completion, slowdown float64) {
	r.pods++
	r.completion += completion
	r.slowdown += slowdown
	r.squares += slowdown * slowdown
}

// note writes the means, and Jain's fairness index of the slowdowns.
func (r *ratios) note(into map[string]float64, name func(string) string) {
	into[name("completionMean")] = r.completion / r.pods
	into[name("slowdownMean")] = r.slowdown / r.pods
	into[name("fairness")] = r.slowdown * r.slowdown / r.pods / r.squares
}

// uses writes how much of the nodes' time pods used, and how much of it was not lost, in percent.
func (c *Course) uses(end time.Duration, into map[string]float64) {
	var all amounts
	percent := amounts{c.capacity.cpu * end.Seconds() / 100, c.capacity.gpu * end.Seconds() / 100}
	priorities := make([]int32, 0, len(c.used))
	for priority := range c.used {
		priorities = append(priorities, priority)
	}
	slices.Sort(priorities) // sums of floats depend on the order of addition

	for _, priority := range priorities {
		a := c.used[priority]
		all.cpu += a.cpu
		all.gpu += a.gpu
		if percent.cpu > 0 {
			into[metric.NameAt("useCPU", priority)] = a.cpu / percent.cpu
		}
		if percent.gpu > 0 {
			into[metric.NameAt("useGPU", priority)] = a.gpu / percent.gpu
		}
	}

	if percent.cpu > 0 {
		into["goodputCPU"] = (all.cpu - c.lost.cpu) / percent.cpu
	}
	if percent.gpu > 0 {
		into["goodputGPU"] = (all.gpu - c.lost.gpu) / percent.gpu
	}
}
