package dryrun

import (
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// choose lets the caller's rule choose the victims (see [preemption.Chooser]), and checks its choice.
func (w *DryRunner) choose(rule *preemption.Chooser, possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	if w.Err != nil {
		return refused(w.Err.Error()) // the first fault ends the decision, so that the rule is not asked again
	}

	// If all possible victims are not enough, no choice among them is (rule 9.3).
	if s := w.checkWithout(possible); s.Code != filters.Success {
		return s
	}

	chosen := rule.Choose(&nodeOfRule{w: w, a: w.A, n: w.N, possible: possible})
	if len(chosen) == 0 {
		return refused("rule " + rule.Name + " chose no victims")
	}
	if fault := w.takeChosen(possible, chosen); fault != nil {
		clear(w.Victim)
		w.Err = fmt.Errorf("rule %s: node %s: %w: %s", rule.Name, w.N.Name, outrank.ErrInvalid, fault.Error())
		return refused(w.Err.Error())
	}
	w.chargeVictims(possible)
	return w.strictly(possible)
}

// refused returns the status of a node that fails for another reason than a filter.
func refused(reason string) filters.Status {
	return filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{reason}}
}

// takeChosen marks and removes the pods that a rule chose. If the choice is invalid, it returns why, and the
// caller's filters have all pods back.
func (w *DryRunner) takeChosen(possible []*state.PodState, chosen []*outrank.Pod) error {
	for _, p := range chosen {
		if p == nil {
			return errors.New("a victim is missing")
		}

		switch i := indexOfPod(possible, p); {
		case i < 0 && indexOfPod(w.N.Pods, p) < 0:
			return fmt.Errorf("victim %s does not run there", p.Key())
		case i < 0:
			return fmt.Errorf("victim %s must not be evicted", p.Key())
		case len(w.units) == 0 && w.Victim[i]:
			return fmt.Errorf("victim %s is named twice", p.Key())
		default:
			// A rule that names one pod of a unit takes the whole unit. It may name other pods of it as well
			// (rule 12.8.10).
			w.markVictim(i)
		}
	}

	w.ChangeMarked(possible, w.Victim, -1)
	a := w.A
	if s := w.Check(); s.Code != filters.Success {
		w.RestoreVictims(possible)
		return fmt.Errorf("without the victims pod %s does not fit: %s", a.Pod.Key(), a.Public(s))
	}
	if s := w.GuardAllows(w.markedOf(possible)); s.Code != filters.Success {
		w.RestoreVictims(possible)
		return fmt.Errorf("the victims may not leave together: %s", a.Public(s))
	}
	return nil
}

// Contradicted records the error that a node had victims before and has none now. Something that the caller
// configured has answered the same question in two ways.
func (w *DryRunner) Contradicted() {
	if w.Err == nil {
		w.Err = fmt.Errorf("node %s: %w: there were victims, and there are none when the node is asked about again", w.N.Name, outrank.ErrInvalid)
	}
}

// indexOfPod returns the index of a pod in a list, -1 if it is not there. p may be another object of the same
// pod.
func indexOfPod(pods []*state.PodState, p *outrank.Pod) int {
	return slices.IndexFunc(pods, func(q *state.PodState) bool { return q.Pod == p || state.SameName(q.Pod, p) && state.SamePod(q.Pod, p) })
}

// blocksOfChosen finds, for each victim, what the preemptor fails with if that victim alone, or its unit, is
// put back. The victims are removed before the call and after it.
func (w *DryRunner) blocksOfChosen(possible []*state.PodState) {
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		if !w.Victim[from] {
			continue
		}
		s := w.Beside(possible[from:to])
		for i := from; i < to; i++ {
			w.blocks[i] = s
		}
	}
}

// nodeOfRule is the view that a caller's rule has of the node of a dry run. Between calls all pods are on the
// node.
type nodeOfRule struct {
	w        *DryRunner
	a        *Attempt         // the runner's attempt
	n        *state.NodeState // the node that the runner has entered
	possible []*state.PodState
}

// Pod returns the preemptor; see [preemption.NodeView].
func (v *nodeOfRule) Pod() *outrank.Pod { return v.a.Pod }

// Node returns the object of the node; see [preemption.NodeView].
func (v *nodeOfRule) Node() *outrank.Node { return v.n.Node }

// Possible lists the pods that may be chosen; see [preemption.NodeView]. Their fields name the node that they
// run on, because a rule has no snapshot to look it up.
func (v *nodeOfRule) Possible() []*outrank.Pod { return state.LocatedPods(v.possible) }

// Short returns how much of a resource the node lacks; see [preemption.NodeView].
func (v *nodeOfRule) Short(name resource.Name) int64 { return v.a.short(v.n, name) }

// Check asks the filters and the guard with some pods gone; see [preemption.NodeView]. Choosing one pod of a
// unit takes the whole unit, so that here, too, the whole unit is gone.
func (v *nodeOfRule) Check(pods ...*outrank.Pod) preemption.Status {
	w := v.w
	for i := range placesOf(v.possible, pods) {
		w.markVictim(i)
	}
	defer clear(w.Victim)

	w.ChangeMarked(v.possible, w.Victim, -1)
	s := w.Check()
	w.ChangeMarked(v.possible, w.Victim, 1)

	if s.Code == filters.Success && w.guard.state != nil {
		s = w.GuardAllows(w.markedOf(v.possible))
	}
	return v.a.Public(s)
}

// Violated lists the budgets that the loss of each pod violates; see [preemption.NodeView].
func (v *nodeOfRule) Violated(pods ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return v.w.violatedBy(v.n, pods)
}
