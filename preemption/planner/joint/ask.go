package joint

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// ask puts questions to one node about one member: does the member fit there if these pods leave?
type ask struct {
	draft  *draft
	view   preemption.NodeView
	member *member
	node   int
	// units lists the possible victims, the most important first. The pods of a unit leave together.
	units [][]*outrank.Pod
	// gone marks the units that are gone in the next question.
	gone []bool
	// away lists the pods of the marked units. The slice is reused by every question.
	away []*outrank.Pod
	// guard says which pods may leave together. It is nil if any may.
	guard preemption.GuardState
}

// answer says whether a member fits on a node of the draft.
type answer uint8

const (
	never answer = iota // the member does not fit, and may not preempt or evicting pods does not help
	takes               // the member fits without victims
	short               // the member does not fit, but might if some units left
)

// looker returns the view of a node for one pod (see [engine.Evaluator.LookAt]).
type looker = func(node string) (preemption.NodeView, error)

// ask asks a node about a member. If the answer is short, the units that may leave are set.
func (b *draft) ask(lookAt looker, i, node int) (*ask, answer) {
	view, err := lookAt(b.nodes[node].Name)
	if err != nil {
		b.fail(err)
		return nil, never
	}
	a := &ask{draft: b, view: view, member: b.members[i], node: node}
	if !b.step() {
		return a, never
	}

	switch view.Check().Code {
	case preemption.Success:
		return a, takes
	case preemption.Unschedulable:
		if !a.member.evicts { // it may only use room that others made
			break
		}
		a.findUnits()
		a.guard = b.guard(a.member.pod)
		if len(a.units) > 0 {
			return a, short
		}
	}
	return a, never
}

// findUnits groups the possible victims into units that leave together; the pods of a unit are neighbours in
// Possible. A unit that holds a pod of the request is left out, because such a pod is nobody's victim. It is a unit
// of that pod alone: where groups leave together, a request cannot name a pod of a group (rule 12.8.8).
func (a *ask) findUnits() {
	possible := a.view.Possible()
	for k := 0; k < len(possible); {
		end := k + 1
		for end < len(possible) && possible[k].Group != "" && leaveTogether(a.draft.snap, possible[k], possible[end]) {
			end++
		}
		unit := possible[k:end:end]
		k = end
		if slices.ContainsFunc(unit, func(p *outrank.Pod) bool { return a.draft.requested[p] }) {
			continue
		}
		a.units = append(a.units, unit)
	}
	a.gone = make([]bool, len(a.units))
}

// leaveTogether reports whether two running pods belong to one group that can only leave as a whole
// (rules 12.6.3 and 12.6.4).
func leaveTogether(snap *engine.Snapshot, a, b *outrank.Pod) bool {
	group, composite := snap.LeavesWith(a)
	if group == nil && composite == nil {
		return false
	}
	otherGroup, otherComposite := snap.LeavesWith(b)
	return group == otherGroup && composite == otherComposite
}

// fits reports whether the member fits with the marked units gone, and the guard lets them leave together.
func (a *ask) fits() bool {
	if !a.draft.step() {
		return false
	}
	a.away = a.appendVictims(a.away[:0])
	return a.view.Check(a.away...).Code == preemption.Success && a.mayLeave()
}

// mayLeave reports whether the guard lets the pods in away leave together. The guard's state is unchanged
// afterwards.
func (a *ask) mayLeave() bool {
	if a.guard == nil {
		return true
	}
	a.draft.leave(a.guard, a.away)
	allowed := a.guard.Check().Code == preemption.Success
	for _, p := range a.away {
		a.guard.Add(p, a.draft.nodes[a.draft.index[p.NodeName]])
	}
	return allowed
}

// victims lists the pods of the units that are gone, in a slice of its own.
func (a *ask) victims() []*outrank.Pod { return a.appendVictims(nil) }

// appendVictims appends the pods of the units that are gone.
func (a *ask) appendVictims(out []*outrank.Pod) []*outrank.Pod {
	for u, gone := range a.gone {
		if gone {
			out = append(out, a.units[u]...)
		}
	}
	return out
}

// reprieve puts the units that are gone back one by one, in this order, as long as the member still fits. It
// returns false if the member does not fit with all of them gone.
func (a *ask) reprieve(order []int) bool {
	if !a.fits() {
		return false
	}
	for _, u := range order {
		if !a.gone[u] {
			continue
		}
		a.gone[u] = false
		if !a.fits() {
			a.gone[u] = true
		}
	}
	return true
}

// removeAll marks every unit as gone.
func (a *ask) removeAll() {
	for u := range a.gone {
		a.gone[u] = true
	}
}

