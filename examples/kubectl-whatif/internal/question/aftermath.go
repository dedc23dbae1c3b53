package question

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
)

// Aftermath is what becomes of everybody after changes, once every pod that waits has had its
// turn.
type Aftermath struct {
	// Nodes are the nodes that go, in the order of the cluster, change by change, and Added
	// those that come.
	Nodes []string `json:"nodes"`
	Added []string `json:"added"`
	// Tied are pods that go with their node and come back with it alone: those of
	// DaemonSets and mirror pods. Lost have no controller to recreate them. Leaving
	// were being deleted already, and their controllers have replaced them.
	Tied    []Pod `json:"tied"`
	Lost    []Pod `json:"lost"`
	Leaving []Pod `json:"leaving"`
	// Moves are the pods that take a turn, in the order in which a scheduler takes them: new
	// ones, those that are recreated, those that wait as things are where they find a place,
	// and those that are pushed out for them in turn. StillPending counts the pods that wait
	// as things are and wait afterwards, too.
	Moves        []Move `json:"moves"`
	StillPending int    `json:"stillPending"`
	// Displaced are pods that wait as things are and would find a place without the changes.
	Displaced []Pod `json:"displaced"`
	// Resizes are those of the changes, in their order.
	Resizes []Resized `json:"resizes"`
	// Forbidden are pods that quotas keep from being created, those of the changes and those that
	// would be recreated. They are in none of the lists above.
	Forbidden []quotas.Forbidden `json:"forbidden"`
	Totals    Totals             `json:"totals"`
	// Workloads count the new pods by the object that makes them.
	Workloads []WorkloadFate `json:"workloads"`
	// Budgets are those that cover pods of nodes that go, by namespace and name.
	Budgets []BudgetLoad `json:"budgets"`
	// Refused are pods that a drain cannot evict at all, because several budgets cover them.
	Refused []Pod `json:"refused"`
	// Drains are the drains of the nodes that go, one for each change that takes nodes.
	Drains []Drain `json:"drains"`
	// Classes is what a change of priority classes means for who can push out whom; nil
	// without one.
	Classes *ClassImpact `json:"classes,omitempty"`

	// made are the new pods, for a picture.
	made map[outrank.Key]*outrank.Pod
}

// Move is the turn of a pod, to its end.
type Move struct {
	// Turn's Pod is on the node that it leaves.
	Turn
	Origin Origin `json:"origin"`
	// Workload makes a new pod, as Kind/Name.
	Workload string `json:"workload,omitempty"`
	// PushedOutBy is the pod that it has to leave for.
	PushedOutBy outrank.Key `json:"pushedOutBy,omitempty"`
	// Aside is set where the changes are not the reason: the pod waits or is being deleted as
	// things are, or it is pushed out for one that is.
	Aside bool `json:"aside,omitempty"`
}

// Totals counts the pods that take a turn because of the changes by their fates.
type Totals struct {
	// Own are those of the changes themselves, New of them created by one; InTurn are those
	// that are pushed out.
	Own    int `json:"own"`
	New    int `json:"new"`
	InTurn int `json:"inTurn"`

	Fates
	// Stranded are those of Own that find no place, and Unplaced of these are members of groups
	// of which enough others have one.
	Stranded int `json:"stranded"`
	Unplaced int `json:"unplaced"`
	// Victims are the pods that are pushed out, and Violating those of them against a budget.
	Victims   int `json:"victims"`
	Violating int `json:"violating"`
	// Taken counts the pods that wait as things are and find a place, and Aside those that are
	// pushed out for them.
	Taken int `json:"taken"`
	Aside int `json:"aside"`
	// Forbidden counts the pods that are not created.
	Forbidden int `json:"forbidden"`
	// Unresized counts the resizes that are refused, deferred or never done.
	Unresized int `json:"unresized"`
}

// Fates counts pods by the outcomes of their turns.
type Fates struct {
	Placed         int `json:"placed"`
	PushesOut      int `json:"pushesOut"`
	Waits          int `json:"waits"`
	Gated          int `json:"gated"`
	OtherScheduler int `json:"otherScheduler"`
	InGroup        int `json:"inGroup"`
}

// WorkloadFate counts the new pods of a workload by their fates.
type WorkloadFate struct {
	// Workload is Kind/Name.
	Workload  string `json:"workload"`
	Namespace string `json:"namespace"`
	Pods      int    `json:"pods"`
	Fates
	Victims int `json:"victims"`
}

func (f *Fates) add(o Outcome, n int) {
	switch o {
	case Placed:
		f.Placed += n
	case PushesOut:
		f.PushesOut += n
	case Waits:
		f.Waits += n
	case Gated:
		f.Gated += n
	case OtherScheduler:
		f.OtherScheduler += n
	case InGroup:
		f.InGroup += n
	}
}

// AskWithout answers which pods draining or losing nodes would push out. It is
// [Scenario.Aftermath] after [RemoveNodes].
//
// Errors are those of the setting, of the context and of [engine.Evaluator.Preempt],
// and wrap [preemption.ErrNotFound] for a node that the cluster does not have and
// [outrank.ErrInvalid] where none is named.
func AskWithout(ctx context.Context, set Setting, nodes []string) (*Aftermath, error) {
	s, err := NewScenario(ctx, set, &RemoveNodes{Of: "the question", Names: nodes})
	if err != nil {
		return nil, err
	}
	return s.Aftermath()
}

