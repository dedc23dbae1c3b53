package execution

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority/queue"
)

// PreemptorType says what preempts, in the words of the reference.
type PreemptorType string

// The types.
const (
	ByPod            PreemptorType = "pod"
	ByPodGroup       PreemptorType = "podgroup"
	ByCompositeGroup PreemptorType = "compositepodgroup"
)

// What the reference says of a pod that is kept out of the queue by [Executor.Gate].
const (
	WaitingForPodPreemption   = "waiting for the preemption for this pod to be finished"
	WaitingForGroupPreemption = "waiting for the preemption for this pod group to be finished"
)

// groupPreemptor is a group whose plan is carried out.
type groupPreemptor struct {
	nominations []preemption.Assignment
	// members are those that still wait, in the order of the nominations.
	members []*MemberReport
}

// MemberReport is what was done about a pod of a group that is to be nominated.
type MemberReport struct {
	// Pod is the pod as it was fetched, or that of the plan. Node is what it is
	// nominated to.
	Pod  *outrank.Pod
	Node string
	// Result is Completed once the pod is nominated, and PreemptorGone or
	// PreemptorBound for one that needs no room any more.
	Result Result
}

// ExecuteGroup does what the plan for a group says (group 14.6). The group is that of
// the entry that was popped from the queue. The steps are those of [Executor.Execute],
// with these differences:
//
//  1. The latest versions of the pods that are to be nominated are fetched. Where all of
//     them are gone, being deleted or bound, nothing is done.
//  2. All pods of all victims are evicted, unit by unit. The events and the condition name
//     the group, and the node "cluster".
//  3. No nominations are cleared.
//  4. Each pod that still waits is nominated to its own node.
//
// Meanwhile the group counts as being preempted for, by its UID, and its pods are kept
// out of the queue: see [Executor.PreemptingGroup] and [Executor.Gate]. The first pod
// that waits stands for the group in Eviction.Preemptor and where the preemptor is
// activated: a queue activates the group with it. A plan without victims is carried out
// as well.
//
// An error that wraps [outrank.ErrInvalid] is about a group that is missing or is not
// that of the plan, a plan without a pod, or a release in which no group preempts. All
// others are those of Execute.
func (e *Executor) ExecuteGroup(ctx context.Context, group *queue.Group, plan *preemption.GroupPlan) (*Report, error) {
	if err := e.ready(ctx); err != nil {
		return &Report{}, err
	}
	if of := e.config.Release; !release.Release(of).HasGroups() {
		return &Report{}, fmt.Errorf("plan for a group: %w: by the rules of %v no group preempts", outrank.ErrInvalid, of)
	}
	if err := checkGroupPlan(group, plan); err != nil {
		return &Report{}, err
	}
	x := e.newGroupExecution(group, plan)
	if !e.begin(x, leavesOf(group, plan)) {
		return x.report, fmt.Errorf("%s %s: %w: it is preempting already", x.report.preemptorType(), group.Key(), preemption.ErrState)
	}
	err := x.run(ctx)
	return x.report, err
}

func checkGroupPlan(group *queue.Group, plan *preemption.GroupPlan) error {
	switch {
	case plan == nil || plan.Outcome != preemption.Preempt:
		return fmt.Errorf("plan: %w: there is nothing to execute", preemption.ErrState)
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
		if slices.Contains(plan.Victims[i].Pods, nil) {
			return fmt.Errorf("plan for group %s: %w: a pod of victim %d is missing", plan.Group, outrank.ErrInvalid, i)
		}
	}
	return nil
}

// nominationsOf is where the pods of a plan are nominated to.
func nominationsOf(plan *preemption.GroupPlan) []preemption.Assignment {
	if plan.Nominations != nil {
		return plan.Nominations
	}
	return plan.Placement
}

// newGroupExecution prepares the report. The victims are those of a plan for a pod.
func (e *Executor) newGroupExecution(group *queue.Group, plan *preemption.GroupPlan) *execution {
	single := &preemption.Plan{
		Outcome: plan.Outcome, Pod: nominationsOf(plan)[0].Pod, Grace: plan.Grace,
		Candidate: preemption.Candidate{Node: preemption.GroupCandidate},
	}
	for _, p := range plan.VictimPods() {
		single.Victims = append(single.Victims, preemption.Victim{Pod: p})
	}
	x := newExecution(e, single)
	x.key, x.group, x.report.Group = underwayAs(group), &groupPreemptor{nominations: nominationsOf(plan)}, group
	return x
}

