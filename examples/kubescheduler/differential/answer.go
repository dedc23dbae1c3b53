package differential

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Answer is the result of a scheduling attempt, by the reference or by outrank.
type Answer struct {
	// Fits is set where a node takes the pod as things are. Nothing else but Nodes is
	// set then.
	Fits bool
	// Nodes has the status of each node as things are: that of the reference where it
	// asked the node.
	Nodes map[string]Status
	// Candidates are the nodes where removing pods makes room, in the order of their names,
	// also where the pod may not preempt. The others that were tried are in Unhelpful.
	Candidates []Candidate
	Unhelpful  map[string]Status

	// Preempts is set where the PostFilter plugins succeeded.
	Preempts bool
	// Nominated is the pod's nomination afterwards: NominationKept, or the node,
	// which is empty where the nomination is cleared.
	Nominated string
	// Evicted are the pods that were deleted, Cleared those that lost their nomination,
	// sorted.
	Evicted, Cleared []string
	// Waits is set where the pod waits for its claims and no attempt is made. Nothing else but
	// Nodes is set then.
	Waits bool
	// Deallocated are claims of the pod whose allocation was given up; of outrank, those of which
	// the reference gives up any one.
	Deallocated []string
	// Errors are, of outrank, the texts of nodes with an error; the reference tells that of any one.
	Errors []string
	// Event is the note of event FailedScheduling, Reason and Message those of
	// condition PodScheduled.
	Event, Reason, Message string
	// Part is the part of the queue that the pod ends in.
	Part string
}

// NominationKept is the Nominated of an attempt that leaves the nomination alone.
const NominationKept = "(kept)"

// Status is the filters' answer about a node.
type Status struct {
	Code, Plugin string
	Reasons      []string
}

func (s Status) equal(t Status) bool {
	return s.Code == t.Code && s.Plugin == t.Plugin && slices.Equal(sorted(s.Reasons), sorted(t.Reasons))
}

// String returns the code, the plugin and the reasons.
func (s Status) String() string {
	return s.Code + " by " + s.Plugin + ": " + strings.Join(s.Reasons, "; ")
}

// Candidate is a node with its victims as namespace/name, the most important first.
type Candidate struct {
	Node       string
	Victims    []string
	Violations int
	Importance []string // of each victim
}

// equal reports whether two candidates are the same, but for the order of victims that
// are equally important.
func (c Candidate) equal(d Candidate) bool {
	return c.Node == d.Node && c.Violations == d.Violations &&
		slices.Equal(sorted(c.Victims), sorted(d.Victims)) && slices.Equal(c.Importance, d.Importance)
}

// String returns the node, its victims and how many of them break a budget.
func (c Candidate) String() string {
	return fmt.Sprintf("%s %v %d", c.Node, c.Victims, c.Violations)
}

// importance says how important a pod is, as text.
func importance(p *corev1.Pod) string {
	var priority int32
	if p.Spec.Priority != nil {
		priority = *p.Spec.Priority
	}
	if p.Status.StartTime == nil {
		return fmt.Sprintf("%d now", priority)
	}
	return fmt.Sprintf("%d %s", priority, p.Status.StartTime.UTC())
}

func sorted(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	return texts
}
