package dryrun

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// choose finds the victims by the caller's rule (see [Chooser]).
func (w *DryRunner) choose(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	rule := w.A.Config.Chooser
	if w.Err != nil {
		return filters.Status{Code: filters.Unschedulable, By: filters.ByNone, Text: []string{w.Err.Error()}}
	}
	if s := w.withAllGone(possible); s.Code != filters.Success {
		return s
	}
	chosen := rule.Choose(&NodeOfRule{w, possible})
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
		return fmt.Errorf("rule %s: node %s: %w: %s", w.A.Config.Chooser.Name, w.N.Name, outrank.ErrInvalid, fmt.Sprintf(format, args...))
	}
	for _, p := range chosen {
		if p == nil {
			return bad("a victim is missing")
		}
		switch i := IndexOfPod(possible, p); {
		case i < 0 && IndexOfPod(w.N.Pods, p) < 0:
			return bad("victim %s does not run there", p.Key())
		case i < 0 || possible[i].At.Name != w.N.Name:
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
		return bad("without the victims pod %s does not fit: %s", w.A.Asked.Pod.Key(), w.A.Public(s))
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

// IndexOfPod returns where a pod is among others, -1 if it is not.
func IndexOfPod(pods []*state.PodState, p *outrank.Pod) int {
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

// NodeOfRule is the node of a dry run as a rule sees it, with every pod on it.
type NodeOfRule struct {
	W        *DryRunner
	Possible []*state.PodState
}

// Preemptor is the pod that looks for a place; see [ViewedNode].
func (v *NodeOfRule) Preemptor() *outrank.Pod { return v.W.A.Asked.Pod }

// Viewed is the node; see [ViewedNode].
func (v *NodeOfRule) Viewed() *outrank.Node { return v.W.N.Node }

// PossibleVictims are the pods that may be chosen; see [ViewedNode].
func (v *NodeOfRule) PossibleVictims() []*outrank.Pod { return state.PodsOf(v.W.here(v.Possible)) }

// Short returns how much of a resource the node lacks; see [ViewedNode].
func (v *NodeOfRule) Short(name resource.Name) int64 {
	n := v.W.N
	if name == resource.Pods {
		return max(0, int64(len(n.Pods))+1-n.MaxPods)
	}
	for i := range v.W.A.Asked.Needs {
		if d := &v.W.A.Asked.Needs[i]; d.Name == name {
			// Neither is negative, so that the difference is an int64.
			free := d.In(&n.Offers) - d.Used(&n.Taken).Saturated()
			if free < 0 && d.Value > math.MaxInt64+free {
				return math.MaxInt64
			}
			return max(0, d.Value-free)
		}
	}
	return 0
}

// Takes returns how much of a resource a pod takes; see [ViewedNode].
func (v *NodeOfRule) Takes(pod *outrank.Pod, name resource.Name) int64 {
	i := -1
	if pod != nil {
		i = IndexOfPod(v.Possible, pod)
	}
	switch {
	case i < 0 || v.Possible[i].At.Name != v.W.N.Name:
		return 0
	case name == resource.Pods:
		return 1
	}
	d := filters.Need{Name: name, Column: v.W.A.Asked.Snap.Columns.Of(name)}
	return d.In(&v.Possible[i].Takes)
}

// marked calls f with those of the pods that are possible victims in w.victim, which
// is empty before and afterwards.
func (v *NodeOfRule) marked(pods []*outrank.Pod, f func()) {
	mark := v.W.Victim
	for _, p := range pods {
		if p != nil {
			if i := IndexOfPod(v.Possible, p); i >= 0 {
				v.W.markVictim(i)
			}
		}
	}
	f()
	clear(mark)
}

// CheckWithout asks the filters without some pods; see [ViewedNode].
func (v *NodeOfRule) CheckWithout(pods []*outrank.Pod) (s preemption.Status) {
	v.marked(pods, func() {
		v.W.ChangeMarked(v.Possible, v.W.Victim, -1)
		answer := v.W.Check()
		v.W.ChangeMarked(v.Possible, v.W.Victim, 1)
		if answer.Code == filters.Success && v.W.guard.state != nil {
			answer = v.W.GuardAllows(v.W.markedOf(v.Possible))
		}
		s = v.W.A.Public(answer)
	})
	return s
}

// ViolationsOf counts the violations of victims; see [ViewedNode].
func (v *NodeOfRule) ViolationsOf(pods []*outrank.Pod) (count int) {
	v.marked(pods, func() { count = v.W.Budgets.ViolationsOf(v.W.markedOf(v.Possible)) })
	return count
}
