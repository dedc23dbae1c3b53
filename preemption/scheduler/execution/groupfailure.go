package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// groupFailure is the failure of a group, with its plan.
type groupFailure struct {
	*Failure
	Plan *preemption.GroupPlan
	// Err is what went wrong before there was a plan, and broken is the error of executing it.
	Err, broken error
}

// ofGroup returns the failure of a group; the error is what is wrong with it.
func (f *Failure) ofGroup() (*groupFailure, error) {
	plan, ok := f.Plan.(*preemption.GroupPlan)
	if f.Plan != nil && !ok {
		return nil, fmt.Errorf("failure: %w: the plan of a pod, and the entry of a group", outrank.ErrInvalid)
	}
	g := &groupFailure{Failure: f, Plan: plan}
	if plan == nil {
		g.Err = f.Err
	} else {
		g.broken = f.Err
	}
	return g, g.check(f.Entry.Group)
}

// Conditions of groups, and their reasons (rule 15.5.3).
const (
	podGroupScheduled  outrank.PodConditionType = "PodGroupInitiallyScheduled"
	compositeScheduled outrank.PodConditionType = "CompositePodGroupInitiallyScheduled"
)

// groupStatus is a condition to set on a group of this key.
type groupStatus struct {
	key       outrank.Key
	condition outrank.PodCondition
}

// gangFilter stands for the policy of the group among the filters that a pod failed with.
const gangFilter = "GangScheduling"

func (f *groupFailure) check(g *queue.Group) error {
	switch {
	case g.PodGroup == nil && g.Composite == nil:
		return fmt.Errorf("failure: %w: no group", outrank.ErrInvalid)
	case (f.Plan != nil) == (f.Err != nil):
		return fmt.Errorf("failure of group %s: %w: one of Plan and Err has to be given", g.Key(), outrank.ErrInvalid)
	case f.broken != nil && f.Plan.Outcome != preemption.Preempts:
		return fmt.Errorf("failure of group %s: %w: an error beside a plan that is not to preempt", g.Key(), outrank.ErrInvalid)
	case f.Ways != nil || f.Refused != nil || f.Pending || f.Node != "":
		return fmt.Errorf("failure of group %s: %w: Ways, Refused, Pending and Node are those of a pod", g.Key(), outrank.ErrInvalid)
	case f.Plan != nil && f.Plan.Outcome == preemption.Fits:
		return fmt.Errorf("failure of group %s: %w: the plan says that it fits", g.Key(), preemption.ErrState)
	}
	for i := range g.Members {
		if g.Members[i].Pod == nil {
			return fmt.Errorf("failure of group %s: %w: member %d has no pod", g.Key(), outrank.ErrInvalid, i)
		}
	}
	return nil
}

// verdict returns the verdict about a failure that was checked.
func (f *groupFailure) verdict() Verdict {
	v := Verdict{Err: f.Err, Condition: f.condition()}
	if f.Err == nil {
		v.Filters = f.filters()
	}
	for i := range f.Entry.Group.Members {
		v.Members = append(v.Members, f.memberVerdict(f.Entry.Group.Members[i].Pod, &v))
	}
	return v
}

// memberVerdict returns the verdict about a member (rules 15.5.1 and 15.5.2).
func (f *groupFailure) memberVerdict(pod *outrank.Pod, ofGroup *Verdict) Verdict {
	v := Verdict{Err: f.Err, Filters: slices.Clone(ofGroup.Filters), Nomination: f.nominationOf(pod), Condition: ofGroup.Condition, Pod: pod}
	v.Condition.Type = outrank.PodScheduled
	v.Event = outrank.Event{
		Type: outrank.EventWarning, Reason: reasonFailedScheduling, Action: actionScheduling,
		Pod: pod, Message: cutMessage(v.Condition.Message),
	}
	return v
}

// filters are those that kept a pod off the nodes, and else what stands for the policy of
// the group.
func (f *groupFailure) filters() []string {
	var names []string
	if r := f.Plan.TurnedDown; r != nil {
		for i := range r.Nodes {
			if s := &r.Nodes[i].Status; s.Filter != "" {
				names = append(names, s.Filter)
			}
		}
	}
	if len(names) == 0 {
		return []string{gangFilter}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (f *groupFailure) nominationOf(pod *outrank.Pod) Nomination {
	switch {
	case f.Err != nil:
		return Nomination{Override: true}
	case f.broken != nil:
		return Nomination{}
	}
	for _, at := range f.Plan.Nominations {
		switch {
		case at.Pod == nil || !samePod(at.Pod, pod):
		case at.Node == "":
			return Nomination{Override: true}
		default:
			return Nomination{Override: true, Node: at.Node}
		}
	}
	if f.Plan.Outcome == preemption.NothingHelps {
		return Nomination{Override: true}
	}
	return Nomination{}
}

// condition says of the group what became of it.
func (f *groupFailure) condition() outrank.PodCondition {
	c := outrank.PodCondition{Type: podGroupScheduled, Status: outrank.ConditionFalse, Reason: reasonUnschedulable, Message: f.message()}
	if f.Entry.Group.Composite != nil && f.Entry.Group.PodGroup == nil {
		c.Type = compositeScheduled
	}
	if f.Err != nil {
		c.Reason = reasonSchedulerError
	}
	return c
}

// message is why there was no place, and what preemption says (rule 15.5.4).
func (f *groupFailure) message() string {
	if f.Err != nil {
		return f.Err.Error()
	}
	var texts []string
	if r := f.Plan.TurnedDown; r != nil && r.Reason != "" {
		texts = append(texts, r.Reason)
	} else if r != nil {
		texts = append(texts, noPlace(r))
	}
	if f.broken != nil {
		texts = append(texts, groupMessage+f.broken.Error())
	} else {
		texts = append(texts, f.Plan.Status.Reasons...)
	}
	return strings.Join(texts, ", ")
}

// noPlace says why there is no place where the policy of the group does not.
func noPlace(r *preemption.Refusal) string {
	pod, guard := "", ""
	if r.Pod != nil {
		pod = string(r.Pod.Key())
	}
	if r.Guard.Code != preemption.Success {
		guard = r.Guard.String()
	}
	return prose.NoPlace(pod, r.Nodes, r.Reason, guard)
}

// groupMessage begins what preemption says of a group.
const groupMessage = "pod group preemption: "

// statusesOf are the conditions to set: of the root first, then of the groups of members.
// A root that is known to have been scheduled before keeps its own.
func statusesOf(g *queue.Group, condition outrank.PodCondition) []groupStatus {
	var out []groupStatus
	if g.PodGroup != nil {
		if !g.PodGroup.Scheduled {
			out = append(out, groupStatus{g.Key(), condition})
		}
		return out
	}
	if !g.Composite.Scheduled {
		out = append(out, groupStatus{g.Key(), condition})
	}
	var leaves []outrank.Key
	for i := range g.Members {
		leaves = append(leaves, g.Members[i].Pod.GroupKey())
	}
	slices.Sort(leaves)
	condition.Type = podGroupScheduled
	for _, key := range slices.Compact(leaves) {
		out = append(out, groupStatus{key, condition})
	}
	return out
}
