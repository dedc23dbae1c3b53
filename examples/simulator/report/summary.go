// Package report answers how a simulated run went: while it lasts, as a line on
// the terminal ([Progress]) and a line per event in a file ([Log]), and
// afterwards as a [Summary], for people and as JSON.
package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/outrank-go/outrank/preemption/history"
)

// Summary is a run in figures. Times are in seconds of the run.
type Summary struct {
	// Simulated is how long the run was.
	Simulated float64 `json:"simulatedSeconds"`
	Pods      Pods    `json:"pods"`
	// Gangs is nil where no groups are queued as one.
	Gangs *Gangs `json:"gangs,omitempty"`
	// Kubelets is nil where pods run as soon as they are bound.
	Kubelets *Kubelets `json:"kubelets,omitempty"`
	Lost     Lost      `json:"lost"`
	// Waits are by priority, the highest first.
	Waits      []Wait     `json:"waits"`
	Preemption Preemption `json:"preemption"`
}

// Pods counts pods. A pod that is evicted and recreated stays one pod.
type Pods struct {
	// Arrived is all that came.
	Arrived int `json:"arrived"`
	// Run is how many were on a node at some time, Finished how many came to
	// their end there.
	Run      int `json:"run"`
	Finished int `json:"finished"`
	// Waited is how many were not placed when they came, Waiting those of them
	// that had no node when the run ended.
	Waited  int `json:"waited"`
	Waiting int `json:"waiting"`
	// Evicted is how many were evicted at least once, EvictedAgain at least
	// twice.
	Evicted      int `json:"evicted"`
	EvictedAgain int `json:"evictedAgain"`
}

// Gangs counts groups of pods that are placed together or not at all.
type Gangs struct {
	// Arrived is how many came, Placed how many of them had places at some time, Waiting
	// how many had a pod without a node when the run ended.
	Arrived int `json:"arrived"`
	Placed  int `json:"placed"`
	Waiting int `json:"waiting"`
	// Preempted is how many were evicted as a whole at least once, PreemptedAgain at least
	// twice. Preemptions is how often a gang evicted others.
	Preempted      int `json:"preempted"`
	PreemptedAgain int `json:"preemptedAgain"`
	Preemptions    int `json:"preemptions"`
}

// Lost is the work of evicted pods, which they begin again from nothing: for how
// long they had been running, and that times the cores they asked for.
type Lost struct {
	PodSeconds float64 `json:"podSeconds"`
	CPUHours   float64 `json:"cpuHours"`
}

// Add counts one eviction of a pod that asks for so much cpu and had run for so
// long.
func (l *Lost) Add(ran time.Duration, milliCPU int64) {
	l.PodSeconds += ran.Seconds()
	l.CPUHours += float64(ran.Hours() * (float64(milliCPU) / 1000))
}

// Preemption is what a [history.Log] found.
type Preemption struct {
	Preemptions int `json:"preemptions"`
	Evictions   int `json:"evictions"`
	// Cascades counts them; LongestCascade are the steps of the longest.
	Cascades       int    `json:"cascades"`
	LongestCascade []Step `json:"longestCascade,omitempty"`
	// Cycles counts distinct ones, Rounds how often any was gone round.
	Cycles int `json:"cycles"`
	Rounds int `json:"rounds"`
	// BusiestCycle was gone round most often, LongestCycle has the most pods.
	BusiestCycle *Cycle `json:"busiestCycle,omitempty"`
	LongestCycle *Cycle `json:"longestCycle,omitempty"`
	// Repeats counts those that were evicted again and again; MostEvicted is
	// the one evicted most often.
	Repeats     int     `json:"repeats"`
	MostEvicted *Repeat `json:"mostEvicted,omitempty"`
}

// Step is one step of a cascade.
type Step struct {
	Time      float64 `json:"time"`
	Node      string  `json:"node"`
	Preemptor string  `json:"preemptor"`
	Victim    string  `json:"victim"`
}

// Cycle is a ring of pods, each of which evicts the next.
type Cycle struct {
	Pods   []string `json:"pods"`
	Rounds int      `json:"rounds"`
	First  float64  `json:"first"`
	Last   float64  `json:"last"`
}

// Repeat is a pod that was evicted several times. Preemptor is empty if several
// pods did that.
type Repeat struct {
	Pod       string  `json:"pod"`
	Times     int     `json:"times"`
	Preemptor string  `json:"preemptor,omitempty"`
	First     float64 `json:"first"`
	Last      float64 `json:"last"`
}

// PreemptionOf sums up a history of a run that began at a time.
func PreemptionOf(h history.Summary, start time.Time) Preemption {
	since := func(t time.Time) float64 { return t.Sub(start).Seconds() }
	p := Preemption{
		Preemptions: h.Preemptions, Evictions: h.Evictions, Cascades: h.Cascades,
		Cycles: len(h.Cycles), Rounds: h.Rounds, Repeats: len(h.Repeats),
	}
	for _, s := range h.LongestCascade {
		p.LongestCascade = append(p.LongestCascade, Step{since(s.Time), s.Node, s.Preemptor, s.Victim})
	}
	cycle := func(c history.Cycle) *Cycle { return &Cycle{c.Lineages, c.Rounds, since(c.First), since(c.Last)} }
	if len(h.Cycles) > 0 {
		p.BusiestCycle, p.LongestCycle = cycle(h.Cycles[0]), cycle(h.LongestCycle)
	}
	if len(h.Repeats) > 0 {
		r := h.Repeats[0]
		p.MostEvicted = &Repeat{r.Lineage, r.Times, r.Preemptor, since(r.First), since(r.Last)}
	}
	return p
}

// WriteJSON writes the summary as one indented JSON object.
func (s *Summary) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}
