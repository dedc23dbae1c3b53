package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Decide decides for one pod:
//
//  1. run the filters on every node (chapter 7);
//  2. ask whether the pod may preempt (chapter 8);
//  3. on every Unschedulable node, find the victims (chapter 9, group 10.1);
//  4. choose among the nodes that have some (chapter 11);
//  5. name the nominations that the choice withdraws (rule 14.3.3).
func Decide(in Input) Decision {
	a := newAttempt(in)
	a.alone = !in.Variant.NominatedInTurn
	d := Decision{Filter: map[string]Status{}, NonCandidates: map[string]Status{}}
	for _, n := range in.Cluster.Nodes {
		status := a.status(n)
		d.Filter[n.Name] = status
		if status.Code == Success {
			d.Feasible = append(d.Feasible, n.Name)
		}
	}
	d.EligibleMessage = a.objection(d.Filter)
	d.Eligible = d.EligibleMessage == ""
	var tried []*outrank.Node
	for _, n := range in.Cluster.Nodes {
		if d.Filter[n.Name].Code == Unschedulable {
			tried = append(tried, n)
		}
	}
	a.selectVictimsOn(tried, &d)
	d.Best = best(d.Candidates, in)
	d.ClearedNominations = a.clearedNominations(d.Best, d.Candidates)
	return d
}

// clearedNominations names the pods nominated to the chosen node that are less
// important than the preemptor (rule 14.3.3); none where every victim is being
// deleted already, because then nothing is done (rule 14.2.6).
func (a *attempt) clearedNominations(node string, candidates []Candidate) []string {
	asynchronous := release.Release(a.cluster.Release).Asynchronous() && !a.variant.ClearAlways
	for _, c := range candidates {
		stays := func(p *outrank.Pod) bool { return !p.Terminating() }
		if c.Node == node && asynchronous && !slices.ContainsFunc(c.Victims, stays) {
			return nil
		}
	}
	var keys []string
	for _, p := range a.nominated[node] {
		if p.PriorityValue() < a.pod.PriorityValue() {
			keys = append(keys, string(p.Key()))
		}
	}
	slices.Sort(keys)
	return keys
}

// status is how the preemptor fits on the node as things are.
func (a *attempt) status(n *outrank.Node) Status {
	if a.variant.Statuses != nil {
		if status, ok := a.variant.Statuses[n.Name]; ok {
			return status
		}
		if a.variant.TryUnasked {
			return Status{Code: Unschedulable, Reasons: neverFiltered.Reasons}
		}
		return neverFiltered
	}
	if status := a.refusal(); status.Code != Success {
		return status
	}
	if status := a.nodeNamesAllow(n); status.Code != Success && n.Name != a.askedFirst() {
		return a.withAskedFirst(status)
	}
	return a.scene(n).fitsBesideNominated()
}
