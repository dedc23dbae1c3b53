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
//  1. If there is a place for the group without preemption, it fits.
//  2. The group has to be eligible: its preemption policy is not Never, and no possible victim is being
//     deleted because of a preemption on a node that a pod of the group is nominated to.
//  3. Every possible victim in the whole cluster is removed: pods, or groups that leave whole, that have a
//     lower priority and that the configuration allows to be evicted. If there is still no place, nothing
//     helps.
//  4. The budgets are charged in order of importance: the higher priority first, then a group before a single
//     pod, the unit with more pods, the earlier start, the name.
//  5. The units are put back, the most important first: those that violate a budget, then all others. The
//     placement of step 3 stays. A unit is a victim if, with it back, one of the placed pods fails the
//     filters on its node (rules 12.9.8 and 12.9.9).
//
// The victims need not be the fewest possible, because with another placement other units might stay. The
// fields of [preemption.GroupPlan] describe the result.
//
// Eligibility.Take is asked about each pod of a unit and each pod of the group. Step 3 removes a unit only if
// Take lets every pod of the group take every pod of the unit. The unit has a lower priority or, with
// AnyPriority, any, and no pod of the group itself. A Guard is asked about the least important units first,
// and step 3 removes those that it lets go. In step 5 a unit returns only if the Guard allows the remaining
// ones to be gone without it. Units that only the Guard kept from returning are tried again until none can
// return (group 13.6).
//
// The fields Filters, Profile, Eligibility, Guard and Importance of the configuration are used. Importance
// compares two units by the most important pod of each. Sample, Extenders, Ranks and [Evaluator.Parallel]
// have no effect, because there is one candidate, the cluster. Settings that cannot be followed for a group
// are refused; the comment of [preemption.Config] lists them.
//
// It differs from the reference in these points:
//
//   - The order within a unit and among equal units is by name; in the reference it depends on maps and
//     caches.
//   - The group waits for victims of an earlier preemption only among those that
//     it could evict itself (rule 12.9.7).
//   - The pods are placed in the order of the request (rule 12.9.5), and the groups of a
//     tree in that of their names (rule 12.9.4).
//   - Nominations of the pods from an earlier attempt take all the room that the pods ask for. In a live
//     queue, which has handed the pods out, they are set aside once the group need not wait; a caller that
//     follows one does that with execution.Nominator.SetAside (rules 12.9.5 and 12.9.7).
//   - The least count of all domains in a topology spread is exact (rule 12.9.9).
//
// The snapshot is only read, and any number of calls may run on it at once. The pods need not be in it.
// Errors: the context's, which is checked between placements and during each; errors of the placing function
// and of filters; [outrank.ErrInvalid] for an impossible answer of the placing function; an
// *[outrank.InputError] for a group whose topology counts, unless the request has a placing function (rule
// 12.9.14); [outrank.ErrInvalid] if groups do not preempt in the release, or only with a gate that is off;
// and errors about the pods, all at once: an *[outrank.InputError] that names each, and [preemption.ErrState]
// for pods that run already, and for a pod whose name another pod with another UID has.
//
// Time is that of sorting the possible victims, of placing the group at most twice, or three times if nothing
// helps because of a guard, of the guard's calls, and of asking, for each unit, the nodes of the members that
// it affects. A unit affects a member if it has a pod on the member's node, or one that the member's affinity
// and spread rules count. Units that concern a [preemption.Filter] with a Start affect every member; with
// claims that allow a single pod, all units do.
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
