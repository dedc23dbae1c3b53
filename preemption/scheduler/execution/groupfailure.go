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
	// Err is the error before there was a plan, nil with a plan.
	Err error
	// broken is the error of executing the plan, nil without a plan.
	broken error
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

// groupStatus is a condition to set on the group with a key.
type groupStatus struct {
	key       outrank.Key
	condition outrank.PodCondition
}

// gangFilter stands for the policy of the group among the filters that a pod failed with.
const gangFilter = "GangScheduling"

// check returns what is wrong with the failure of a group.
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
	members := f.Entry.Group.Members
	for i := range members {
		v.Members = append(v.Members, f.memberVerdict(members[i].Pod, &v))
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

// filters returns the names of the filters that kept a pod of the group off nodes. If no filter did, it is
// the policy of the group that failed.
func (f *groupFailure) filters() []string {
	var names []string
	if refusal := f.Plan.TurnedDown; refusal != nil {
		for _, count := range refusal.Nodes {
			if count.Filter != "" {
				names = append(names, count.Filter)
			}
		}
	}
	if len(names) == 0 {
		return []string{gangFilter}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nominationOf returns the change of a member's nomination: that of the plan if it names the member (rule
// 15.5.2). Otherwise nominations are cleared after an error and if nothing helps, and kept if not.
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
			// It is the nomination of another member.
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

// condition returns the condition of the group, or of the root of a tree.
func (f *groupFailure) condition() outrank.PodCondition {
	group := f.Entry.Group
	c := outrank.PodCondition{Type: podGroupScheduled, Status: outrank.ConditionFalse, Reason: reasonUnschedulable, Message: f.message()}
	if group.Composite != nil && group.PodGroup == nil {
		c.Type = compositeScheduled
	}
	if f.Err != nil {
		c.Reason = reasonSchedulerError
	}
	return c
}

// message returns why there was no place, and then what preemption says (rule 15.5.4).
func (f *groupFailure) message() string {
	if f.Err != nil {
		return f.Err.Error()
	}

	var texts []string
	plan := f.Plan
	if plan.TurnedDown != nil {
		texts = append(texts, whyNoPlace(plan.TurnedDown))
	}
	if f.broken != nil {
		texts = append(texts, groupMessage+f.broken.Error())
	} else {
		texts = append(texts, plan.Status.Reasons...)
	}
	return strings.Join(texts, ", ")
}

// whyNoPlace returns why there is no place for the group: in the words of its policy, if it has any, else
// by the pod that has no place and the answers of the nodes.
func whyNoPlace(r *preemption.Refusal) string {
	if r.Reason != "" {
		return r.Reason
	}
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

// statusesOf returns the conditions to set: that of the group or root first, then those of the other groups
// that members name, by key. A group or root that is known to have been scheduled before keeps its own.
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
