package invariants

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
)

// fate is what becomes of a unit that could leave.
type fate struct {
	*unit
	leaves bool
	// blocks is what the pod that asks fails with if the unit stays.
	blocks said
}

// letGo returns those of the units that a guard and budgets that are never violated let leave, in order of importance.
// The least important leave first, each beside those that are away by then (rules 13.5.1 and 13.6.3). With a group that
// asks, those that stay are asked about again, until a turn takes nobody away (rule 13.6.8).
func (w *World) letGo(possible []*unit) []*unit {
	var away []*unit
	mayGo := func(u *unit) bool {
		with := append(slices.Clone(away), u)
		return !(w.Policy == strict && w.charge(with).any(u)) && w.allowed(podsOf(with))
	}
	for before := -1; before < len(away); {
		before = len(away)
		for _, u := range slices.Backward(possible) {
			if !slices.Contains(away, u) && mayGo(u) {
				away = append(away, u)
			}
		}
		if w.Asks[0].Group == "" {
			break
		}
	}
	slices.SortFunc(away, w.moreImportant)
	return away
}

// allowed reports whether the guard allows that these pods are away together.
func (w *World) allowed(away []*Pod) bool {
	count := 0
	for _, p := range away {
		count += weight(p.App)
	}
	return w.MostAway < 0 || count <= w.MostAway
}

// fates says what becomes of units that leave together, in order of importance. room is what the pods that ask fail with
// while these pods are gone. First those are put back that break a budget, then the others, and each stays with which
// there is room, if the guard allows it (rules 9.5, 9.6, 12.8.3, 12.9.8 and 13.6.5).
func (w *World) fates(leaving []*unit, room func(gone []*Pod) said) []fate {
	if w.Policy == simplified {
		return w.ascend(leaving, room)
	}

	violated := w.firstBack(leaving)
	var inTurn []fate
	for _, first := range []bool{true, false} {
		for _, u := range leaving {
			if violated.any(u) == first {
				inTurn = append(inTurn, fate{unit: u})
			}
		}
	}

	gone := podsOf(leaving)
	for i := range inTurn {
		f := &inTurn[i]
		back := without(gone, f.pods)
		if f.blocks = room(back); f.blocks == takesIt && !w.allowed(back) {
			f.blocks = curable(guardName, tooManyAway)
		}
		if f.leaves = f.blocks != takesIt; !f.leaves {
			gone = back
		}
	}
	if w.Asks[0].Group != "" {
		w.tryAgain(inTurn, gone, room)
	}
	return inTurn
}

// tryAgain puts units back that the guard alone has kept away, until a turn puts nobody back (rule 13.6.9).
func (w *World) tryAgain(inTurn []fate, gone []*Pod, room func(gone []*Pod) said) {
	var kept []*fate
	for i := range inTurn {
		if inTurn[i].blocks.filter == guardName {
			kept = append(kept, &inTurn[i])
		}
	}
	slices.SortFunc(kept, func(a, b *fate) int { return w.moreImportant(a.unit, b.unit) })
	for again := true; again; {
		again = false
		for _, f := range kept {
			if back := without(gone, f.pods); f.leaves && w.allowed(back) && room(back) == takesIt {
				f.leaves, again, gone = false, true, back
			}
		}
	}
}

// ascend is fates in the simplified form: the least important leave until there is room, and the first of them in any
// case (rule 13.3.1).
func (w *World) ascend(leaving []*unit, room func(gone []*Pod) said) (inTurn []fate) {
	var gone []*Pod
	enough := false
	for _, u := range slices.Backward(leaving) {
		f := fate{unit: u, leaves: !enough}
		if f.leaves {
			f.blocks = room(gone)
			gone = append(gone, u.pods...)
			enough = room(gone) == takesIt
		}
		inTurn = append(inTurn, f)
	}
	return inTurn
}

// onNode says what becomes of the units on a node that the pod that asks might have.
func (w *World) onNode(n *Node) []fate {
	return w.fates(w.letGo(w.possible(w.unitsOn(n.Name))), func(gone []*Pod) said { return w.onceGone(n, gone) })
}

// afterwards is what a node says once all are gone that can: the pod has room, so that the node is a candidate, or the
// reason why it is none (rules 9.2, 9.3, 9.9, 13.2.11, 13.5.2 and 13.6.4).
func (w *World) afterwards(n *Node) said {
	possible := w.possible(w.unitsOn(n.Name))
	room := func(units []*unit) said { return w.onceGone(n, podsOf(units)) }
	free := w.Policy == v113 && room(nil) == takesIt
	switch {
	case len(possible) == 0 && free:
		return takesIt
	case len(possible) == 0:
		return hopeless("", "No preemption victims found for incoming pod")
	case room(possible) != takesIt:
		return room(possible)
	}

	leaving := w.letGo(possible)
	kept := len(leaving) < len(possible)
	switch {
	case w.Policy == exact:
		if room(nil) == takesIt {
			return contradiction(n)
		}
		return takesIt
	case w.Policy == strict && room(leaving) != takesIt:
		return curable("", "making room would violate a disruption budget")
	case kept && w.Policy != strict && (len(leaving) == 0 || room(leaving) != takesIt):
		return curable(guardName, tooManyAway)
	}
	if !free && !slices.ContainsFunc(w.onNode(n), func(f fate) bool { return f.leaves }) {
		return contradiction(n)
	}
	return takesIt
}

// contradiction is the answer of a node that has room with everybody there, though it was said to have none (rule 9.9).
func contradiction(n *Node) said {
	return said{code: preemption.Contradiction, reasons: `expected at least one victim pod on node "` + n.Name + `"`}
}

// tried reports whether preemption is tried on a node (rule 7.1.2).
func (w *World) tried(n *Node) bool { return w.now(n).code == preemption.Unschedulable }

// takes reports whether a node is a candidate.
func (w *World) takes(n *Node) bool { return w.tried(n) && w.afterwards(n) == takesIt }
