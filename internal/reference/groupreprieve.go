package reference

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// objection is why a unit stays away: because of a placed pod or because of the guard.
type objection struct {
	Refusal
	guard Status
}

// preempt takes the units away that the guard lets go, places the group, and puts back
// those beside which every pod keeps its place and without which the guard lets the rest
// stay away (rules 12.9.8 and 13.6.8 to 13.6.10).
func (w *workload) preempt(possible []*unit, d *GroupDecision) {
	all := possible
	possible, refusal := w.letGo(all)
	empty := w.place(withoutPods(w.in.Cluster, podsOf(possible)))
	if empty.status.Code != Success {
		d.Status, d.After = empty.status, empty.refusal
		if len(possible) == len(all) {
			return
		}
		if bare := w.place(withoutPods(w.in.Cluster, podsOf(all))); bare.status.Code != Success {
			d.Status, d.After = bare.status, bare.refusal
		} else {
			d.Kept, d.Status = refusal, unschedulableBy("", refusal.Plugin+": "+refusal.Reasons[0])
		}
		return
	}
	broken := w.base.broken(podsOf(possible))
	victims, why := w.putBack(empty.spots, possible, broken)
	for _, u := range victims {
		d.addVictim(u, broken, why[u])
	}
	d.Status.Reasons = []string{fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(podsOf(victims)))}
	d.Nominations = empty.nodes()
	if d.Placement == nil {
		d.Placement = d.Nominations
	}
}

// letGo lists the units that the guard lets go, asked about one after the other, the least
// important first, and about those that it kept again, until a turn changes nothing. The
// status is what it said in the last turn of the first that it kept (rule 13.6.8).
func (w *workload) letGo(possible []*unit) (gone []*unit, refusal Status) {
	for {
		before := len(gone)
		refusal = Status{}
		for _, u := range slices.Backward(possible) {
			if slices.Contains(gone, u) {
				continue
			}
			if status := w.base.guards(append(slices.Clone(gone), u)); status.Code == Success {
				gone = append(gone, u)
			} else if refusal.Code == Success {
				refusal = status
			}
		}
		if len(gone) == before {
			break
		}
	}
	w.base.sortUnits(gone)
	return gone, refusal
}

// putBack returns the units that stay away, by importance, and why. Those that only the guard
// keeps away are tried again, until a turn changes nothing (rule 13.6.9).
func (w *workload) putBack(spots []spot, possible []*unit, broken map[*outrank.Pod]int) ([]*unit, map[*unit]objection) {
	violating, others := split(possible, broken)
	why := map[*unit]objection{}
	back := []*unit{}
	try := func(u *unit) {
		with := append(slices.Clone(back), u)
		away := slices.DeleteFunc(slices.Clone(possible), func(v *unit) bool { return slices.Contains(with, v) })
		if why[u] = (objection{Refusal: w.refused(spots, possible, with)}); why[u].Pod == "" {
			if why[u] = (objection{guard: w.base.guards(away)}); why[u].guard.Code == Success {
				back = with
			}
		}
	}
	for _, u := range slices.Concat(violating, others) {
		try(u)
	}
	for before := -1; len(back) != before; {
		before = len(back)
		for _, u := range possible {
			if !slices.Contains(back, u) && why[u].guard.Code != Success {
				try(u)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool { return slices.Contains(back, u) }), why
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
