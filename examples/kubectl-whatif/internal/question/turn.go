package question

import (
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Outcome is the outcome of a pod's turn.
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

// Turn is the turn of one pod with its outcome.
type Turn struct {
	// Pod is the pod, or with its key and priority the group of pods that has its turn.
	Pod     Pod     `json:"pod"`
	Outcome Outcome `json:"outcome"`
	// Group is set for a group of pods, or a tree of groups: Members are its pods
	// that wait, in the order in which they are tried, with their nodes. Trouble
	// says why a group cannot be asked about at all.
	Group   bool     `json:"group,omitempty"`
	Members []Member `json:"members,omitempty"`
	Trouble string   `json:"trouble,omitempty"`
	// Node is where the pod is placed or pushes others out, and Fits the number
	// of nodes that take it as things are.
	Node string `json:"node,omitempty"`
	Fits int    `json:"fits,omitempty"`
	// Resize is set where the pod runs on Node already, and room is wanted for its resize.
	Resize bool `json:"resize,omitempty"`
	// Victims have to leave, the most important first.
	Victims []Victim `json:"victims"`
	// InVain says why Node does not take the pod even once the victims are gone; nil where
	// it does. A scheduler's dry run takes some things for free that are not: a host port
	// or a claim for a single pod that two pods hold, or the place of a pod that was
	// leaving.
	InVain *Reason `json:"inVain,omitempty"`
	// ClearedNominations are pending pods that lose the room that was promised to them.
	ClearedNominations []outrank.Key `json:"clearedNominations,omitempty"`
	// Ineligible says why a pod that waits may not push others out; empty where it may.
	Ineligible preemption.Ineligibility `json:"ineligible,omitempty"`
	// TurnedDown are the nodes that do not take a pod that waits, and Unhelpful
	// those of them where nobody's leaving helps, by reason. The most frequent
	// come first; there are no more than five.
	TurnedDown []Reason `json:"turnedDown,omitempty"`
	Unhelpful  []Reason `json:"unhelpful,omitempty"`
	// Gates keep a gated pod back.
	Gates []string `json:"gates,omitempty"`
	// Scheduler places a pod of another scheduler.
	Scheduler string `json:"scheduler,omitempty"`
}

// grouped reports whether a pod preempts with its group alone.
func (s *scene) grouped(pod *outrank.Pod) bool {
	return pod.Group != "" && !pod.ResizeDeferred && s.snap.Release().Gates()[groupGate]
}

// Member is a pod of a group.
type Member struct {
	Key outrank.Key `json:"key"`
	// Node is where the pod is placed, or nominated to; empty for nowhere.
	Node string `json:"node,omitempty"`
}

// unplaced counts the pods of a group that get no node.
func (t *Turn) unplaced() (n int) {
	for _, m := range t.Members {
		if m.Node == "" {
			n++
		}
	}
	return n
}

// decide finds the outcome of a pod as things are, by an evaluator that is nil
// where the pod's scheduler is not known. The plan is nil where nobody has to
// leave.
func (s *scene) decide(eval *engine.Evaluator, pod *outrank.Pod) (Turn, *preemption.Plan, error) {
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
	plan, err := eval.Preempt(s.ctx, s.snap, preemption.Request{Pod: pod, Now: s.set.Now})
	if err != nil {
		return t, nil, err
	}
	if plan.Outcome == preemption.Fits && !plan.Resize {
		return t, nil, s.place(eval, pod, &t)
	}
	t, plan = enterPlan(t, plan)
	if plan != nil && !plan.Resize {
		t.InVain, err = s.whyInVain(eval, plan)
	}
	return t, plan, err
}

// place gives a pod that fits the node that it is nominated to, where that takes it, or the one that its
// scheduler's scores prefer. What is recreated after a change takes the first node that takes it, in the
// order of the cluster: there are questions with a hundred thousand of them.
func (s *scene) place(eval *engine.Evaluator, pod *outrank.Pod, t *Turn) error {
	if !s.scored {
		feasible, err := eval.Feasible(s.ctx, s.snap, pod)
		if err == nil && len(feasible) > 0 {
			t.Outcome, t.Node, t.Fits = Placed, feasible[0].Name, len(feasible)
		}
		return err
	}
	ranked, err := s.set.scorerFor(pod).Rank(s.ctx, eval, s.snap, pod)
	switch {
	case errors.Is(err, outrank.ErrInvalid):
		// The scheduler fails with the same words, and the pod stays where it is.
		t.Outcome, t.TurnedDown = Waits, []Reason{{Reasons: []string{err.Error()}}}
		return nil
	case err == nil && len(ranked.Nodes) > 0:
		t.Outcome, t.Node, t.Fits = Placed, ranked.Choose(nil).Name, len(ranked.Nodes)
	}
	return err
}

// vain asks the node of a plan with the victims gone; nil if it takes the pod.
func (s *scene) whyInVain(eval *engine.Evaluator, plan *preemption.Plan) (*Reason, error) {
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

// told enters the result of a plan.
func enterPlan(t Turn, plan *preemption.Plan) (Turn, *preemption.Plan) {
	if t.Resize = plan.Resize; t.Resize {
		t.Node = plan.Pod.NodeName
	}
	switch plan.Outcome {
	case preemption.Fits:
		t.Outcome, t.Fits = Placed, plan.Feasible
		return t, nil
	case preemption.Preempts:
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
	t.Ineligible = plan.Ineligible
	return t, nil
}

// gates of releases that change what waits, and what preempts together.
const (
	resizeGate = "InPlacePodVerticalScalingSchedulerPreemption"
	groupGate  = "GenericWorkload"
)

// take decides about a pod, and changes the scene by its outcome.
func (s *scene) take(pod *outrank.Pod) (Turn, error) {
	turn, plan, err := s.decide(s.set.evaluatorFor(pod), pod)
	switch {
	case err != nil:
	case plan != nil:
		err = s.announce(plan)
	case turn.Outcome == Placed && !turn.Resize:
		err = s.bind(pod, turn.Node)
	}
	return turn, err
}
