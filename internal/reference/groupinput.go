package reference

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// GroupInput has everything that a decision for a group of pods depends on.
type GroupInput struct {
	// Cluster is as in Input; its Groups say which pods leave together.
	Cluster *outrank.Cluster
	// Pods are the preemptor, in the order in which they are placed.
	Pods []*outrank.Pod
	Now  time.Time
	// Setup is as in Input.
	Setup Setup
	// Variant is as in Input; of it MayEvict, MayTake and Guard count.
	Variant Variant
}

// GroupDecision is the decision for the group.
type GroupDecision struct {
	// Before is why there is no place as things are, After why there is none
	// with all possible victims away.
	Before, After Refusal
	// Kept is what the guard says where there would be a place without it.
	Kept            Status
	Eligible        bool
	EligibleMessage string
	// Possible is the number of possible victims, Victims are those that leave,
	// most important first.
	Possible   int
	Victims    []GroupUnit
	Violations int
	// Placement has the node of each pod that has one, where the group fits or can
	// be made to.
	Placement map[string]string
	// Err is the reason why the pods cannot preempt together; nothing else is decided then.
	Err error
	// Fit is the result of placing the group as things are, and Status that of
	// preemption, which is tried also where it fits. Ongoing is a success that
	// waits for an earlier preemption.
	Fit, Status Status
	Ongoing     bool
	// Nominations maps the pods to the nodes that they are nominated to after a success.
	Nominations map[string]string
	// Disruptions is the number of victims that are, or name, a group.
	Disruptions int
}

// GroupUnit is a set of pods that leave together.
type GroupUnit struct {
	// Group is empty for a single pod.
	Group string
	// Pods are in order of importance.
	Pods     []*outrank.Pod
	Priority int32
	// Composite is set where Group names a composite group.
	Composite bool
	// Violations is the number of its pods that break a budget.
	Violations int
	// Blocked is the placed pod that fails on its node with the unit back, or Kept what the
	// guard says of the others without it.
	Blocked Refusal
	Kept    Status
}

// Refusal is the first pod that found no place, with the answer of each node.
// It is empty where enough found one.
type Refusal struct {
	Pod   string
	Nodes map[string]Status
}

// addVictim counts every pod that breaks a budget, and the unit as one disruption if
// it is more than a pod without a group (rule 12.9.10).
func (d *GroupDecision) addVictim(u *unit, broken map[*outrank.Pod]int, blocked objection) {
	v := GroupUnit{Group: string(u.whole), Composite: u.composite, Pods: u.pods, Priority: u.priority, Blocked: blocked.Refusal, Kept: blocked.guard}
	for _, p := range u.pods {
		v.Violations += min(1, broken[p])
	}
	d.Violations += v.Violations
	if u.rank != rankPod {
		d.Disruptions++
	}
	d.Victims = append(d.Victims, v)
}

// withPods returns the cluster with more pods, withoutPods with fewer.
func withPods(c *outrank.Cluster, pods []*outrank.Pod) *outrank.Cluster {
	other := *c
	other.Pods = slices.Concat(c.Pods, pods)
	return &other
}

func withoutPods(c *outrank.Cluster, pods []*outrank.Pod) *outrank.Cluster {
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return slices.Contains(pods, p) })
	return &other
}

// withoutPending is the cluster without the entry of the pod that waits.
func withoutPending(c *outrank.Cluster, p *outrank.Pod) *outrank.Cluster {
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(q *outrank.Pod) bool { return q.NodeName == "" && q.Key() == p.Key() })
	return &other
}
