package question

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Outcome is what becomes of a pod at its turn.
type Outcome string

// The outcomes.
const (
	// Placed: a node takes it as things are then.
	Placed Outcome = "placed"
	// PushesOut: pods have to leave Node so that it can start there.
	PushesOut Outcome = "pushes-out"
	// Waits: no node takes it, and it pushes nobody out.
	Waits Outcome = "waits"
	// Gated: scheduling gates keep it from being tried.
	Gated Outcome = "gated"
	// OtherScheduler: a scheduler places it whose rules are not known here.
	OtherScheduler Outcome = "other-scheduler"
	// Leaving: it is being deleted, and no scheduler tries it.
	Leaving Outcome = "leaving"
	// InGroup: it belongs to a group that is scheduled as a whole, and is not asked about by
	// itself.
	InGroup Outcome = "in-group"
)

// Turn is what becomes of one pod at its turn.
type Turn struct {
	Pod     Pod     `json:"pod"`
	Outcome Outcome `json:"outcome"`
	// Node is where the pod is placed or pushes others out, and Fits the number of nodes that
	// take it as things are.
	Node string `json:"node,omitempty"`
	Fits int    `json:"fits,omitempty"`
	// Resize is set where the pod runs on Node already, and room is wanted for its resize.
	Resize bool `json:"resize,omitempty"`
	// Victims have to leave, the most important first.
	Victims []Victim `json:"victims"`
	// InVain says why Node does not take the pod even once the victims are gone; nil where it
	// does. A scheduler's dry run takes some things for free that are not: a host port or a
	// claim for a single pod that two pods hold, or the place of a pod that was leaving.
	InVain *Reason `json:"inVain,omitempty"`
	// ClearedNominations are pending pods that lose the room that was promised to them.
	ClearedNominations []outrank.Key `json:"clearedNominations,omitempty"`
	// Ineligible says why a pod that waits may not push others out; nil where it may.
	Ineligible *preemption.Ineligibility `json:"ineligible,omitempty"`
	// TurnedDown are the nodes that do not take a pod that waits, and Unhelpful those of them
	// where nobody's leaving helps, by why. The most frequent reasons come first; no more
	// than five are told.
	TurnedDown []Reason `json:"turnedDown,omitempty"`
	Unhelpful  []Reason `json:"unhelpful,omitempty"`
	// Gates are what keeps a gated pod back.
	Gates []string `json:"gates,omitempty"`
	// Scheduler is who places a pod of another scheduler.
	Scheduler string `json:"scheduler,omitempty"`
}

// grouped reports whether a pod preempts with its group alone.
func (s *scene) grouped(pod *outrank.Pod) bool {
	return pod.Group != "" && !pod.ResizeDeferred && s.snap.Release().Gates()[groupGate]
}

// decide finds out what becomes of a pod as things are, by an evaluator that is nil
// where the pod's scheduler is not known. The plan is nil where nobody has
// to leave.
func (s *scene) decide(eval *preemption.Evaluator, pod *outrank.Pod) (Turn, *preemption.Plan, error) {
	t := Turn{Pod: podOf(pod, ""), Victims: []Victim{}}
	switch {
	case pod.Terminating():
		t.Outcome = Leaving
		return t, nil, nil
	case pod.Gated():
		t.Outcome, t.Gates = Gated, append([]string{}, pod.SchedulingGates...)
		return t, nil, nil
	case eval == nil:
		t.Outcome, t.Scheduler = OtherScheduler, pod.Scheduler()
		return t, nil, nil
	case s.grouped(pod):
		t.Outcome = InGroup
		return t, nil, nil
	}
	if !pod.ResizeDeferred {
		node, fits, err := s.nodeFor(eval, pod)
		if err != nil {
			return t, nil, err
		}
		if node != "" {
			t.Outcome, t.Node, t.Fits = Placed, node, fits
			return t, nil, nil
		}
	}
	plan, err := eval.Preempt(s.ctx, s.snap, pod, s.set.Now)
	if err != nil {
		return t, nil, err
	}
	t, plan = told(t, plan)
	if plan != nil && !plan.Resize {
		t.InVain, err = s.vain(eval, plan)
	}
	return t, plan, err
}

// vain asks the node of a plan with the victims gone; nil if it takes the pod.
func (s *scene) vain(eval *preemption.Evaluator, plan *preemption.Plan) (*Reason, error) {
	mark := s.snap.Mark()
	var err error
	for i := range plan.Victims {
		if err = s.snap.RemovePod(plan.Victims[i].Pod.Key()); err != nil {
			break
		}
	}
	var status preemption.Status
	if err == nil {
		status, err = eval.Check(s.snap, plan.Pod, plan.Node)
	}
	if undone := s.snap.Undo(mark); err == nil {
		err = undone
	}
	if err != nil || status.Code == preemption.Success {
		return nil, err
	}
	return &Reason{Filter: status.Filter, Reasons: append([]string{}, status.Reasons...), Nodes: 1}, nil
}

// told says what a plan is.
func told(t Turn, plan *preemption.Plan) (Turn, *preemption.Plan) {
	if t.Resize = plan.Resize; t.Resize {
		t.Node = plan.Pod.NodeName
	}
	switch plan.Outcome {
	case preemption.Fits:
		t.Outcome, t.Fits = Placed, plan.Feasible
		return t, nil
	case preemption.Preempt:
		t.Outcome, t.Node, t.Victims = PushesOut, plan.Node, victimsOf(plan)
		for _, p := range plan.ClearedNominations {
			t.ClearedNominations = append(t.ClearedNominations, p.Key())
		}
		return t, plan
	}
	t.Outcome, t.TurnedDown, t.Unhelpful = Waits, reasonsOf(plan.TurnedDown), reasonsOf(plan.Unhelpful)
	if plan.Refused.Code != preemption.Success {
		t.TurnedDown = []Reason{{Filter: plan.Refused.Filter, Reasons: append([]string{}, plan.Refused.Reasons...)}}
	}
	if plan.Ineligible != preemption.Eligible {
		reason := plan.Ineligible
		t.Ineligible = &reason
	}
	return t, nil
}
