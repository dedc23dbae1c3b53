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
	// PriorityClass is empty where the priority does not come from a class.
	PriorityClass string `json:"priorityClass,omitempty"`
	// Owner is Kind/Name of the pod's controller.
	Owner string `json:"owner,omitempty"`
	// Node is the pod's node.
	Node string `json:"node,omitempty"`
}

func podOf(p *outrank.Pod, node string) Pod {
	return Pod{Key: p.Key(), Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, Owner: p.Owner.String(), Node: node}
}

// Victim is a pod that has to leave.
type Victim struct {
	Pod
	// Terminating is set where it is leaving already, whoever asked it to.
	Terminating bool `json:"terminating,omitempty"`
	// Violated are the budgets that losing the pod breaks, the first ten of them;
	// MoreViolated counts the others.
	Violated     []outrank.Key `json:"violated"`
	MoreViolated int           `json:"moreViolated,omitempty"`
}

func victimsOf(plan *preemption.Plan) []Victim {
	out := make([]Victim, len(plan.Victims))
	for i := range plan.Victims {
		v := &plan.Victims[i]
		out[i] = victimOf(v.Pod, cmp.Or(v.Node, plan.Node), v.Violated)
	}
	return out
}

// mostBudgets is the most budgets that are named with one pod.
const mostBudgets = 10

func victimOf(p *outrank.Pod, node string, violated []*outrank.PodDisruptionBudget) Victim {
	told := violated[:min(len(violated), mostBudgets)]
	v := Victim{Pod: podOf(p, node), Terminating: p.Terminating(), Violated: make([]outrank.Key, len(told)), MoreViolated: len(violated) - len(told)}
	for i, b := range told {
		v.Violated[i] = b.Key()
	}
	return v
}

// fresh counts the victims that did not leave before.
func fresh(victims []Victim) (n int) {
	for i := range victims {
		if !victims[i].Terminating {
			n++
		}
	}
	return n
}

// violating counts the victims that break a budget.
func violating(victims []Victim) (n int) {
	for i := range victims {
		if !victims[i].Terminating && len(victims[i].Violated) > 0 {
			n++
		}
	}
	return n
}

// Reason is why a number of nodes do not take a pod.
type Reason struct {
	// Filter is the rule that failed, empty where no rule was asked.
	Filter  string   `json:"filter,omitempty"`
	Reasons []string `json:"reasons"`
	Nodes   int      `json:"nodes"`
}

// mostReasons is the most reasons of one pod.
const mostReasons = 5

// reasonsOf joins reasons with the same text.
func reasonsOf(counts []preemption.Count) []Reason {
	out := make([]Reason, 0, min(len(counts), mostReasons))
	for i := range counts {
		c := &counts[i]
		filter := cmp.Or(c.Filter, c.ExcludedBy)
		at := slices.IndexFunc(out, func(r Reason) bool { return r.Filter == filter && slices.Equal(r.Reasons, c.Reasons) })
		switch {
		case at >= 0:
			out[at].Nodes += c.Nodes
		case len(out) < mostReasons:
			out = append(out, Reason{Filter: filter, Reasons: append([]string{}, c.Reasons...), Nodes: c.Nodes})
		}
	}
	return out
}

// replaced reports whether a pod that is leaving has been replaced by its
// controller, or has none: any pod in its place then is another one. A
// StatefulSet and a DaemonSet wait until it is gone.
func replaced(p *outrank.Pod) bool {
	switch p.Owner.Kind {
	case "", "ReplicaSet", "ReplicationController", "Job":
		return p.Terminating()
	}
	return false
}

// remade is a pod as its controller recreates it, without a trace of its node.
func remade(p *outrank.Pod, name string) *outrank.Pod {
	c := *p
	c.Name, c.UID, c.NodeName, c.NominatedNodeName = name, "", "", ""
	c.Phase, c.DisruptionReason, c.Ready = "", "", false
	c.StartTime, c.DeletionTimestamp = time.Time{}, time.Time{}
	c.AllocatedResources, c.Actual, c.Reported, c.ResizeDeferred, c.ResizeInfeasible = nil, nil, false, false, false
	c.Containers, c.InitContainers = unreported(c.Containers), unreported(c.InitContainers)
	return &c
}

// Recreated is a running pod as its controller recreates it once it is gone.
func Recreated(p *outrank.Pod) *outrank.Pod { return remade(p, p.Name) }

// unreported are containers without a status.
func unreported(containers []outrank.Container) []outrank.Container {
	out := slices.Clone(containers)
	for i := range out {
		out[i].AllocatedResources, out[i].Actual, out[i].Reported = nil, nil, false
	}
	return out
}
