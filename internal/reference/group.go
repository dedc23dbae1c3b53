package reference

import (
	"errors"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// GroupInput is everything a decision for a group of pods depends on.
type GroupInput struct {
	// Cluster is as in Input; its Groups say which pods leave together.
	Cluster *outrank.Cluster
	// Pods are the preemptor, in the order in which they are placed.
	Pods []*outrank.Pod
	Now  time.Time
	// Setup is as in Input.
	Setup Setup
}

// GroupUnit is what leaves together.
type GroupUnit struct {
	// Group is empty for a single pod.
	Group string
	// Pods are in order of importance.
	Pods     []*outrank.Pod
	Priority int32
	// Composite is set where Group names a composite group.
	Composite bool
	// Violations is how many of its pods break a budget.
	Violations int
	// Blocked is the placed pod that fails on its node with the unit back.
	Blocked Refusal
}

// Refusal is the first pod that found no place, with what each node said. It is
// empty where enough found one.
type Refusal struct {
	Pod   string
	Nodes map[string]Status
}

// GroupDecision is what becomes of the group.
type GroupDecision struct {
	// Before is why there is no place as things are, After why there is none
	// with all possible victims away.
	Before, After   Refusal
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
	// Err says why the pods cannot preempt together; nothing else is decided then.
	Err error
	// Fit is what placing the group came to as things are, and Status what preemption
	// did, which is tried also where it fits. Ongoing is a success that waits for an
	// earlier preemption.
	Fit, Status Status
	Ongoing     bool
	// Nominations are what the pods are nominated to after a success.
	Nominations map[string]string
	// Disruptions is the number of victims that are, or name, a group.
	Disruptions int
}

// DecideGroup decides for a group that preempts (group 12.9):
//
//  1. place it as things are;
//  2. ask whether it may preempt;
//  3. take all units of lower priority away, and place it again;
//  4. put them back one by one, budget breakers first, each if every placed pod
//     still passes on the node that it has.
//
// By the rules of a release in which no group does, nothing is decided (rule 12.9.1).
func DecideGroup(in GroupInput) GroupDecision {
	if !release.Of(release.Release(in.Cluster.Release)).GroupsPreempt {
		return GroupDecision{Err: errors.New("no group preempts")}
	}
	w := newWorkload(&in)
	d := GroupDecision{Err: w.differs(), Eligible: true}
	if d.Err != nil {
		return d
	}
	now := w.place(in.Cluster)
	d.Fit, d.Before = now.status, now.refusal
	if now.status.Code == Success {
		d.Placement, d.Before = now.nodes(), Refusal{}
	}
	possible := w.possible()
	d.Possible = len(possible)
	switch {
	case w.never():
		d.Eligible, d.EligibleMessage = false, "not eligible due to preemptionPolicy=Never."
		d.Status = unschedulableBy("", d.EligibleMessage)
	case w.ongoing():
		d.Ongoing, d.Status = true, Status{Reasons: []string{"ongoing preemption on nominated nodes"}}
		d.Nominations = w.nominations()
	case len(possible) == 0:
		d.Status = unresolvable("", "No preemption victims found for incoming preemptor")
	default:
		w.preempt(possible, &d)
	}
	for i, reason := range d.Status.Reasons {
		d.Status.Reasons[i] = "pod group preemption: " + reason
	}
	return d
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
