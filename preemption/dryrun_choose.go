package preemption

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// choose finds the victims by the caller's rule (see [Chooser]).
func (w *dryRunner) choose(possible []*state.PodState) filters.Status {
	w.victim = state.Fill(w.victim, len(possible), false)
	rule := w.a.config.Chooser
	if w.err != nil {
		return filters.Status{Code: decision.Unschedulable, By: filters.ByNone, Text: []string{w.err.Error()}}
	}
	if s := w.withAllGone(possible); s.Code != decision.Success {
		return s
	}
	view := NodeView{&nodeOfRule{w, possible}}
	chosen := rule.Choose(&view)
	view.of = noNode{}
	if len(chosen) == 0 {
		return filters.Status{Code: decision.Unschedulable, By: filters.ByNone, Text: []string{"rule " + rule.Name + " chose no victims"}}
	}
	if w.err = w.takeChosen(possible, chosen); w.err != nil {
		return filters.Status{Code: decision.Unschedulable, By: filters.ByNone, Text: []string{w.err.Error()}}
	}
	w.chargeVictims(possible)
	return w.strictly(possible)
}

// takeChosen checks what the rule chose and removes it.
func (w *dryRunner) takeChosen(possible []*state.PodState, chosen []*outrank.Pod) error {
	bad := func(format string, args ...any) error {
		for i := range w.victim {
			w.victim[i] = false
		}
		return fmt.Errorf("rule %s: node %s: %w: %s", w.a.config.Chooser.Name, w.n.Name, outrank.ErrInvalid, fmt.Sprintf(format, args...))
	}
	for _, p := range chosen {
		if p == nil {
			return bad("a victim is missing")
		}
		switch i := indexOfPod(possible, p); {
		case i < 0 && indexOfPod(w.n.Pods, p) < 0:
			return bad("victim %s does not run there", p.Key())
		case i < 0 || possible[i].At.Name != w.n.Name:
			return bad("victim %s must not be evicted", p.Key())
		case len(w.units) == 0 && w.victim[i]:
			return bad("victim %s is named twice", p.Key())
		default:
			w.markVictim(i)
		}
	}
	w.changeMarked(possible, w.victim, -1)
	if s := w.check(); s.Code != decision.Success {
		w.restoreVictims(possible)
		return bad("without the victims pod %s does not fit: %s", w.a.Pod.Key(), w.a.public(s))
	}
	if s := w.guardAllows(w.markedOf(possible)); s.Code != decision.Success {
		w.restoreVictims(possible)
		return bad("the victims may not leave together: %s", w.a.public(s))
	}
	return nil
}

// markedOf lists those of the possible victims that are marked.
func (w *dryRunner) markedOf(possible []*state.PodState) []*state.PodState {
	var out []*state.PodState
	for i, p := range possible {
		if w.victim[i] {
			out = append(out, p)
		}
	}
	return out
}

// contradicted notes that a node with victims has none when it is asked about again:
// something that the caller configured does not always answer the same.
func (w *dryRunner) contradicted() {
	if w.err == nil {
		w.err = fmt.Errorf("node %s: %w: there were victims, and there are none when the node is asked about again", w.n.Name, outrank.ErrInvalid)
	}
}

func indexOfPod(pods []*state.PodState, p *outrank.Pod) int {
	return slices.IndexFunc(pods, func(q *state.PodState) bool { return q.Pod == p || state.SameName(q.Pod, p) && state.SamePod(q.Pod, p) })
}

// blocksOfChosen finds what the preemptor fails with when each of the victims is put
// back alone, with those that leave with it. The victims are away.
func (w *dryRunner) blocksOfChosen(possible []*state.PodState) {
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		if !w.victim[from] {
			continue
		}
		s := w.beside(possible[from:to])
		for i := from; i < to; i++ {
			w.blocks[i] = s
		}
	}
}

// nodeOfRule is the node of a dry run as a rule sees it, with every pod on it.
type nodeOfRule struct {
	w        *dryRunner
	possible []*state.PodState
}

func (v *nodeOfRule) preemptor() *outrank.Pod         { return v.w.a.Pod }
func (v *nodeOfRule) viewed() *outrank.Node           { return v.w.n.Node }
func (v *nodeOfRule) possibleVictims() []*outrank.Pod { return state.PodsOf(v.w.here(v.possible)) }

func (v *nodeOfRule) short(name resource.Name) int64 {
	n := v.w.n
	if name == resource.Pods {
		return max(0, int64(len(n.Pods))+1-n.MaxPods)
	}
	for i := range v.w.a.Needs {
		if d := &v.w.a.Needs[i]; d.Name == name {
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

func (v *nodeOfRule) takes(pod *outrank.Pod, name resource.Name) int64 {
	i := -1
	if pod != nil {
		i = indexOfPod(v.possible, pod)
	}
	switch {
	case i < 0 || v.possible[i].At.Name != v.w.n.Name:
		return 0
	case name == resource.Pods:
		return 1
	}
	d := filters.Need{Name: name, Column: v.w.a.Snap.Columns.Of(name)}
	return d.In(&v.possible[i].Takes)
}

// marked calls f with those of the pods that are possible victims in w.victim, which
// is empty before and afterwards.
func (v *nodeOfRule) marked(pods []*outrank.Pod, f func()) {
	mark := v.w.victim
	for _, p := range pods {
		if p != nil {
			if i := indexOfPod(v.possible, p); i >= 0 {
				v.w.markVictim(i)
			}
		}
	}
	f()
	clear(mark)
}

func (v *nodeOfRule) checkWithout(pods []*outrank.Pod) (s decision.Status) {
	v.marked(pods, func() {
		v.w.changeMarked(v.possible, v.w.victim, -1)
		answer := v.w.check()
		v.w.changeMarked(v.possible, v.w.victim, 1)
		if answer.Code == decision.Success && v.w.guard.state != nil {
			answer = v.w.guardAllows(v.w.markedOf(v.possible))
		}
		s = v.w.a.public(answer)
	})
	return s
}

func (v *nodeOfRule) violationsOf(pods []*outrank.Pod) (count int) {
	v.marked(pods, func() { count = v.w.budgets.violationsOf(v.w.markedOf(v.possible)) })
	return count
}