// underwayAs is what a group is under way as: its UID, and no key of a pod (rule 14.6.4).
func underwayAs(g *queue.Group) outrank.Key {
	if g.Composite != nil {
		return outrank.Key(string(ByCompositeGroup) + " " + uidOr(g.Composite.UID, g.Key()))
	}
	return outrank.Key(string(ByPodGroup) + " " + uidOr(g.PodGroup.UID, g.Key()))
}

func uidOr(uid string, key outrank.Key) string { return cmp.Or(uid, string(key)) }

// leavesOf lists the groups that pods of the preemptor name.
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

// PreemptingGroup reports whether a plan of the group is being executed, as Preempting
// does for a pod. Groups are told apart by their UIDs. Constant time.
func (e *Executor) PreemptingGroup(group *queue.Group) bool {
	if group == nil || group.PodGroup == nil && group.Composite == nil {
		return false
	}
	return e.Preempting(underwayAs(group))
}

// holds reports whether a pod is kept out of the queue.
func (e *Executor) holds(pod *outrank.Pod) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.leaves[pod.GroupKey()]; pod.Group != "" && s != nil && s.waits() {
		return true
	}
	return slices.ContainsFunc(e.underway[pod.Key()], func(s *preemptorState) bool { return samePod(s.pod, pod) && s.waits() })
}

// preemptorType says what the preemptor is.
func (r *Report) preemptorType() PreemptorType {
	switch {
	case r.Group == nil:
		return ByPod
	case r.Group.Composite != nil:
		return ByCompositeGroup
	}
	return ByPodGroup
}

// victimEvent is the event about a victim (rules 14.4.1 and 14.6.2).
func (x *execution) victimEvent(v *VictimReport) outrank.Event {
	e := x.config.victimEvent(v, x.report.Preemptor, x.plan.Node)
	if g := x.report.Group; g != nil {
		uid := ""
		if g.Composite != nil {
			uid = g.Composite.UID
		} else {
			uid = g.PodGroup.UID
		}
		e.Type, e.Action, e.Related = outrank.EventNormal, ActionPreempting, nil
		e.Message = preemptedBy(x.report.preemptorType(), uidOr(uid, g.Key()), x.plan.Node)
		if v.Result == RejectedWhileWaiting {
			e.Message += inMemory
		}
	}
	return e
}

// fetchGroup gets the pods as they are now, and reports whether any of them still needs
// room.
func (x *execution) fetchGroup(ctx context.Context) (bool, error) {
	x.report.Members = make([]MemberReport, len(x.group.nominations))
	for i, at := range x.group.nominations {
		m := &x.report.Members[i]
		m.Pod, m.Node = at.Pod, at.Node
		latest, result, err := latestOf(ctx, x.config.Actions, at.Pod)
		switch {
		case err != nil:
			return false, err
		case result == Interrupted && latest.Terminating():
			m.Result = PreemptorGone
		case result != Interrupted:
			m.Result = result
		default:
			m.Pod = latest
			x.group.members = append(x.group.members, m)
		}
	}
	if len(x.group.members) == 0 {
		x.report.Result = x.report.Members[0].Result
		return false, nil
	}
	x.report.Preemptor = x.group.members[0].Pod
	return true, nil
}

// nominateGroup nominates the pods that still wait, each first in the Nominator. It
// reports whether any of them is there to be nominated.
func (x *execution) nominateGroup(ctx context.Context) (bool, error) {
	memory := x.config.Nominator
	if memory != nil {
		for _, m := range x.group.members {
			memory.Add(m.Pod, m.Node)
		}
	}
	for i, m := range x.group.members {
		err := ctx.Err()
		if err == nil {
			err = x.config.Retry.do(ctx, func() error { return x.config.Actions.Nominate(ctx, m.Pod, m.Node) })
		}
		switch {
		case err == nil:
			m.Result, x.report.Nominated = Completed, true
		case notFound(err):
			x.forgetNomination(m.Pod)
			m.Result = PreemptorGone
		default:
			for _, left := range x.group.members[i:] {
				if memory != nil {
					memory.Add(left.Pod, "")
				}
			}
			return false, x.report.failure(fmt.Errorf("nominating %s: %w", m.Pod.Key(), err))
		}
	}
	if !x.report.Nominated {
		x.report.Result = PreemptorGone
	}
	return x.report.Nominated, nil
}
