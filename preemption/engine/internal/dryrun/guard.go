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

// check asks the guard whether the removed pods may be gone together.
func (g *guarded) check() filters.Status {
	s := g.state.Check()
	if s.Code == preemption.Success {
		return filters.Status{}
	}
	return filters.Status{Code: filters.Unschedulable, By: filters.ByGuard, Text: s.Reasons}
}

// GuardAllows asks the guard whether these pods may be gone together. Without a guard they may. Before the
// call and after it the guard sees all pods in place.
func (w *DryRunner) GuardAllows(pods []*state.PodState) filters.Status {
	if w.guard.state == nil {
		return filters.Status{}
	}
	w.guardRemoves(pods)
	s := w.guard.check()
	w.guardAdds(pods)
	return s
}

// Chargeable returns the possible victims for which budgets are charged: those that the guard lets go. With a
// chooser it returns all of them, because the guard is asked about the chooser's choice.
func (w *DryRunner) Chargeable() []*state.PodState {
	possible := w.Possible()
	if w.guard.state == nil || w.terms.Chooser != nil {
		return possible
	}
	admitted, _ := w.admitted(possible)
	return admitted
}

// admitted returns the possible victims that the guard lets go, in their order. They are removed one after
// another, the least important first. A pod stays if the guard refuses its loss beside the pods removed
// before it (rule 13.6.3). A unit leaves or stays whole. All pods are back in the end. refusal is the guard's
// first refusal, Success if it kept no pod.
func (w *DryRunner) admitted(possible []*state.PodState) (admitted []*state.PodState, refusal filters.Status) {
	w.Victim = state.Fill(w.Victim, len(possible), false) // marks the first pod of each unit that the guard lets go
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		s := w.takeIfAllowed(possible[from:to])
		w.Victim[from] = s.Code == filters.Success
		if refusal.Code == filters.Success {
			refusal = s
		}
	}

	// From here on w.units has the units of the admitted pods, with their places among these.
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

	// If no pod may go, the caller goes on with the possible victims, and w.units must stay theirs.
	if len(units) > 0 {
		w.units = units
	}
	w.guard.let = let
	return let, refusal
}

// takeIfAllowed removes pods that leave together, for the guard only. If the guard refuses, they are put
// back, and the status is the guard's.
func (w *DryRunner) takeIfAllowed(pods []*state.PodState) filters.Status {
	w.guardRemoves(pods)
	s := w.guard.check()
	if s.Code != filters.Success {
		w.guardAdds(pods)
	}
	return s
}

// checkWithout asks the filters with all of these pods removed, and puts them back.
func (w *DryRunner) checkWithout(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, -1)
	s := w.Check()
	w.ChangeAll(pods, 1)
	return s
}

// checkWithoutOthers asks the filters with all possible victims removed. Those in gone are removed already,
// and are listed in the order of the possible victims.
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

// guardFollows informs the guard of a reprieve. Before it, all of these pods leave. After it (ended), the
// victims among them are put back, because between uses the guard sees all pods in place.
func (w *DryRunner) guardFollows(possible []*state.PodState, ended bool) {
	switch {
	case w.guard.state == nil:
	case !ended:
		w.guardRemoves(possible)
	default:
		w.guardAdds(w.markedOf(possible))
	}
}

// putBack puts back pods that leave together, if the preemptor still fits and the guard allows the remaining
// pods to be gone without them (rule 13.6.5). Otherwise they stay removed, and the status says why.
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

// ruled reports whether the caller has rules that can name why a pod is a victim.
func (a *Attempt) ruled() bool { return a.guard != nil || a.Config.AsksAbout() }

// NameRules fills in, for each victim, the name of the rule that lets it leave. gone has the states of the
// same pods. The guard is asked first and, if it gives no name, the rule Eligibility.Take.
func (w *DryRunner) NameRules(gone []*state.PodState, victims []preemption.Victim) {
	if !w.A.ruled() {
		return
	}

	// The rule that the guard names may depend on the other victims, so that all of them are removed first.
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
