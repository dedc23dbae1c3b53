package question

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// compositeGate is the feature gate that lets groups be parts of other groups.
const compositeGate = "CompositePodGroup"

// line puts the waiting pods in the order of their turns. The pods of a known group have one turn together. A
// pod whose scheduler is not known has a turn of its own.
func (s *scene) line(waiting []*outrank.Pod) []queue.Entry {
	var out []queue.Entry
	place := map[outrank.Key]int{} // of a group's entry in out
	for _, p := range waiting {
		e := queue.Entry{Pod: p}
		if s.grouped(p) && !p.Gated() && !p.Terminating() && s.set.EvaluatorFor(p) != nil {
			if g := s.groupOf(p); g != nil {
				key := groupKey(g)
				if i, ok := place[key]; ok {
					out[i].Group.Members = append(out[i].Group.Members, e)
					continue
				}
				place[key] = len(out)
				g.Members = []queue.Entry{e}
				e = queue.Entry{Group: g}
			}
		}
		out = append(out, e)
	}

	// A group counts with a priority of its own, so that its entry may belong elsewhere than its first pod.
	slices.SortStableFunc(out, func(a, b queue.Entry) int { return queue.CompareEntries(&a, &b) })
	return out
}

// groupKey returns a key for a group or a tree of groups. It differs for a tree and a group of the same name.
func groupKey(g *queue.Group) outrank.Key {
	if g.Composite != nil {
		return "tree " + g.Key()
	}
	return g.Key()
}

// groupOf returns the group that a pod is scheduled with, or the tree that the group is part of, still without
// members. It is nil if the snapshot does not know the group.
func (s *scene) groupOf(p *outrank.Pod) *queue.Group {
	group, ok := s.snap.Group(p.GroupKey())
	if !ok {
		return nil
	}
	out := &queue.Group{PodGroup: group}
	if !s.snap.Release().Gates()[compositeGate] {
		return out
	}

	// The topmost known group stands for its tree. The count of levels ends the climb if groups name each other
	// as parents in a circle.
	above, ok := s.snap.Composite(group.ParentKey())
	for level := 1; ok && level < outrank.MaxGroupLevels; level++ {
		out.PodGroup, out.Composite = nil, above
		above, ok = s.snap.Composite(above.ParentKey())
	}
	return out
}

// parentless names the missing parent of the topmost known group of a tree. It is empty if none is missing.
func (s *scene) parentless(g *queue.Group) outrank.Key {
	var above outrank.Key
	switch {
	case !s.snap.Release().Gates()[compositeGate]:
	case g.Composite != nil:
		above = g.Composite.ParentKey()
	default:
		above = g.PodGroup.ParentKey()
	}

	// If the parent is known, groupOf stopped because the tree has more levels than are allowed. The decision
	// refuses such a tree.
	if _, known := s.snap.Composite(above); known {
		return ""
	}
	return above
}

// takeEntry lets a pod or a group take its turn. Victims begin to leave, and hold their room.
func (s *scene) takeEntry(e *queue.Entry) (Turn, error) {
	if e.Group == nil {
		return s.take(e.Pod)
	}

	t, plan, err := s.planGroup(e.Group)
	if errors.Is(err, outrank.ErrInvalid) {
		t.Outcome, t.Trouble = Waits, oneLine(err)
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.tellGroup(s, plan)
	return t, s.followGroup(plan)
}

// oneLine writes an error on one line, with semicolons between its problems.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// planGroup decides about a group as things are. The turn names the group and its pods, but does not have the
// plan yet. It is an error if a parent of the group does not exist, because a scheduler then lets the pods
// wait.
func (s *scene) planGroup(g *queue.Group) (Turn, *preemption.GroupPlan, error) {
	t := Turn{Pod: Pod{Key: g.Key(), Priority: g.Priority()}, Group: true, Members: make([]Member, len(g.Members)), Victims: []Victim{}}
	pods := make([]*outrank.Pod, len(g.Members))
	for i := range g.Members {
		pods[i] = g.Members[i].Pod
		t.Members[i].Key = pods[i].Key()
	}

	if missing := s.parentless(g); missing != "" {
		return t, nil, &outrank.InputError{Problems: []outrank.Problem{{
			Object: "group " + string(g.Key()), Field: "spec.parentCompositePodGroupName",
			Text: fmt.Sprintf("its pods wait until there is the composite pod group %s that it is part of, which the input does not hold", missing),
		}}}
	}

	// All pods of a group have the same scheduler, or the decision refuses them.
	plan, err := s.set.EvaluatorFor(pods[0]).PreemptGroup(s.ctx, s.snap, preemption.GroupRequest{Pods: pods, Now: s.set.Now})
	return t, plan, err
}

// tellGroup adds the plan of a group to its turn. It has to run while the victims are still on their nodes.
func (t *Turn) tellGroup(s *scene, plan *preemption.GroupPlan) {
	nodes := map[outrank.Key]string{}
	for _, a := range plan.Placement {
		nodes[a.Pod.Key()] = a.Node
	}
	for i := range t.Members {
		t.Members[i].Node = nodes[t.Members[i].Key]
	}

	if plan.Outcome != preemption.Fits {
		t.Ineligible = plan.Ineligible
	}
	switch plan.Outcome {
	case preemption.Fits:
		t.Outcome, t.Fits = Placed, len(plan.Placement)
	case preemption.Preempts:
		t.Outcome = PushesOut
		for _, v := range plan.Victims {
			t.Victims = append(t.Victims, victimOf(v.Pod, s.snap.NodeOf(v.Pod.Key()), v.Violated))
		}
	default:
		t.Outcome = Waits
		t.TurnedDown = refusal(plan.TurnedDown)
		t.Unhelpful = refusal(plan.Unhelpful)
	}
}

// refusal returns the reasons why a group has no place: first the reason of the whole group, then the reasons
// of the nodes.
func refusal(r *preemption.Refusal) []Reason {
	if r == nil {
		return nil
	}
	out := reasonsOf(r.Nodes)
	if r.Reason != "" {
		out = append([]Reason{{Reasons: []string{r.Reason}}}, out...)
	}
	return out
}

// followGroup changes the scene by the outcome of a group: its pods run, or they are nominated and the victims
// begin to leave.
func (s *scene) followGroup(plan *preemption.GroupPlan) error {
	if plan.Outcome == preemption.Fits {
		for _, a := range plan.Placement {
			if err := s.bind(a.Pod, a.Node); err != nil {
				return err
			}
		}
	}
	if plan.Outcome != preemption.Preempts {
		return nil
	}

	for _, v := range plan.Victims {
		if err := s.askToLeave(v.Pod); err != nil {
			return err
		}
	}
	for _, a := range plan.Placement {
		if err := s.nominate(a.Pod, a.Node); err != nil {
			return err
		}
	}
	return nil
}
