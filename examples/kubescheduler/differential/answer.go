package differential

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Answer is the result of a scheduling attempt, by the reference or by outrank.
type Answer struct {
	// Fits says that a node takes the pod without preemption. Nothing else but Nodes is set then.
	Fits bool
	// Nodes has the status of each node before any pod is removed. The reference's answer has only the nodes that
	// it asked.
	Nodes map[string]Status
	// Candidates are the nodes where removing pods makes room, in the order of their names. They are listed even
	// if the pod may not preempt.
	Candidates []Candidate
	// Unhelpful has the status of each node that was tried and is no candidate.
	Unhelpful map[string]Status

	// Preempts says that the PostFilter plugins succeeded.
	Preempts bool
	// Nominated is the pod's nomination afterwards: NominationKept, the name of a node, or empty if the
	// nomination is cleared.
	Nominated string
	// Evicted are the pods that were deleted, sorted.
	Evicted []string
	// Cleared are the pods that lost their nomination, sorted.
	Cleared []string
	// Waits says that the pod waits for its claims and no attempt is made. Nothing else but Nodes is set then.
	Waits bool
	// Deallocated are claims of the pod whose allocation was given up. The reference gives up one claim, by
	// chance; outrank's answer lists every claim that it may be.
	Deallocated []string
	// Errors are the texts of all nodes' errors, in outrank's answer alone. The reference reports one of them,
	// by chance.
	Errors []string
	// Event is the note of the event FailedScheduling.
	Event string
	// Reason and Message are taken from the condition PodScheduled.
	Reason, Message string
	// Part is the part of the queue in which the pod ends: active, backoff, unschedulable or none.
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

// Candidate is a node on which the pod fits once the victims are gone.
type Candidate struct {
	Node string
	// Victims are named as namespace/name, the most important first.
	Victims []string
	// Violations is the number of victims that break a budget.
	Violations int
	// Importance has a text for each victim, which is equal for equally important victims.
	Importance []string
}

// equal reports whether two candidates are the same, except for the order of victims that are equally important.
func (c Candidate) equal(d Candidate) bool {
	return c.Node == d.Node && c.Violations == d.Violations &&
		slices.Equal(sorted(c.Victims), sorted(d.Victims)) && slices.Equal(c.Importance, d.Importance)
}

// String returns the node, its victims and how many of them break a budget.
func (c Candidate) String() string {
	return fmt.Sprintf("%s %v %d", c.Node, c.Victims, c.Violations)
}

// importance returns a text that is equal for pods that are equally important as victims.
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
