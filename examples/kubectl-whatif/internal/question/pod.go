package question

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Pod names a pod.
type Pod struct {
	// Key is namespace/name.
	Key      outrank.Key `json:"key"`
	Priority int32       `json:"priority"`
	// PriorityClass is empty if the priority does not come from a class.
	PriorityClass string `json:"priorityClass,omitempty"`
	// Owner names the pod's controller, as Kind/Name.
	Owner string `json:"owner,omitempty"`
	// Node is the node of the pod, or the node that it leaves.
	Node string `json:"node,omitempty"`
}

// NameOf names a pod, with the node that the answer is about.
func NameOf(p *outrank.Pod, node string) Pod {
	return Pod{Key: p.Key(), Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, Owner: p.Owner.String(), Node: node}
}

// Victim is a pod that has to leave.
type Victim struct {
	Pod
	// Terminating is set for a pod that was leaving already, for whatever reason.
	Terminating bool `json:"terminating,omitempty"`
	// Violated lists the first ten budgets that are broken when the pod leaves. MoreViolated counts the others.
	Violated     []outrank.Key `json:"violated"`
	MoreViolated int           `json:"moreViolated,omitempty"`
}

// victimsOf returns the victims of a plan in their order.
func victimsOf(plan *preemption.Plan) []Victim {
	out := make([]Victim, len(plan.Victims))
	for i := range plan.Victims {
		v := &plan.Victims[i]
		out[i] = victimOf(v.Pod, cmp.Or(v.Node, plan.Node), v.Violated)
	}
	return out
}

// mostBudgets is the most budgets that are named for one pod.
const mostBudgets = 10

// victimOf describes a victim, with at most mostBudgets of the budgets that it violates.
func victimOf(p *outrank.Pod, node string, violated []*outrank.PodDisruptionBudget) Victim {
	named := violated[:min(len(violated), mostBudgets)]
	v := Victim{Pod: NameOf(p, node), Terminating: p.Terminating(), Violated: make([]outrank.Key, len(named)), MoreViolated: len(violated) - len(named)}
	for i, b := range named {
		v.Violated[i] = b.Key()
	}
	return v
}

// fresh counts the victims that were not leaving already.
func fresh(victims []Victim) (n int) {
	for i := range victims {
		if !victims[i].Terminating {
			n++
		}
	}
	return n
}

// violating counts the victims that were not leaving already and break a budget.
func violating(victims []Victim) (n int) {
	for i := range victims {
		if !victims[i].Terminating && len(victims[i].Violated) > 0 {
			n++
		}
	}
	return n
}

// Reason is a reason for which a number of nodes do not take a pod.
type Reason struct {
	// Filter names the filter that failed. It is empty if the reason comes from no filter.
	Filter  string   `json:"filter,omitempty"`
	Reasons []string `json:"reasons"`
	Nodes   int      `json:"nodes"`
}

// mostReasons is the most reasons that are told of one pod.
const mostReasons = 5

// reasonsOf adds up the nodes with equal reasons, and returns the first reasons in their order.
func reasonsOf(counts []preemption.Count) []Reason {
	out := make([]Reason, 0, min(len(counts), mostReasons))
	for i := range counts {
		c := &counts[i]
		filter := cmp.Or(c.Filter, c.ExcludedBy)
		known := slices.IndexFunc(out, func(r Reason) bool { return r.Filter == filter && slices.Equal(r.Reasons, c.Reasons) })
		switch {
		case known >= 0:
			out[known].Nodes += c.Nodes
		case len(out) < mostReasons:
			out = append(out, Reason{Filter: filter, Reasons: append([]string{}, c.Reasons...), Nodes: c.Nodes})
		}
	}
	return out
}

// replaced reports whether a leaving pod will not be recreated once it is gone: its controller has made another
// already, or it has no controller. StatefulSets and DaemonSets wait until the pod is gone.
func replaced(p *outrank.Pod) bool {
	switch p.Owner.Kind {
	case "", "ReplicaSet", "ReplicationController", "Job":
		return p.Terminating()
	}
	return false
}

// remade returns a pod as its controller recreates it, under another name. It has no node, no nomination and no
// status.
func remade(p *outrank.Pod, name string) *outrank.Pod {
	c := *p
	c.Name = name
	c.UID = ""
	c.NodeName, c.NominatedNodeName = "", ""

	c.Phase = ""
	c.Ready = false
	c.DisruptionReason = ""
	c.StartTime, c.DeletionTimestamp = time.Time{}, time.Time{}

	c.AllocatedResources, c.Actual = nil, nil
	c.Reported = false
	c.ResizeDeferred, c.ResizeInfeasible = false, false
	c.Containers = unreported(c.Containers)
	c.InitContainers = unreported(c.InitContainers)
	return &c
}

// Recreated returns a running pod as its controller recreates it once it is gone.
func Recreated(p *outrank.Pod) *outrank.Pod { return remade(p, p.Name) }

// unreported returns copies of the containers without their status.
func unreported(containers []outrank.Container) []outrank.Container {
	out := slices.Clone(containers)
	for i := range out {
		out[i].AllocatedResources, out[i].Actual = nil, nil
		out[i].Reported = false
	}
	return out
}
