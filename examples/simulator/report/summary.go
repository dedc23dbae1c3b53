// Package report answers how a simulated run went: while it lasts, as a line on
// the terminal ([Progress]) and a line per event in a file ([Log]), and
// afterwards as a [Summary], for people and as JSON.
package report

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/outrank-go/outrank/preemption/planner/history"
)

// Summary sums up a run. Times are in seconds of the run.
type Summary struct {
	// Simulated is the length of the run.
	Simulated float64 `json:"simulatedSeconds"`
	Pods      Pods    `json:"pods"`
	// Gangs is nil if groups are not queued as one.
	Gangs *Gangs `json:"gangs,omitempty"`
	// Kubelets is nil in a run without kubelets.
	Kubelets *Kubelets `json:"kubelets,omitempty"`
	Lost     Lost      `json:"lost"`
	// Waits has the waiting times by priority, the highest first.
	Waits      []Wait     `json:"waits"`
	Preemption Preemption `json:"preemption"`
}

// Pods counts pods. A pod and its successors count as one.
type Pods struct {
	// Arrived counts the pods that have arrived.
	Arrived int `json:"arrived"`
	// Run counts the pods that have run, and Finished those that have finished.
	Run      int `json:"run"`
	Finished int `json:"finished"`
	// Waited counts the pods for which some attempt found no node. Waiting counts those without a node at the
	// end of the run.
	Waited  int `json:"waited"`
	Waiting int `json:"waiting"`
	// Evicted counts the pods that were evicted at least once, and EvictedAgain those that were evicted at
	// least twice.
	Evicted      int `json:"evicted"`
	EvictedAgain int `json:"evictedAgain"`
}

// Gangs counts groups of pods that are placed together or not at all.
type Gangs struct {
	// Arrived counts the gangs that have arrived, Placed those that were placed at some time, and Waiting
	// those with a pod without a node at the end of the run.
	Arrived int `json:"arrived"`
	Placed  int `json:"placed"`
	Waiting int `json:"waiting"`
	// Preempted counts the gangs that were preempted at least once, and PreemptedAgain those that were
	// preempted at least twice. Preemptions counts how often a gang has preempted others.
	Preempted      int `json:"preempted"`
	PreemptedAgain int `json:"preemptedAgain"`
	Preemptions    int `json:"preemptions"`
}

// Lost is the work of evicted pods, which they have to do again. PodSeconds is their running time; CPUHours
// is the running time multiplied by the requested cores.
type Lost struct {
	PodSeconds float64 `json:"podSeconds"`
	CPUHours   float64 `json:"cpuHours"`
}

// Add counts one eviction of a pod with this request of cpu and this running time.
func (l *Lost) Add(ran time.Duration, milliCPU int64) {
	l.PodSeconds += ran.Seconds()
	l.CPUHours += float64(ran.Hours() * (float64(milliCPU) / 1000))
}

// Preemption has the results of a [history.Log].
type Preemption struct {
	Preemptions int `json:"preemptions"`
	Evictions   int `json:"evictions"`
	// Cascades counts the cascades. LongestCascade has the steps of the longest one.
	Cascades       int    `json:"cascades"`
	LongestCascade []Step `json:"longestCascade,omitempty"`
	// Cycles counts the different cycles, and Rounds the rounds of all cycles.
	Cycles int `json:"cycles"`
	Rounds int `json:"rounds"`
	// BusiestCycle is the cycle with the most rounds, and LongestCycle the one with the most pods.
	BusiestCycle *Cycle `json:"busiestCycle,omitempty"`
	LongestCycle *Cycle `json:"longestCycle,omitempty"`
	// Repeats counts the pods that were evicted several times. MostEvicted is the one that was evicted most
	// often.
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

// Cycle is a ring of pods in which each evicts the next. First and Last are the times of its first and last
// round.
type Cycle struct {
	Pods   []string `json:"pods"`
	Rounds int      `json:"rounds"`
	First  float64  `json:"first"`
	Last   float64  `json:"last"`
}

// Repeat is a pod that was evicted several times. Preemptor is empty if several pods have evicted it.
type Repeat struct {
	Pod       string  `json:"pod"`
	Times     int     `json:"times"`
	Preemptor string  `json:"preemptor,omitempty"`
	First     float64 `json:"first"`
	Last      float64 `json:"last"`
}

// PreemptionOf sums up the history of a run that began at start.
func PreemptionOf(h history.Summary, start time.Time) Preemption {
	since := func(t time.Time) float64 { return t.Sub(start).Seconds() }
	p := Preemption{
		Preemptions: h.Preemptions, Evictions: h.Evictions,
		Cycles: len(h.Cycles), Rounds: h.OtherRounds, Repeats: len(h.Repeats),
	}

	for _, c := range h.Cycles {
		p.Rounds += c.Times
	}
	for _, n := range h.Cascades {
		p.Cascades += n
	}
	for _, s := range h.LongestCascade {
		p.LongestCascade = append(p.LongestCascade, Step{since(s.Time), s.Node, s.Preemptor, s.Victims[0]})
	}

	// The history has the cycles with the most rounds first, and the most frequent repeats first.
	cycle := func(c history.Cycle) *Cycle { return &Cycle{c.Lineages, c.Times, since(c.First), since(c.Last)} }
	if len(h.Cycles) > 0 {
		p.BusiestCycle = cycle(h.Cycles[0])
		p.LongestCycle = cycle(slices.MaxFunc(h.Cycles, func(a, b history.Cycle) int {
			return cmp.Compare(len(a.Lineages), len(b.Lineages))
		}))
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
