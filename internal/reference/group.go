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
	// Pods are the preemptor. They have one group and preemption policy in common,
	// and one priority where the group has none.
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
	// Violates is set where losing the unit breaks a budget, and Violations has how
	// many of its pods do; it is 1 at most in v1.36.
	Violates   bool
	Violations int
	// Blocked is why the group had no place with the unit back.
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
	// ClearedNominations are keys, sorted.
	ClearedNominations []string

	// What follows is of groups from v1.37 on. Err says why the pods cannot preempt
	// together; nothing else is decided then.
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

// DecideGroup decides for a group (chapter 12):
//
//  1. place the group as things are;
//  2. ask whether it may preempt;
//  3. take all possible victims away and place it again;
//  4. put them back one by one, budget breakers first, each if the group still
//     has a place.
//
// From v1.37 on, with groups switched on, the group is placed once, and no pod that has
// its place is moved (group 12.9); with groups switched off there is none.
func DecideGroup(in GroupInput) GroupDecision {
	switch rules := release.Of(release.Release(in.Cluster.Release)); {
	case rules.GroupsPlacedOnce:
		return decideWorkload(in)
	case rules.GroupsNeedGate:
		return GroupDecision{Err: errors.New("groups are switched off")}
	}
	g := newGroup(in)
	d := GroupDecision{}
	d.Placement, d.Before = g.place(g.cluster)
	possible := g.possibleUnits()
	d.Possible = len(possible)
	d.EligibleMessage = g.objection(possible)
	d.Eligible = d.EligibleMessage == ""
	if d.Placement != nil || !d.Eligible || len(possible) == 0 {
		return d
	}
	left := g.cluster
	for _, u := range possible {
		left = withoutPods(left, u.Pods)
	}
	if d.Placement, d.After = g.place(left); d.Placement == nil {
		return d
	}
	g.splitUnits(possible)
	var victims []*GroupUnit
	for _, violating := range []bool{true, false} {
		for _, u := range possible {
			if u.Violates != violating {
				continue
			}
			back := withPods(left, u.Pods)
			placement, blocked := g.place(back)
			if placement != nil {
				left, d.Placement = back, placement
				continue
			}
			u.Blocked = blocked
			victims = append(victims, u)
		}
	}
	for _, u := range possible {
		if slices.Contains(victims, u) {
			d.Victims = append(d.Victims, *u)
			d.Violations += u.Violations
		}
	}
	d.ClearedNominations = g.clearedNominations(d.Placement)
	return d
}

// group is the preemptor, and the cluster without it.
type group struct {
	in      GroupInput
	pods    []*outrank.Pod // most important first
	cluster *outrank.Cluster
}

func newGroup(in GroupInput) *group {
	g := &group{in: in, pods: slices.Clone(in.Pods), cluster: withoutPods(in.Cluster, nil)}
	(&attempt{now: in.Now}).sortByImportance(g.pods)
	g.cluster.Pods = slices.DeleteFunc(g.cluster.Pods, func(p *outrank.Pod) bool { return g.has(p) })
	return g
}

// has: the pod is one of the group, known by name.
func (g *group) has(p *outrank.Pod) bool {
	return slices.ContainsFunc(g.pods, func(q *outrank.Pod) bool { return q.Key() == p.Key() })
}

// priority is the group's own, or else that of its pods (rule 12.1.3).
func (g *group) priority() int32 {
	if known := g.groupOf(g.pods[0]); known != nil && known.Priority != nil {
		return *known.Priority
	}
	return g.pods[0].PriorityValue()
}

// place puts the pods one by one on the first node that takes them. It returns
// their nodes, or nil and the refusal.
func (g *group) place(c *outrank.Cluster) (map[string]string, Refusal) {
	placement, first := map[string]string{}, Refusal{}
	for _, p := range g.pods {
		node, refusal := g.firstNode(c, p)
		if node == "" {
			if first.Pod == "" {
				first = refusal
			}
			continue
		}
		placement[string(p.Key())] = node
		bound := *p
		bound.NodeName = node
		c = withPods(c, []*outrank.Pod{&bound})
	}
	if !g.enough(len(placement)) {
		return nil, first
	}
	return placement, Refusal{}
}

// enough: so many of the pods may run without the others (rule 12.1.2).
func (g *group) enough(placed int) bool {
	known := g.groupOf(g.pods[0])
	switch {
	case placed == len(g.pods):
		return true
	case known == nil || known.Policy == "" || placed == 0:
		return false
	case known.Policy == outrank.BasicPolicy:
		return true
	}
	for _, p := range g.cluster.Pods {
		if g.runs(p) && p.GroupKey() == known.Key() {
			placed++
		}
	}
	return placed >= int(known.MinCount)
}

func (g *group) firstNode(c *outrank.Cluster, p *outrank.Pod) (string, Refusal) {
	a := newAttempt(Input{Cluster: c, Pod: p, Now: g.in.Now, Setup: g.in.Setup})
	said := map[string]Status{}
	for _, n := range c.Nodes {
		status := a.status(n)
		if status.Code == Success {
			return n.Name, Refusal{}
		}
		said[n.Name] = status
	}
	return "", Refusal{Pod: string(p.Key()), Nodes: said}
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

// clearedNominations names the pods of lower priority nominated to the nodes
// that are used (rule 14.3.3).
func (g *group) clearedNominations(placement map[string]string) []string {
	var keys []string
	asked := &attempt{rules: release.Of(release.Release(g.cluster.Release)), setup: &g.in.Setup}
	for _, p := range g.cluster.Pods {
		waits := p.NodeName == "" && !p.Finished() && p.PriorityValue() < g.priority() && asked.heeds(p)
		for _, node := range placement {
			if waits && p.NominatedNode == node && !slices.Contains(keys, string(p.Key())) {
				keys = append(keys, string(p.Key()))
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// objection says why the group may not preempt; empty if it may (rules 12.1.4
// and 12.1.5).
func (g *group) objection(possible []*GroupUnit) string {
	if g.pods[0].PreemptionPolicy == outrank.PreemptNever {
		return "not eligible due to preemptionPolicy=Never."
	}
	for _, p := range g.pods {
		node := (&attempt{cluster: g.in.Cluster, pod: p}).nomination()
		for _, u := range possible {
			for _, v := range u.Pods {
				if node != "" && v.NodeName == node && leavesByPreemption(v) {
					return "not eligible due to a terminating pod on the nominated node."
				}
			}
		}
	}
	return ""
}
