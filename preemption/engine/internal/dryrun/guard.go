package dryrun

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

func (w *DryRunner) guardRemoves(pods []*state.PodState) {
	for _, p := range pods {
		w.guard.state.Remove(p.Pod, w.nodeOf(p))
	}
}

func (w *DryRunner) guardAdds(pods []*state.PodState) {
	for _, p := range pods {
		w.guard.state.Add(p.Pod, w.nodeOf(p))
	}
}

// nodeOf returns the node of a pod of any node.
func (w *DryRunner) nodeOf(p *state.PodState) *outrank.Node {
	if p.At.Name == w.N.Name {
		return w.N.Node
	}
	return w.snap.NodeState(p.At.Name).Node
}

// guardChecks asks the guard about those who are away.
func (w *DryRunner) guardChecks() filters.Status {
	s := w.guard.state.Check()
	if s.Code == preemption.Success {
		return filters.Status{}
	}
	return filters.Status{Code: filters.Unschedulable, By: filters.ByGuard, Text: s.Reasons}
}

// GuardAllows asks the guard about these pods away together, and puts them back.
func (w *DryRunner) GuardAllows(pods []*state.PodState) filters.Status {
	if w.guard.state == nil {
		return filters.Status{}
	}
	w.guardRemoves(pods)
	s := w.guardChecks()
	w.guardAdds(pods)
	return s
}

// Chargeable returns the possible victims that budgets are charged for: all that may be
// victims after the guard has been asked.
func (w *DryRunner) Chargeable() []*state.PodState {
	possible := w.Possible()
	if w.guard.state == nil || w.terms.Chooser != nil {
		return possible
	}
	return w.admitted(possible)
}

// admitted returns those of the possible victims that the guard lets go, in their order:
// they are taken away one after the other, the least important first, and each stays
// whose loss it refuses beside those that are away by then (rule 13.6.3). Units go or
// stay whole; those that stay are none any more, unless nobody may go. Everybody is back in the end.
func (w *DryRunner) admitted(possible []*state.PodState) []*state.PodState {
	g := &w.guard
	g.refusal, g.let = filters.Status{}, g.let[:0]
	w.Victim = state.Fill(w.Victim, len(possible), false) // who goes
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		w.Victim[from] = w.admits(possible[from:to])
	}
	units := make([]dryUnit, 0, len(w.units))
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		if !w.Victim[from] {
			continue
		}
		w.guardAdds(possible[from:to])
		if len(w.units) > 0 {
			u := *w.unitAt(from)
			u.from, u.to = len(g.let), len(g.let)+to-from
			units = append(units, u)
		}
		g.let = append(g.let, possible[from:to]...)
	}
	clear(w.Victim)
	if len(units) > 0 {
		w.units = units
	}
	return g.let
}

// admits takes pods away, as far as the guard is concerned, that leave together. If it
// refuses, they are back.
func (w *DryRunner) admits(pods []*state.PodState) bool {
	w.guardRemoves(pods)
	s := w.guardChecks()
	if s.Code == filters.Success {
		return true
	}
	w.guardAdds(pods)
	if w.guard.refusal.Code == filters.Success {
		w.guard.refusal = s
	}
	return false
}

// withAllGone asks the filters with all of these pods gone, and puts them back.
func (w *DryRunner) withAllGone(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, -1)
	s := w.Check()
	w.ChangeAll(pods, 1)
	return s
}

// withOthersGone asks the filters with all possible victims gone, where those that the
// guard lets go are gone already. Both lists have the same order.
func (w *DryRunner) withOthersGone(possible, gone []*state.PodState) filters.Status {
	var others []*state.PodState
	for _, p := range possible {
		if len(gone) > 0 && p == gone[0] {
			gone = gone[1:]
			continue
		}
		others = append(others, p)
	}
	return w.withAllGone(others)
}

// guardFollows has the guard follow a reprieve: before it, all of these pods leave, and
// after it, the victims among them come back.
func (w *DryRunner) guardFollows(possible []*state.PodState, ended bool) {
	switch {
	case w.guard.state == nil:
	case !ended:
		w.guardRemoves(possible)
	default:
		w.guardAdds(w.markedOf(possible))
	}
}

// putBack puts pods back that leave together, and asks whether the preemptor still fits
// and, of the guard, whether those that remain away may be away without them (rule
// 13.6.5). If not, they are away again.
func (w *DryRunner) putBack(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, 1)
	s := w.Check()
	if w.guard.state != nil && s.Code == filters.Success {
		w.guardAdds(pods)
		if s = w.guardChecks(); s.Code != filters.Success {
			w.guardRemoves(pods)
		}
	}
	if s.Code != filters.Success {
		w.ChangeAll(pods, -1)
	}
	return s
}

// ruled reports whether the caller has rules with names for victims.
func (a *Attempt) ruled() bool { return a.guard != nil || a.Config.AsksAbout() }

// NameRules says of each victim which rule allows it.
func (w *DryRunner) NameRules(gone []*state.PodState, victims []preemption.Victim) {
	if !w.A.ruled() {
		return
	}
	if w.guard.state != nil {
		w.guardRemoves(gone)
	}
	for i, p := range gone {
		rule := ""
		if w.guard.state != nil {
			rule = w.guard.state.Rule(p.Pod)
		}
		if rule == "" {
			rule = w.terms.RuleOf(w.A.Pod, p.Pod)
		}
		victims[i].Rule = rule
	}
	if w.guard.state != nil {
		w.guardAdds(gone)
	}
}
