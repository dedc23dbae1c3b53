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
	// Placed means that a node takes the pod as things are at its turn.
	Placed Outcome = "placed"
	// PushesOut means that pods have to leave Node before the pod can start there.
	PushesOut Outcome = "pushes-out"
	// Waits means that no node takes the pod, and that it pushes nobody out.
	Waits Outcome = "waits"
	// Gated means that scheduling gates keep the pod from being tried.
	Gated Outcome = "gated"
	// OtherScheduler means that the rules of the pod's scheduler are not known here.
	OtherScheduler Outcome = "other-scheduler"
	// Leaving means that the pod is being deleted, so that no scheduler tries it.
	Leaving Outcome = "leaving"
	// InGroup means that the pod belongs to a group that is scheduled as a whole, so that it has no turn of its
	// own.
	InGroup Outcome = "in-group"
)

// Turn is the turn of one pod, or of one group of pods, with its outcome.
type Turn struct {
	// Pod names the pod. For a group it has the group's key and priority.
	Pod     Pod     `json:"pod"`
	Outcome Outcome `json:"outcome"`
	// Group is set for a group of pods and for a tree of groups. Members lists its waiting pods in the order in
	// which they are tried, with their nodes. Trouble says why a group cannot be decided about.
	Group   bool     `json:"group,omitempty"`
	Members []Member `json:"members,omitempty"`
	Trouble string   `json:"trouble,omitempty"`
	// Node is the node on which the pod is placed or pushes others out. Fits counts the nodes that take the pod
	// as things are.
	Node string `json:"node,omitempty"`
	Fits int    `json:"fits,omitempty"`
	// Resize is set for a pod that runs on Node already and needs room for its resize.
	Resize bool `json:"resize,omitempty"`
	// Victims lists the pods that have to leave, the most important first.
	Victims []Victim `json:"victims"`
	// InVain says why Node does not take the pod even once the victims are gone. It is nil if Node does. A
	// scheduler's dry run counts some things as free that are not: a host port or a single-pod claim that two
	// pods hold, or the place of a pod that was leaving.
	InVain *Reason `json:"inVain,omitempty"`
	// ClearedNominations lists the pending pods that lose the room reserved for them.
	ClearedNominations []outrank.Key `json:"clearedNominations,omitempty"`
	// Ineligible says why a waiting pod may not push others out. It is empty if the pod may.
	Ineligible preemption.Ineligibility `json:"ineligible,omitempty"`
	// TurnedDown gives the reasons of the nodes that do not take a waiting pod, and Unhelpful the reasons of
	// the nodes on which no eviction helps. Each has at most five reasons, the most frequent first.
	TurnedDown []Reason `json:"turnedDown,omitempty"`
	Unhelpful  []Reason `json:"unhelpful,omitempty"`
	// Gates lists the scheduling gates of a gated pod.
	Gates []string `json:"gates,omitempty"`
	// Scheduler names the scheduler of a pod whose outcome is OtherScheduler.
	Scheduler string `json:"scheduler,omitempty"`
}

// grouped reports whether a pod preempts only together with its group. A resize concerns the pod itself.
func (s *scene) grouped(pod *outrank.Pod) bool {
	return pod.Group != "" && !pod.ResizeDeferred && s.snap.Release().Gates()[groupGate]
}

// fate returns the final outcome. A pod that pushes others out in vain waits in the end.
func (t *Turn) fate() Outcome {
	if t.InVain != nil {
		return Waits
	}
	return t.Outcome
}

// Places reports whether the pod has a place once its turn is over and its victims are gone.
func (t *Turn) Places() bool { return t.fate() == Placed || t.fate() == PushesOut }

// Member is a pod of a group.
type Member struct {
	Key outrank.Key `json:"key"`
	// Node is the node that the pod is placed on or nominated to. It is empty if there is none.
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

// decide finds the outcome of a pod as things are. The evaluator is nil if the pod's scheduler is not known.
// The plan is nil if nobody has to leave. The scene does not change.
func (s *scene) decide(eval *engine.Evaluator, pod *outrank.Pod) (Turn, *preemption.Plan, error) {
	t := Turn{Pod: NameOf(pod, ""), Victims: []Victim{}}

	// No scheduler tries these pods, or only one that is not known here.
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

	if s.waited.holdsFor(pod, eval, s.snap) {
		t, _ = enterPlan(t, s.waited.plan)
		return t, nil, nil
	}
	plan, err := eval.Preempt(s.ctx, s.snap, preemption.Request{Pod: pod, Now: s.set.Now})
	if err != nil {
		return t, nil, err
	}

	// The plan of a pod that fits names no node, so that one has to be chosen. A pod with room for its resize
	// stays on its node.
	if plan.Outcome == preemption.Fits && !plan.Resize {
		err := s.place(eval, pod, &t)
		return t, nil, err
	}

	decided := plan
	if t, plan = enterPlan(t, plan); t.Outcome == Waits {
		s.waited = waitedFor(decided, eval, s.snap)
	}
	if plan != nil && !plan.Resize {
		t.InVain, err = s.whyInVain(eval, plan)
	}
	return t, plan, err
}

// place chooses the node of a pod that fits: the node that the pod is nominated to if that takes it, otherwise
// the node that its scheduler's scores prefer. A scene without scores takes the first node in the order of the
// cluster instead. Questions about changes do without scores, because they may place a hundred thousand pods.
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
		// The scheduler fails with the same error, and the pod stays pending.
		t.Outcome, t.TurnedDown = Waits, []Reason{{Reasons: []string{err.Error()}}}
		return nil
	case err == nil && len(ranked.Nodes) > 0:
		t.Outcome, t.Node, t.Fits = Placed, ranked.Choose(nil).Name, len(ranked.Nodes)
	}
	return err
}

// whyInVain asks the node of a plan again with the victims gone, and returns its reason not to take the pod. It
// is nil if the node takes the pod. The scene does not change.
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

	// The victims are put back even after an error, and the first error is returned.
	if undone := s.snap.Undo(mark); err == nil {
		err = undone
	}
	if err != nil || status.Code == preemption.Success {
		return nil, err
	}
	return &Reason{Filter: status.Filter, Reasons: append([]string{}, status.Reasons...), Nodes: 1}, nil
}

// enterPlan adds the result of a plan to a turn. It returns the plan only if pods have to leave.
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

	// A pod that is refused before any node is asked has one reason, which counts no nodes.
	t.Outcome = Waits
	t.TurnedDown = reasonsOf(plan.TurnedDown)
	t.Unhelpful = reasonsOf(plan.Unhelpful)
	if plan.Refused.Code != preemption.Success {
		t.TurnedDown = []Reason{{Filter: plan.Refused.Filter, Reasons: append([]string{}, plan.Refused.Reasons...)}}
	}
	t.Ineligible = plan.Ineligible
	return t, nil
}

// These feature gates matter to questions. With resizeGate a resize without room waits for a scheduler, which
// may preempt for it. With groupGate the pods of a group preempt together.
const (
	resizeGate = "InPlacePodVerticalScalingSchedulerPreemption"
	groupGate  = "GenericWorkload"
)

// take decides about a pod, and changes the scene by the outcome. Victims begin to leave, and still occupy
// their room.
func (s *scene) take(pod *outrank.Pod) (Turn, error) {
	turn, plan, err := s.decide(s.set.EvaluatorFor(pod), pod)
	switch {
	case err != nil:
	case plan != nil:
		err = s.announce(plan)
	case turn.Outcome == Placed && !turn.Resize:
		err = s.bind(pod, turn.Node)
	}
	return turn, err
}
