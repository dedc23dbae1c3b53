package execution

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// ExecuteGroup does what the plan for a group says (group 14.6). The group comes from the entry that was popped
// from the queue. The steps are the same as in [Executor.Execute], with these differences:
//
//  1. The latest versions of the pods that are to be nominated are fetched. If all of
//     them are gone, being deleted or bound, nothing is done.
//  2. All pods of all victims are evicted, unit by unit. The events and the condition name
//     the group, and the node "cluster".
//  3. No nominations are cleared.
//  4. Each pod that still waits is nominated to its own node.
//
// Until the call returns the pods of the group are kept out of the queue: see [Executor.Preempting]. The
// UID identifies the group. The first pod that waits stands for the group in Eviction.Preemptor, and
// in Actions.Activate: a queue activates the group together with the pod. A plan without victims is carried
// out as well.
//
// An error that wraps [outrank.ErrInvalid] is about a group that is missing or is not the group of the plan, a
// plan without a pod, or a release in which no group preempts. All other errors are as in Execute.
func (e *Executor) ExecuteGroup(ctx context.Context, group *queue.Group, plan *preemption.GroupPlan) (*Report, error) {
	if e == nil {
		return nil, errNoExecutor
	}
	if err := e.canExecute(ctx); err != nil {
		return &Report{Result: Interrupted}, err
	}
	if err := checkGroupPlan(group, plan); err != nil {
		return &Report{Result: Interrupted}, err
	}

	x := e.newGroupExecution(group, plan)
	if !e.begin(x, leavesOf(group, plan)) {
		return x.report, fmt.Errorf("%s %s: %w: it is preempting already", x.report.preemptorType(), group.Key(), preemption.ErrState)
	}
	err := x.run(ctx)
	return x.report, err
}

// checkGroupPlan returns an error that says what is wrong with a plan for a group, nil if nothing is.
func checkGroupPlan(group *queue.Group, plan *preemption.GroupPlan) error {
	switch {
	case plan == nil || plan.Outcome != preemption.Preempts:
		return fmt.Errorf("plan: %w: there is nothing to execute", preemption.ErrState)
	case !plan.Release.Known():
		return fmt.Errorf("plan for a group: %w: Release: %v is not known", outrank.ErrInvalid, plan.Release)
	case !release.Release(plan.Release).HasGroups():
		return fmt.Errorf("plan for a group: %w: by the rules of %v no group preempts", outrank.ErrInvalid, plan.Release)
	case group == nil || group.PodGroup == nil && group.Composite == nil:
		return fmt.Errorf("plan: %w: no group", outrank.ErrInvalid)
	case plan.Group != group.Key():
		return fmt.Errorf("plan for group %s: %w: the group is %s", plan.Group, outrank.ErrInvalid, group.Key())
	case len(nominationsOf(plan)) == 0:
		return fmt.Errorf("plan for group %s: %w: no pod has a place", plan.Group, outrank.ErrInvalid)
	}

	for i, at := range nominationsOf(plan) {
		if at.Pod == nil {
			return fmt.Errorf("plan for group %s: %w: pod %d is missing", plan.Group, outrank.ErrInvalid, i)
		}
	}
	for i := range plan.Victims {
		if plan.Victims[i].Pod == nil {
			return fmt.Errorf("plan for group %s: %w: the pod of victim %d is missing", plan.Group, outrank.ErrInvalid, i)
		}
	}
	return nil
}

// groupCandidate is the name of the only candidate for a group. It takes the place of a node's name in events
// (rule 12.9.12).
const groupCandidate = "cluster"

// nominationsOf returns the pods that a plan nominates, with their nodes. They are the plan's placement,
// unless it has other nominations.
func nominationsOf(plan *preemption.GroupPlan) []preemption.Assignment {
	if plan.Nominations != nil {
		return plan.Nominations
	}
	return plan.Placement
}

// newGroupExecution is newExecution for a group. For the steps it makes a plan of the group's first pod on the
// node "cluster", with all pods of all victims.
func (e *Executor) newGroupExecution(group *queue.Group, plan *preemption.GroupPlan) *execution {
	single := &preemption.Plan{
		Outcome: plan.Outcome, Release: plan.Release, Now: plan.Now, Pod: nominationsOf(plan)[0].Pod,
		Candidate: preemption.Candidate{Node: groupCandidate},
	}
	for i := range plan.Victims {
		single.Victims = append(single.Victims, preemption.Victim{Pod: plan.Victims[i].Pod})
	}

	x := newExecution(e, single)
	x.decision = plan
	x.key = underwayAs(group)
	x.group = &groupPreemptor{nominations: nominationsOf(plan)}
	x.report.group = group
	return x
}

// underwayAs returns the key of a group in Executor.underway: its kind and its UID (rule
// 14.6.4). No pod has such a key, because the key of a pod has no blank in it.
func underwayAs(g *queue.Group) outrank.Key {
	kind := byPodGroup
	if g.Composite != nil {
		kind = byCompositeGroup
	}
	return outrank.Key(kind + " " + identityOfGroup(g))
}

// leavesOf returns the keys of the pod groups that members of the preemptor name, without duplicates.
func leavesOf(group *queue.Group, plan *preemption.GroupPlan) []outrank.Key {
	var keys []outrank.Key
	if group.Composite == nil {
		keys = append(keys, group.Key())
	}
	for i := range group.Members {
		if pod := group.Members[i].Pod; pod != nil {
			keys = append(keys, pod.GroupKey())
		}
	}
	for _, at := range nominationsOf(plan) {
		keys = append(keys, at.Pod.GroupKey())
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key outrank.Key) bool { return key == "" })
}
