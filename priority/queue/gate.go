package queue

import "github.com/outrank-go/outrank"

// SchedulingGates is the check that every [Queue] makes first: no pod is tried
// while it has scheduling gates (rule 5.2.3).
const SchedulingGates = "SchedulingGates"

// Gate is a check before the queue (upstream's PreEnqueue plugin): a pod that it
// holds waits as gated.
type Gate struct {
	// Name stands in [Entry.Gate] while the gate holds the pod.
	Name string
	// Holds reports whether the pod is to be kept out. Like [Config.Helps] it must
	// not change the pod or call the queue, which is locked meanwhile. The answer
	// may change with time; see [Queue] for when the question is asked again.
	Holds func(pod *outrank.Pod) bool
}

// gateOf names the first gate that holds the pod, empty where none does.
func (c *Config) gateOf(pod *outrank.Pod) string {
	if pod.Gated() {
		return SchedulingGates
	}
	for i := range c.Gates {
		if c.Gates[i].Holds(pod) {
			return c.Gates[i].Name
		}
	}
	return ""
}

// mayOpen reports whether what holds a pod may let it in without a change of the
// pod.
func (it *item) mayOpen() bool { return !it.Pod.Gated() }
