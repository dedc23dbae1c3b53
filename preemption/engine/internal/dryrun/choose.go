package dryrun

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// choose finds the victims by the caller's rule (see [preemption.Chooser]).
func (w *DryRunner) choose(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	rule := w.terms.Chooser
	if w.Err != nil {
		return filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{w.Err.Error()}}
	}
	if s := w.withAllGone(possible); s.Code != filters.Success {
		return s
	}
	chosen := rule.Choose(&nodeOfRule{w, possible})
	if len(chosen) == 0 {
		return filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{"rule " + rule.Name + " chose no victims"}}
	}
	if w.Err = w.takeChosen(possible, chosen); w.Err != nil {
		return filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{w.Err.Error()}}
	}
	w.chargeVictims(possible)
	return w.strictly(possible)
}

// takeChosen checks what the rule chose and removes it.
func (w *DryRunner) takeChosen(possible []*state.PodState, chosen []*outrank.Pod) error {
	bad := func(format string, args ...any) error {
		for i := range w.Victim {
			w.Victim[i] = false
		}
		return fmt.Errorf("rule %s: node %s: %w: %s", w.terms.Chooser.Name, w.N.Name, outrank.ErrInvalid, fmt.Sprintf(format, args...))
	}
	for _, p := range chosen {
		if p == nil {
			return bad("a victim is missing")
		}
		switch i := indexOfPod(possible, p); {
		case i < 0 && indexOfPod(w.N.Pods, p) < 0:
			return bad("victim %s does not run there", p.Key())
		case i < 0:
			return bad("victim %s must not be evicted", p.Key())
		case len(w.units) == 0 && w.Victim[i]:
			return bad("victim %s is named twice", p.Key())
		default:
			w.markVictim(i)
		}
	}
	w.ChangeMarked(possible, w.Victim, -1)
	if s := w.Check(); s.Code != filters.Success {
		w.RestoreVictims(possible)
		return bad("without the victims pod %s does not fit: %s", w.A.Pod.Key(), w.A.Public(s))
	}
	if s := w.GuardAllows(w.markedOf(possible)); s.Code != filters.Success {
		w.RestoreVictims(possible)
		return bad("the victims may not leave together: %s", w.A.Public(s))
	}
	return nil
}

// Contradicted notes that a node with victims has none when it is asked about again:
// something that the caller configured does not always answer the same.
func (w *DryRunner) Contradicted() {
	if w.Err == nil {
		w.Err = fmt.Errorf("node %s: %w: there were victims, and there are none when the node is asked about again", w.N.Name, outrank.ErrInvalid)
	}
}

// indexOfPod returns where a pod is among others, -1 if it is not.
func indexOfPod(pods []*state.PodState, p *outrank.Pod) int {
	return slices.IndexFunc(pods, func(q *state.PodState) bool { return q.Pod == p || state.SameName(q.Pod, p) && state.SamePod(q.Pod, p) })
}

// blocksOfChosen finds what the preemptor fails with when each of the victims is put
// back alone, with those that leave with it. The victims are away.
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

// nodeOfRule is the node of a dry run as a rule of the caller sees it, with every pod on it.
type nodeOfRule struct {
	w        *DryRunner
	possible []*state.PodState
}

// Pod is the pod that looks for a place; see [preemption.NodeView].
func (v *nodeOfRule) Pod() *outrank.Pod { return v.w.A.Pod }

// Node is the node; see [preemption.NodeView].
func (v *nodeOfRule) Node() *outrank.Node { return v.w.N.Node }

// Possible are the pods that may be chosen; see [preemption.NodeView]. A rule has no snapshot that
// says where each of them runs, so that the pods do.
func (v *nodeOfRule) Possible() []*outrank.Pod { return state.LocatedPods(v.possible) }

// Short returns how much of a resource the node lacks; see [preemption.NodeView].
func (v *nodeOfRule) Short(name resource.Name) int64 { return v.w.A.short(v.w.N, name) }

// Check asks the filters, and the guard, without some pods; see [preemption.NodeView]. A rule that
// chooses one pod of a unit takes all of the unit, so that all of it is gone here, too.
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
	return w.A.Public(s)
}

// Violated lists what the loss of pods violates; see [preemption.NodeView].
func (v *nodeOfRule) Violated(pods ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return v.w.violatedBy(v.w.N, pods)
}
