package engine

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/groups"
)

// PreemptGroup decides who has to leave so that a group of pods can run: all of
// them, or as many as the policy of the group asks for ([outrank.PodGroup].Policy)
// (group 12.9; PodGroupEvaluator.Preempt of kube-scheduler). The release has to be one in
// which groups preempt: v1.37 with the feature gate GenericWorkload (rule 12.9.1).
//
//  1. If there is a place for the group as things are, it fits.
//  2. The group has to be eligible: its preemption policy is not Never, and no
//     possible victim leaves, because of a preemption, a node that a pod of the
//     group is nominated to.
//  3. Every possible victim in the whole cluster is removed: pods, or groups that leave whole, of
//     lower priority that the configuration lets be evicted. If there is still no
//     place, nothing helps.
//  4. The budgets are charged in order of importance: the higher priority, a
//     group before a single pod, the one with more pods, the earlier start, the name.
//  5. The units are put back, the most important first: those that violate a
//     budget, then all others. The placement of step 3 stays, and a unit with which one
//     of the placed pods does not pass on its node any more is a victim (rules 12.9.8
//     and 12.9.9).
//
// The victims are not the fewest that there could be: with another placement others might
// stay. The fields of [preemption.GroupPlan] say what was found.
//
// Eligibility.Take is asked about each pod of a unit and each pod of the group. Step 3 removes a unit only if
// it lets the group take every pod of it. The unit is of lower priority or, with AnyPriority, of any, and has
// no pod of the group itself. A Guard is asked about the
// least important units first, and step 3 removes those that it lets go. In step 5 it has to allow that the
// others stay away, and units that it alone kept away are tried again until that puts back none (group 13.6).
//
// Of the configuration, Filters, Profile, Eligibility, Guard and Importance count. Importance compares
// two units by the most important pod of each. Sample, Extenders, Ranks and
// [Evaluator.Parallel] have no effect: there is one candidate, the cluster. A configuration by which no
// group can be decided is refused, as the comment of [preemption.Config] lists.
//
// It differs from the reference in this:
//
//   - The order within a unit and among equal units is by name; in the reference it is
//     that of maps and caches.
//   - The group waits for victims of an earlier preemption only among those that
//     it could evict itself (rule 12.9.7).
//   - The pods are placed in the order of the request (rule 12.9.5), and the groups of a
//     tree in that of their names (rule 12.9.4).
//   - Nominations of the pods from an earlier attempt take all the room that the pods ask for:
//     a caller who follows a live queue, which has handed the pods out, sets them aside as
//     execution.Nominator.SetAside does, once the group need not wait (rules 12.9.5 and 12.9.7).
//   - Of a topology spread the least count of all domains is exact (rule 12.9.9).
//
// The snapshot is only read, and any number of calls may run on it at once. The
// pods need not be in it. Errors: the context's, which is looked at between placements and
// during each; those of the placing function and of filters; [outrank.ErrInvalid] for an
// impossible answer of the placing function; an *[outrank.InputError] for a group whose topology
// counts, unless the request has a placing function (rule 12.9.14); [outrank.ErrInvalid] where the
// release has no groups that preempt, or has them behind a gate that is off; and those about the
// pods, all at once: an *[outrank.InputError] that names each, [preemption.ErrState] for pods that
// run already, and for a pod whose name another pod with another UID has.
//
// Time is that of sorting the possible victims, of placing the group at most twice, or once
// more if nothing helps because of a guard, of what the guard takes, and of
// asking the node of each member that a unit has to do with. A unit has to do with a member if it has a pod on
// the member's node, or one that the member's affinity and spread rules count. Units that concern a
// [preemption.Filter] with a Start have to do with every member; with claims that allow a single pod, all
// units do.
func (e *Evaluator) PreemptGroup(ctx context.Context, cluster *Snapshot, req preemption.GroupRequest) (*preemption.GroupPlan, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}
	return groups.Preempt(ctx, &e.terms, snap, &req)
}
