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

// groupFailure is a Failure of a group. Its Plan and Err hide those of Failure.
type groupFailure struct {
	*Failure
	Plan *preemption.GroupPlan
	// Err is the error that kept a plan from being made, nil if there is a plan.
	Err error
	// broken is the error of executing the plan, nil without a plan.
	broken error
}

// ofGroup returns the failure as one of a group. The error says what is wrong with it.
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

// The types of the conditions of groups (rule 15.5.3).
const (
	podGroupScheduled  outrank.PodConditionType = "PodGroupInitiallyScheduled"
	compositeScheduled outrank.PodConditionType = "CompositePodGroupInitiallyScheduled"
)

// groupStatus is a condition that is to be set on the group with this key.
type groupStatus struct {
	key       outrank.Key
	condition outrank.PodCondition
}

// gangFilter is the name under which the policy of a group counts as a failed filter of its pods.
const gangFilter = "GangScheduling"

// check returns an error that says what is wrong with the failure of a group, nil if nothing is.
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

// verdict returns the verdict about the group. The failure must have passed check.
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

// filters returns the names of the filters that kept a pod of the group off nodes. If no filter did, the
// group's policy is what failed, and gangFilter stands for it.
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

// nominationOf returns the change of a member's nomination (rule 15.5.2). An error before there was a plan
// clears all nominations, an error of executing the plan keeps them. Otherwise a member gets the nomination
// that the plan has for it; the others lose theirs if nothing helps, and keep it if not.
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
			// This is the nomination of another member.
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

// condition returns the condition to set on the group, or on the root of a tree.
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

// message returns the reason why there was no place, and then the message of preemption (rule 15.5.4).
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

// whyNoPlace returns the reason why there is no place for the group: the message of its policy if there is
// one, else a message with the pod that found no place and the answers of the nodes.
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

// groupMessage begins the message of preemption about a group.
const groupMessage = "pod group preemption: "

// statusesOf returns the conditions to set: first on the group or the root of the tree, then on the groups
// that members of the tree name, sorted by key. A group or root that is known to have been scheduled before
// keeps its condition.
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