// Aftermath answers what becomes of everybody: every pod that waits takes its turn, in the
// order in which a scheduler takes them, the highest priority first, those of one priority by
// name. Each takes the first node that has room, in the order of the cluster, or pushes out
// others, which are gone at once and are recreated and wait in turn, or stays pending. Pods
// that were being deleted are gone. The scenario stays as it is.
//
// Errors are those of the context and of [engine.Evaluator.Preempt]. Time is that of
// [AllPending] for the pods that wait, once more where nodes go, because a drain is played as
// well, and once more where pods still wait, because their fate without the changes is looked at.
func (s *Scenario) Aftermath() (*Aftermath, error) {
	f := s.Fork()
	out := f.newAftermath()
	for i := range s.drains {
		if err := out.drain(&s.drains[i]); err != nil {
			return nil, err
		}
	}
	var err error
	if out.Classes, err = s.Classes(); err != nil {
		return nil, err
	}
	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}
	if err := l.play(nil, out.tell); err != nil {
		return nil, err
	}
	out.finish(f)
	return out, out.compare(s)
}

// Classes answers what the changed priority classes mean for who can push out whom, after the
// other changes; nil where none is asked about. Errors and time are those of [AskClasses].
func (s *Scenario) Classes() (*ClassImpact, error) {
	if len(s.reclassed) == 0 {
		return nil, nil
	}
	set := s.Setting()
	set.Cluster.Classes = s.before.Cluster.Classes
	return AskClasses(s.ctx, set, s.reclassed)
}

// compare plays the cluster without the changes, where pods wait that could take a turn there.
func (a *Aftermath) compare(s *Scenario) error {
	if a.StillPending == 0 || len(s.owner) == 0 {
		return nil
	}
	set := *s.before
	set.Progress = nil
	as, err := NewScenario(s.ctx, set)
	if err != nil {
		return err
	}
	l, err := as.lineUp()
	if err != nil {
		return err
	}
	without := as.newAftermath()
	if err := l.play(nil, without.tell); err != nil {
		return err
	}
	now, then := a.runs(), without.runs()
	for i := range without.Moves {
		if m := &without.Moves[i]; m.Origin == Waiting && then[m.Pod.Key] && !now[m.Pod.Key] {
			a.Displaced = append(a.Displaced, m.Pod)
		}
	}
	return nil
}

// runs tells of the pods and groups that took a turn which have a place after their last.
func (a *Aftermath) runs() map[outrank.Key]bool {
	out := make(map[outrank.Key]bool, len(a.Moves))
	for i := range a.Moves {
		m := &a.Moves[i]
		out[m.Pod.Key] = m.fate() == Placed || m.fate() == PushesOut
	}
	return out
}

func (s *Scenario) newAftermath() *Aftermath {
	a := &Aftermath{
		Nodes: append([]string{}, s.gone...), Added: append([]string{}, s.added...),
		Tied: []Pod{}, Lost: []Pod{}, Leaving: []Pod{}, Moves: []Move{}, Workloads: []WorkloadFate{},
		Budgets: []BudgetLoad{}, Refused: []Pod{}, Drains: []Drain{}, Displaced: []Pod{}, Resizes: []Resized{}, Forbidden: []quotas.Forbidden{}, made: map[outrank.Key]*outrank.Pod{},
	}
	for key, m := range s.moved {
		if p, ok := s.snap.Pod(key); ok && m.origin == New {
			a.made[key] = p
		}
	}
	for _, w := range s.workloads {
		a.Workloads = append(a.Workloads, WorkloadFate{Workload: w.String(), Namespace: w.Namespace})
	}
	return a
}

// fate is the outcome in the end: who pushes others out in vain waits.
func (t *Turn) fate() Outcome {
	if t.InVain != nil {
		return Waits
	}
	return t.Outcome
}

// tell records a turn.
func (a *Aftermath) tell(t Turn, m motion) {
	fate := t.fate()
	places := fate == Placed || fate == PushesOut
	pods, unplaced := 1, 0
	if t.Group {
		pods = len(t.Members)
		if places {
			unplaced = t.unplaced()
		}
	}
	n := &a.Totals
	move := Move{Turn: t, Origin: m.origin, PushedOutBy: m.pushedOutBy, Aside: m.aside}
	if m.aside {
		n.Aside += fresh(t.Victims)
	} else {
		n.Victims += fresh(t.Victims)
		n.Violating += violating(t.Victims)
	}
	switch {
	case m.aside && m.origin != PushedOut:
		if places {
			n.Taken += pods - unplaced
		} else {
			a.StillPending += pods
		}
		if !places && m.origin == Waiting && len(t.Victims) == 0 {
			return
		}
	case m.aside || m.origin == Resizing:
	case m.origin == PushedOut:
		n.InTurn += pods
		n.add(fate, pods)
	default:
		n.Own += pods
		n.add(fate, pods)
		if fate == Waits || t.Outcome == OtherScheduler && m.origin != New {
			n.Stranded += pods
		}
		n.Stranded += unplaced
		n.Unplaced += unplaced
	}
	if m.origin == New {
		n.New += pods
		w := &a.Workloads[m.workload-1]
		w.Pods += pods
		w.add(fate, pods)
		w.Victims += fresh(t.Victims)
		move.Workload = w.Workload
	}
	a.Moves = append(a.Moves, move)
}

// finish records those that take no turn.
func (a *Aftermath) finish(s *Scenario) {
	a.Tied, a.Lost, a.Leaving = append(a.Tied, s.tied...), append(a.Lost, s.lost...), append(a.Leaving, s.leaving...)
	a.Forbidden = append(a.Forbidden, s.forbidden...)
	a.Resizes = append(a.Resizes, s.Resizes()...)
	for i := range a.Resizes {
		if a.Resizes[i].Open() {
			a.Totals.Unresized++
		}
	}
	for i := range s.forbidden {
		a.Totals.Forbidden += s.forbidden[i].Pods
	}
}
