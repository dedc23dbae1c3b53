package joint

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// ask is one member in front of one node, and who could leave there.
type ask struct {
	draft  *draft
	view   preemption.NodeView
	member *member
	node   int
	// units leave whole, the most important first.
	units [][]*outrank.Pod
	// gone marks the units that are gone in the question to come.
	gone []bool
	// away lists the pods of these units. Its memory is kept for the next question.
	away []*outrank.Pod
	// guard says which of them may leave together, nil for any.
	guard preemption.GuardState
}

// answer is what a node says to a member in the draft as it is.
type answer uint8

const (
	never answer = iota // nobody's loss helps, or the member may not preempt
	takes               // the member fits as things are
	short               // the member fits if pods leave, for all that is known
)

// looker turns to a node for one pod (see [engine.Evaluator.LookAt]).
type looker = func(node string) (preemption.NodeView, error)

// ask asks a node about a member. It lists the units that may leave where the answer is short.
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
		if !a.member.evicts { // it may only fit in the room that others made
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

// findUnits groups the possible victims into units. A unit with a pod of the request is none. Where groups
// leave together such a pod stands in no unit beside others, because a pod of a group is not asked about
// alone there (rule 12.8.8). The possible victims of a unit stand side by side.
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

// leaveTogether reports whether two running pods leave together, because both are of one group that
// leaves whole (rules 12.6.3 and 12.6.4).
func leaveTogether(snap *engine.Snapshot, a, b *outrank.Pod) bool {
	group, composite := snap.LeavesWith(a)
	if group == nil && composite == nil {
		return false
	}
	otherGroup, otherComposite := snap.LeavesWith(b)
	return group == otherGroup && composite == otherComposite
}

// fits reports whether the member fits with the marked units gone, and whether they may leave together.
func (a *ask) fits() bool {
	if !a.draft.step() {
		return false
	}
	a.away = a.appendVictims(a.away[:0])
	return a.view.Check(a.away...).Code == preemption.Success && a.mayLeave()
}

// mayLeave asks the guard whether the pods in away may leave together, and tells it that they are back.
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

// victims lists the pods of the units that are gone.
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

// reprieve puts back, in this order, every unit with which the pod still fits. It starts with the units that
// are gone, and returns false if the pod does not fit without these.
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

// manner is an order in which units are put back.
type manner uint8

const (
	// important spares the most important pods, as the reference does.
	important manner = iota
	// least spares whoever frees least of what the pod lacks, which leaves few victims.
	least
	// smallest spares the smallest pods, which leaves room for others beside the pod.
	smallest
)

// order returns the units in the order in which they are put back. Those that a budget covers come first,
// then those above the floor, so that a manner that goes by size does not make violations or the top priority
// worse.
func (a *ask) order(by manner, floor int32) []int {
	order := make([]int, len(a.units))
	class := make([]int, len(a.units)) // the lower, the sooner
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

	// Equal ones stay in the order of importance.
	slices.SortStableFunc(order, func(u, v int) int {
		return cmp.Or(cmp.Compare(class[u], class[v]), cmp.Compare(sizes[u], sizes[v]))
	})
	return order
}

// size returns how much a unit frees: the sum over the resources that the pod asks for, each in thousandths
// of what it asks for. With capped a resource of one pod of the unit counts for no more than a thousand.
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

// choose returns the victims by a manner, nil where nothing helps.
func (a *ask) choose(by manner, floor int32) []*outrank.Pod {
	a.removeAll()
	if !a.reprieve(a.order(by, floor)) {
		return nil
	}
	return a.victims()
}

// settle returns who leaves for the member on a node, and as few as possible who are not preferred. Nobody
// leaves where the member fits. It returns false where the node does not take the member whoever leaves.
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

	// The preferred ones are not enough. Of all, the others are the first to be put back.
	a.removeAll()
	if !a.reprieve(append(others, preferred...)) {
		return nil, false
	}
	return a.victims(), true
}

// rebuild places every member, in their order, on the node that it is assigned to, and nobody leaves who is
// not needed at that point (rule 25.1.3). A member that finds no place there goes where elsewhere says; that
// may be nil. rebuild returns nil where a member finds no place at all. The draft is unchanged in the end.
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
		if ok {
			_, ok = b.place(i, s.spots[i])
		}

		// place has changed nothing, so another node can be tried beside the members before.
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