// manner is an order in which units are reprieved.
type manner uint8

const (
	// important reprieves the most important units first, as package preemption does.
	important manner = iota
	// least reprieves those first that free least of what the member asks for, so that few victims remain.
	least
	// smallest reprieves the smallest units first. Large victims remain, and leave room for further members.
	smallest
)

// order returns the indexes of the units in the order of their reprieve. Units that a budget covers come first,
// and then, unless the manner is important, units of a priority above the floor. So ordering by size makes
// neither the violations nor the top priority worse.
func (a *ask) order(by manner, floor int32) []int {
	order := make([]int, len(a.units))
	class := make([]int, len(a.units)) // units of a lower class are put back first
	sizes := make([]int64, len(a.units))
	totals := a.draft.totals
	for u, unit := range a.units {
		order[u] = u
		f := totals.factsOf(unit[0])
		switch {
		case f.covered:
			class[u] = -2
		case by != important && f.priority > floor:
			class[u] = -1
		}
		if by != important {
			sizes[u] = a.size(unit, by == least)
		}
	}

	// The sort is stable, so equal units keep their order of importance.
	slices.SortStableFunc(order, func(u, v int) int {
		return cmp.Or(cmp.Compare(class[u], class[v]), cmp.Compare(sizes[u], sizes[v]))
	})
	return order
}

// size returns how much a unit frees, summed over the resources that the member asks for, in thousandths of
// the amount asked for. With capped, a pod of the unit counts for at most 1000 in each resource: more of it would
// not help the member.
func (a *ask) size(unit []*outrank.Pod, capped bool) int64 {
	var sum int64
	needs := a.draft.needs(a.member)
	for _, p := range unit {
		for k, amount := range a.draft.amounts(p) {
			if needs[k] <= 0 {
				continue
			}
			share := int64(float64(amount) / float64(needs[k]) * 1000)
			if capped {
				share = min(share, 1000)
			}
			sum += min(max(share, 0), 1<<40)
		}
	}
	return sum
}

// choose returns the victims that remain after a reprieve by this manner. It returns nil if the member does not
// fit with all units gone.
func (a *ask) choose(by manner, floor int32) []*outrank.Pod {
	a.removeAll()
	if !a.reprieve(a.order(by, floor)) {
		return nil
	}
	return a.victims()
}

// settle returns the victims of a member on a node: preferred ones if these are enough, and otherwise as few others
// as the reprieve leaves. They are nil if the member fits already. It returns false if the member does not fit
// whoever leaves.
func (b *draft) settle(lookAt looker, i, node int, prefer map[*outrank.Pod]bool) ([]*outrank.Pod, bool) {
	a, says := b.ask(lookAt, i, node)
	if says != short {
		return nil, says == takes
	}

	var preferred, others []int
	for u, unit := range a.units {
		a.gone[u] = prefer[unit[0]]
		if a.gone[u] {
			preferred = append(preferred, u)
		} else {
			others = append(others, u)
		}
	}
	if a.reprieve(preferred) {
		return a.victims(), true
	}

	// The preferred units are not enough. Others leave, too, but are reprieved first.
	a.removeAll()
	if !a.reprieve(append(others, preferred...)) {
		return nil, false
	}
	return a.victims(), true
}

// rebuild places the members in their order, each on the node assigned to it with the victims that it needs at
// its turn (rule 25.1.3). If a member does not fit there, elsewhere chooses another place; elsewhere may be nil.
// rebuild returns nil if some member finds no place. It leaves the draft as it was.
func (b *draft) rebuild(assigned []int, prefer map[*outrank.Pod]bool, elsewhere func(i int, victims []*outrank.Pod) (spot, bool)) *solution {
	mark := b.snap.Mark()
	defer b.undo(mark)

	s := &solution{spots: make([]spot, len(b.members))}
	var gone []*outrank.Pod
	for i, node := range assigned {
		lookAt := b.lookFor(i)
		if node < 0 || lookAt == nil {
			return nil
		}
		victims, ok := b.settle(lookAt, i, node, prefer)
		s.spots[i] = spot{node, victims}
		if ok { // asking is not enough: see place
			_, ok = b.place(i, s.spots[i])
		}

		// A place that failed has changed nothing, so another node can be tried.
		if !ok && elsewhere != nil {
			if s.spots[i], ok = elsewhere(i, gone); ok {
				_, ok = b.place(i, s.spots[i])
			}
		}
		if !ok {
			return nil
		}
		gone = append(gone, s.spots[i].victims...)
	}
	s.total = b.totals.total(s.victims())
	return s
}
