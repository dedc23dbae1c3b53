package dryrun

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// guardRemoves tells the guard that these pods leave.
func (w *DryRunner) guardRemoves(pods []*state.PodState) {
	guard := &w.guard
	for _, p := range pods {
		guard.state.Remove(p.Pod, w.nodeOf(p))
	}
}

// guardAdds tells the guard that these pods are back.
func (w *DryRunner) guardAdds(pods []*state.PodState) {
	guard := &w.guard
	for _, p := range pods {
		guard.state.Add(p.Pod, w.nodeOf(p))
	}
}

// nodeOf returns the node that a pod runs on.
func (w *DryRunner) nodeOf(p *state.PodState) *outrank.Node {
	if p.At.Name == w.N.Name {
		return w.N.Node
	}
	return w.snap.NodeState(p.At.Name).Node
}

// check asks the guard about the pods that are away.
func (g *guarded) check() filters.Status {
	s := g.state.Check()
	if s.Code == preemption.Success {
		return filters.Status{}
	}
	return filters.Status{Code: filters.Unschedulable, By: filters.ByGuard, Text: s.Reasons}
}

// GuardAllows asks the guard whether these pods may be away together. Without a guard they may.
// Before the call and after it nobody is away, as far as the guard knows.
func (w *DryRunner) GuardAllows(pods []*state.PodState) filters.Status {
	if w.guard.state == nil {
		return filters.Status{}
	}
	w.guardRemoves(pods)
	s := w.guard.check()
	w.guardAdds(pods)
	return s
}

// Chargeable returns the possible victims for which budgets are charged: those that the guard lets
// go. A chooser is shown all of them, and the guard is asked about its choice.
func (w *DryRunner) Chargeable() []*state.PodState {
	possible := w.Possible()
	if w.guard.state == nil || w.terms.Chooser != nil {
		return possible
	}
	admitted, _ := w.admitted(possible)
	return admitted
}

// admitted returns the possible victims that the guard lets go, in their order. They are taken
// away one after the other, the least important first, and each stays whose loss the guard refuses
// beside those that are away by then (rule 13.6.3). A unit leaves or stays whole. Everybody is back
// in the end. refusal is what the guard said when it first kept somebody, Success if it kept nobody.
func (w *DryRunner) admitted(possible []*state.PodState) (admitted []*state.PodState, refusal filters.Status) {
	w.Victim = state.Fill(w.Victim, len(possible), false) // marks the pods that the guard lets go
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		s := w.takeIfAllowed(possible[from:to])
		w.Victim[from] = s.Code == filters.Success
		if refusal.Code == filters.Success {
			refusal = s
		}
	}

	// From here on the units are those of the admitted pods, by their places among these.
	let := w.guard.let[:0]
	units := make([]dryUnit, 0, len(w.units))
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		if !w.Victim[from] {
			continue
		}

		w.guardAdds(possible[from:to])
		if len(w.units) > 0 {
			u := *w.unitAt(from)
			u.from, u.to = len(let), len(let)+to-from
			units = append(units, u)
		}
		let = append(let, possible[from:to]...)
	}
	clear(w.Victim)

	// Where nobody may go, the possible victims stay the ones that are reported, and their units, too.
	if len(units) > 0 {
		w.units = units
	}
	w.guard.let = let
	return let, refusal
}

// takeIfAllowed takes pods away that leave together, as far as the guard is concerned. If the
// guard refuses that, it returns what the guard said, and the pods are back.
func (w *DryRunner) takeIfAllowed(pods []*state.PodState) filters.Status {
	w.guardRemoves(pods)
	s := w.guard.check()
	if s.Code != filters.Success {
		w.guardAdds(pods)
	}
	return s
}

// checkWithout asks the filters with all of these pods gone, and puts them back.
func (w *DryRunner) checkWithout(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, -1)
	s := w.Check()
	w.ChangeAll(pods, 1)
	return s
}

// checkWithoutOthers asks the filters with all possible victims gone, where some of them are gone
// already. The list of those has the order of the possible victims.
func (w *DryRunner) checkWithoutOthers(possible, gone []*state.PodState) filters.Status {
	var others []*state.PodState
	for _, p := range possible {
		if len(gone) > 0 && p == gone[0] {
			gone = gone[1:]
			continue
		}
		others = append(others, p)
	}
	return w.checkWithout(others)
}

// guardFollows tells the guard of a reprieve. Before it, all of these pods leave. After it
// (ended), the victims among them are put back, because the guard starts each walk with nobody away.
func (w *DryRunner) guardFollows(possible []*state.PodState, ended bool) {
	switch {
	case w.guard.state == nil:
	case !ended:
		w.guardRemoves(possible)
	default:
		w.guardAdds(w.markedOf(possible))
	}
}

// putBack puts back pods that leave together, if the preemptor still fits with them and the guard
// allows that those who remain away are away without them (rule 13.6.5). If not, they stay away,
// and the status says why.
func (w *DryRunner) putBack(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, 1)
	s := w.Check()

	if w.guard.state != nil && s.Code == filters.Success {
		w.guardAdds(pods)
		if s = w.guard.check(); s.Code != filters.Success {
			w.guardRemoves(pods)
		}
	}

	if s.Code != filters.Success {
		w.ChangeAll(pods, -1)
	}
	return s
}

// ruled reports whether the caller has rules that name why a pod may be a victim.
func (a *Attempt) ruled() bool { return a.guard != nil || a.Config.AsksAbout() }

// NameRules notes for each victim the name of the rule that lets it leave. gone are the same pods.
// The guard is asked first, and where it has no name, the rule about who may be taken.
func (w *DryRunner) NameRules(gone []*state.PodState, victims []preemption.Victim) {
	if !w.A.ruled() {
		return
	}

	// The guard names the rule of a pod beside the others that are away, so that all of them leave first.
	guard := &w.guard
	if guard.state != nil {
		w.guardRemoves(gone)
	}
	for i, p := range gone {
		rule := ""
		if guard.state != nil {
			rule = guard.state.Rule(p.Pod)
		}
		if rule == "" {
			rule = w.terms.RuleOf(w.A.Pod, p.Pod)
		}
		victims[i].Rule = rule
	}

	if guard.state != nil {
		w.guardAdds(gone)
	}
}
