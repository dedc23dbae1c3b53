package reference

import (
	"errors"

	"github.com/outrank-go/outrank/internal/release"
)

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
