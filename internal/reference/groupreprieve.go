package reference

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// preempt takes the units away, places the group, and puts back those beside which
// every pod keeps its place (rule 12.9.8).
func (w *workload) preempt(possible []*unit, d *GroupDecision) {
	empty := w.place(withoutPods(w.in.Cluster, podsOf(possible)))
	if empty.status.Code != Success {
		d.Status, d.After = empty.status, empty.refusal
		return
	}
	broken := w.base.broken(podsOf(possible))
	violating, others := split(possible, broken)
	var back, victims []*unit
	blocked := map[*unit]Refusal{}
	for _, u := range slices.Concat(violating, others) {
		with := append(slices.Clone(back), u)
		if blocked[u] = w.refused(empty.spots, possible, with); blocked[u].Pod == "" {
			back = with
		} else {
			victims = append(victims, u)
		}
	}
	w.base.sortUnits(victims)
	for _, u := range victims {
		d.addVictim(u, broken, blocked[u])
	}
	d.Status.Reasons = []string{fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(podsOf(victims)))}
	d.Nominations = empty.nodes()
	if d.Placement == nil {
		d.Placement = d.Nominations
	}
}

// refused names the first pod with a spot that fails on its node with these units
// back, the others that could leave being gone. They are asked in the order in
// which they were placed, each with those before it in their spots.
func (w *workload) refused(spots []spot, possible, back []*unit) Refusal {
	gone := slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool { return slices.Contains(back, u) })
	cluster := withoutPods(w.in.Cluster, podsOf(gone))
	for _, s := range spots {
		if status := s.asked(w.in, cluster, back); status.Code != Success {
			return Refusal{Pod: string(s.pod.Key()), Nodes: map[string]Status{s.node.Name: status}}
		}
		cluster = withPods(cluster, []*outrank.Pod{s.pod})
	}
	return Refusal{}
}

// asked is the present answer of the spot's node. The pods on the node are those of the
// cluster. Filters that count over several nodes have the counts of the time when the
// pod got its spot, and the units that are back: the pods placed behind this one are
// not in them. The nominations are those of all pods that wait, so that a pod of the
// group that had one before, and has a spot, counts twice on its node (rule 12.9.9).
func (s *spot) asked(in *GroupInput, cluster *outrank.Cluster, back []*unit) Status {
	now := newAttempt(Input{Cluster: cluster, Pod: s.attempt.pod, Now: in.Now, Setup: in.Setup})
	then := s.attempt
	now.spreadAtStart, now.interpodAtStart = then.spreadAtStart, then.interpodAtStart
	now.claimUsesAtStart, now.restrictionsSkipped = then.claimUsesAtStart, then.restrictionsSkipped
	here := now.scene(s.node)
	for _, p := range podsOf(back) {
		here.follow(p, now.nodeOf(p), +1)
	}
	return here.fitsBesideNominated()
}
