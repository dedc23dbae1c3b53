package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// BoundNodes bounds a chunk of the nodes, and counts their answers.
func (w *Worker) BoundNodes(from, to int) {
	order, plain := w.snap.Order, !w.search.Filtered && !w.search.Attempt.Plan.Selects && !w.search.Rules.exactly
	for position := from; position < to; position++ {
		b, slot := &w.search.Bounds[position], order[position]
		if sum := w.snap.Summaries.At(slot); sum.Flags&^w.search.light == 0 && (plain || w.RulesPass(slot)) {
			w.boundByResources(b, slot, sum)
		} else {
			w.boundFiltered(b, position, slot)
		}
		w.before.count(b.before, 1)
		w.after.count(b.after, 1)
	}
}

// RulesPass reports whether resources alone decide on a node without flags, because
// all other filters are rules of the caller that are known to pass there.
func (w *Worker) RulesPass(slot int32) bool {
	return w.search.tabled && !w.search.Rules.exactly && w.search.Attempt.Plan.PassesTables(slot)
}

// BoundNode bounds a single node.
func (w *Worker) BoundNode(b *NodeBound, position int, slot int32) {
	plain := !w.search.Filtered && !w.search.Attempt.Plan.Selects && !w.search.Rules.exactly
	if sum := w.snap.Summaries.At(slot); sum.Flags&^w.search.light == 0 && (plain || w.RulesPass(slot)) {
		w.boundByResources(b, slot, sum)
	} else {
		w.boundFiltered(b, position, slot)
	}
}

// BoundByResources bounds a node on which resources alone decide. It writes the
// bound in place, because copying a bound costs more than finding it.
func (w *Worker) boundByResources(b *NodeBound, slot int32, sum *state.NodeSummary) {
	*b = NodeBound{before: w.Shortage(sum)}
	if b.before == 0 {
		return
	}
	if sum.LowPods > 0 && int64(sum.Lowest) < w.search.Attempt.Reach && w.covers(sum, &sum.Low, int32(sum.LowPods)) {
		b.Kind, b.Bound, b.fewest = byResources, sum.Lowest, uint16(sum.Fewest(&w.search.asks))
		if sum.Lowest < w.leastBound || sum.Lowest == w.leastBound && b.fewest < w.leastVictims {
			w.leastBound, w.leastVictims = sum.Lowest, b.fewest
		}
	} else if w.withoutLower(b, slot, sum) {
		w.boundVictims(b, sum)
	}
}

// boundVictims completes the bound of a candidate whose least top priority is
// known.
func (w *Worker) boundVictims(b *NodeBound, sum *state.NodeSummary) {
	b.fewest = 1
	if b.Bound == sum.Lowest {
		b.fewest = uint16(sum.Fewest(&w.search.asks))
	}
	if b.Bound < w.leastBound || b.Bound == w.leastBound && b.fewest < w.leastVictims {
		w.leastBound, w.leastVictims = b.Bound, b.fewest
	}
}

// short returns what the node lacks of each column.
func (w *Worker) short(sum *state.NodeSummary) (short state.AmountRow) {
	for k := range short {
		if w.search.asks[k] > sum.Free[k] {
			short[k] = w.search.asks[k] - sum.Free[k]
		}
	}
	return short
}

// Shortage returns the answer of a node as things are, 0 if it takes the pod.
func (w *Worker) Shortage(sum *state.NodeSummary) (key answer) {
	for k := range sum.Free {
		if w.search.asks[k] > sum.Free[k] {
			key |= 1 << k
		}
	}
	if sum.Room < 1 {
		key |= tooManyPods
	}
	return key
}

// covers reports whether removing pods that hold this much makes room.
func (w *Worker) covers(sum *state.NodeSummary, held *state.AmountRow, pods int32) bool {
	for k := range sum.Free {
		if w.search.asks[k] > sum.Free[k]+held[k] {
			return false
		}
	}
	return int32(sum.Room)+pods >= 1
}

// boundByAsking is BoundByResources where the caller has to be asked who may be
// evicted.
func (w *Worker) boundByAsking(b *NodeBound, slot int32, sum *state.NodeSummary) {
	*b = NodeBound{before: w.Shortage(sum)}
	if b.before != 0 && w.makesRoom(b, slot, sum) {
		w.boundVictims(b, sum)
	}
}

// makesRoom reports whether a node that is short of resources has room with all
// possible victims removed, and bounds the top priority as withoutLower does. The
// caller is asked about the pods from the least important up until there is room.
func (w *Worker) makesRoom(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	if !w.search.Rules.exactly {
		return w.withoutLower(b, slot, sum)
	}
	n := w.snap.NodeStates[slot]
	var away state.Level
	for i := len(n.Rows) - 1; i >= 0 && int64(n.SortKeys[i].Priority) < w.search.Attempt.Reach; i-- {
		if !w.allows(n.Objects[i]) {
			continue
		}
		away.Pods++
		for k, v := range n.Rows[i] {
			away.Held[k] += v
		}
		if w.covers(sum, &away.Held, away.Pods) {
			b.Kind, b.Bound = byResources, n.SortKeys[i].Priority
			return true
		}
	}
	w.recordShortage(b, slot, sum, &away)
	return false
}

// anyPossible reports whether any pod of the node could be a victim.
func (w *Worker) anyPossible(n *state.NodeState) bool {
	for i := len(n.Pods) - 1; i >= 0 && int64(n.SortKeys[i].Priority) < w.search.Attempt.Reach; i-- {
		if w.allows(n.Objects[i]) {
			return true
		}
	}
	return false
}

// withoutLower reports whether a node that is short of resources has room with
// all pods of lower priority removed. If so, it bounds the top priority of the
// victims; otherwise it records the shortage.
func (w *Worker) withoutLower(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	away := state.Level{Held: sum.Low, Priority: sum.Lowest, Pods: int32(sum.LowPods)}
	if away.Pods == 0 || int64(away.Priority) >= w.search.Attempt.Reach {
		away = state.Level{}
	}
	for i := 1; away.Pods > 0; i++ {
		if w.covers(sum, &away.Held, away.Pods) {
			b.Kind, b.Bound = byResources, away.Priority
			return true
		}
		above := w.snap.LevelAbove(slot, i)
		if above == nil || int64(above.Priority) >= w.search.Attempt.Reach {
			break
		}
		away = *above
	}
	w.recordShortage(b, slot, sum, &away)
	return false
}

// recordShortage completes the bound of a node that has no room even with away
// removed, which is all pods of lower priority.
func (w *Worker) recordShortage(b *NodeBound, slot int32, sum *state.NodeSummary, away *state.Level) {
	offers := &w.snap.NodeStates[slot].Offers.Std
	for k := range w.search.asks {
		if w.search.asks[k] > offers[k] {
			b.before |= unresolvable
		}
	}
	switch {
	case b.before&unresolvable != 0 && !w.search.given.any:
	case away.Pods == 0:
		b.after = noVictims
	default:
		without := *sum
		for k := range without.Free {
			without.Free[k] += away.Held[k]
		}
		without.Room = int16(min(int32(sum.Room)+away.Pods, state.MostPods))
		b.after = w.Shortage(&without) | b.before&unresolvable
	}
}

// boundFiltered bounds a node about which the summary does not tell everything.
func (w *Worker) boundFiltered(b *NodeBound, position int, slot int32) {
	*b = NodeBound{}
	n := w.snap.NodeStates[slot]
	sum := w.snap.Summaries.At(slot)
	if sum.Flags&state.Restricted != 0 || w.search.Attempt.Plan.Selects {
		if st := w.search.Attempt.Plan.CheckNode(&w.search.Attempt.Asked, n); st.Code != decision.Success {
			b.before = w.before.intern(st)
			return
		}
	}
	w.boundPods(b, position, slot)
}

// boundPods is boundFiltered without the node filters.
func (w *Worker) boundPods(b *NodeBound, position int, slot int32) {
	n := w.snap.NodeStates[slot]
	sum := w.snap.Summaries.At(slot)
	var adjusted state.NodeSummary
	sum, plain := w.summaryFor(n, sum, &adjusted)
	switch {
	case sum.Flags&state.AnyUnits != 0 && (w.search.light == 0 || sum.Flags&state.OtherPriorities != 0 || !w.search.Attempt.Plan.Fixed || !plain):
		w.boundUnits(b, position, slot, sum, plain)
	case !w.search.Filtered && plain && w.search.Rules.exactly:
		w.boundByAsking(b, slot, sum)
	case !w.search.Filtered && plain:
		w.boundByResources(b, slot, sum)
	case !plain || w.search.AnyPod || sum == &adjusted || w.search.Attempt.Plan.Touched(n, 0, w.search.Attempt.Plan.BeforeResources):
		w.boundByFilters(b, position, slot, sum, plain)
	default:
		w.boundWithFilters(b, position, slot, sum)
	}
}

// summaryFor returns the node's summary with the nominated pods that the
// preemptor has to leave room for counted as running. It is not ok if the sums
// are too large for that. Without those pods there is only more room, so the
// second pass of the filters is not needed (rule 7.16.2).
func (w *Worker) summaryFor(n *state.NodeState, sum *state.NodeSummary, space *state.NodeSummary) (adjusted *state.NodeSummary, ok bool) {
	if sum.Flags&state.LargeAmounts != 0 {
		return sum, false
	}
	if sum.Flags&state.HasNominated == 0 {
		return sum, true
	}
	w.Dry.Nominate(n)
	if len(w.Dry.Nominated) == 0 {
		return sum, true
	}
	*space = *sum
	for _, p := range w.Dry.Nominated {
		for k, v := range p.Takes.Std {
			space.Free[k] -= v
		}
		space.Room = max(space.Room, -state.MostPods) - 1
	}
	return space, true
}

// boundWithFilters bounds a node if filters after NodeResourcesFit have
// something to say, no pod touches a filter before it, and no nominated pod
// counts. If no pod of the node touches the later filters, their answer is the
// same whichever pods leave.
func (w *Worker) boundWithFilters(b *NodeBound, position int, slot int32, sum *state.NodeSummary) {
	n := w.snap.NodeStates[slot]
	b.before = w.Shortage(sum)
	if b.before != 0 {
		if !w.makesRoom(b, slot, sum) {
			return
		}
		if w.search.Attempt.Plan.Selective {
			b.Kind = unasked
			w.boundVictims(b, sum)
			return
		}
	}
	touched := w.search.Attempt.Plan.Touched(n, w.search.Attempt.Plan.BeforeResources, len(w.search.Attempt.Plan.Active))
	switch {
	case b.before == 0 && !touched && !w.search.given.any:
		w.boundWithRoom(b, n, sum)
		return
	case b.before == 0:
		w.boundByFilters(b, position, slot, sum, true)
		return
	case touched && (w.search.Attempt.Config.Ascending() || !w.helpsAtMostWithAll(n)):
		w.settle(b, position, n) // with all of them removed it may fail again
		b.Kind = Settled
		return
	}
	w.Dry.EnterAfterResources(n)
	var away []*state.PodState
	if touched {
		b.Kind = byFilters
		w.Dry.N = n
		away = w.Dry.Possible()
	}
	for _, p := range away {
		w.Dry.ChangeAfterResources(p, -1)
	}
	st := w.Dry.CheckAfterResources()
	if w.search.Attempt.Plan.Follows {
		for _, p := range away {
			w.Dry.ChangeAfterResources(p, 1)
		}
	}
	if st.Code != decision.Success {
		b.Kind, b.after = Settled, w.after.intern(st)
		return
	}
	w.boundVictims(b, sum)
}

// boundWithRoom bounds a node that is not short of resources and on which no
// pod touches the filters.
func (w *Worker) boundWithRoom(b *NodeBound, n *state.NodeState, sum *state.NodeSummary) {
	w.Dry.EnterAfterResources(n)
	st := w.Dry.CheckAfterResources()
	if st.Code == decision.Success {
		return
	}
	b.before = w.before.intern(st)
	switch {
	case st.Code != decision.Unschedulable:
	case !w.anyPossible(n):
		b.after = noVictims
	default:
		b.after = w.after.intern(st)
	}
}

// boundByFilters bounds a node by asking every filter. If the node is short of
// resources, the bounds hold as on other nodes. If another filter keeps the
// preemptor away, the node is evaluated at once, because that filter could
// contradict itself in the end (see [Contradiction]), which has to be counted.
func (w *Worker) boundByFilters(b *NodeBound, position int, slot int32, sum *state.NodeSummary, plain bool) {
	n, dry := w.snap.NodeStates[slot], &w.Dry
	dry.Enter(n)
	st := dry.Check()
	if st.Code == decision.Success {
		return
	}
	b.before = w.before.intern(st)
	if st.Code != decision.Unschedulable && !w.search.given.any {
		return
	}
	if st.By != filters.ResourcesFilter.Index || !plain || w.search.Attempt.Config.Ascending() || !w.helpsAtMostWithAll(n) {
		w.settle(b, position, n)
		return
	}
	if !w.helpsWithoutAll(b) {
		return
	}
	w.makesRoom(b, slot, sum)
	b.Kind = byFilters
	w.boundVictims(b, sum)
}

// helpsAtMostWithAll reports that a node which does not take the preemptor with all possible
// victims gone is no candidate. Among exact victims may be a smaller set that helps,
// where a pod of the node touches a filter that can lose by a pod that leaves.
func (w *Worker) helpsAtMostWithAll(n *state.NodeState) bool {
	if !w.search.Rules.exact {
		return true
	}
	for i := range w.search.Attempt.Plan.Active {
		if f := &w.search.Attempt.Plan.Active[i]; f.Touches(n) && !w.search.Attempt.Gains(f.Index, false) {
			return false
		}
	}
	return true
}

// helpsWithoutAll reports whether the node that was entered takes the preemptor once all
// possible victims are away, and notes in the bound why not.
func (w *Worker) helpsWithoutAll(b *NodeBound) bool {
	dry := &w.Dry
	possible := dry.Possible()
	if len(possible) == 0 {
		b.after = noVictims
		return false
	}
	dry.ChangeAll(possible, -1)
	st := dry.Check()
	dry.RestoreAll(possible)
	if st.Code != decision.Success {
		b.after = w.after.intern(st)
		return false
	}
	return true
}

// A node with pods that name groups, where victims are units (rule 12.8.1), is bounded and
// evaluated in one of three ways:
//
//   - Its pods count with their own priorities, the default rules are asked for, and no
//     filter looks at other pods: the bounds of single pods hold (ENGINE.md has the
//     proof), and only the evaluation is a dry run of units.
//   - By the default rules otherwise, the possible victims are taken away for the node's
//     status, and the bound is a weak one (byUnits).
//   - By other rules, and where a filter may contradict itself in the end, the node is
//     evaluated at once.
//
// boundUnits bounds a node in the second or third way.
func (w *Worker) boundUnits(b *NodeBound, position int, slot int32, sum *state.NodeSummary, plain bool) {
	n, dry := w.snap.NodeStates[slot], &w.Dry
	if !w.search.Filtered && plain && w.search.light != 0 {
		w.boundUnitsByRows(b, n, sum)
		return
	}
	dry.Enter(n)
	st := dry.Check()
	if st.Code == decision.Success {
		return
	}
	b.before = w.before.intern(st)
	if st.Code != decision.Unschedulable && !w.search.given.any {
		return
	}
	if st.By != filters.ResourcesFilter.Index || !plain || w.search.light == 0 {
		w.settle(b, position, n)
		return
	}
	if !w.helpsWithoutAll(b) {
		return
	}
	w.boundWeakly(b, slot, sum)
}

// boundUnitsByRows is boundUnits where resources alone decide, by the default rules.
func (w *Worker) boundUnitsByRows(b *NodeBound, n *state.NodeState, sum *state.NodeSummary) {
	if b.before = w.Shortage(sum); b.before == 0 {
		return
	}
	var away state.Level
	for i, p := range n.Pods {
		priority := n.SortKeys[i].Priority
		if p.Class.Group != "" {
			priority = w.snap.Units.Of(p).Priority
		}
		if priority >= w.search.Attempt.Asked.Priority {
			continue
		}
		away.Pods++
		for k, v := range n.Rows[i] {
			away.Held[k] += v
		}
	}
	if away.Pods == 0 || !w.covers(sum, &away.Held, away.Pods) {
		w.recordShortage(b, n.Slot, sum, &away)
		return
	}
	w.boundWeakly(b, n.Slot, sum)
}

// boundWeakly gives a candidate the bound that holds whatever its pods count as.
func (w *Worker) boundWeakly(b *NodeBound, slot int32, sum *state.NodeSummary) {
	b.Kind, b.Bound, b.exact = byUnits, sum.Lowest, true
	b.fewest = uint16(min(max(FewestByExtremes(w.snap.Summaries.ExtremesAt(slot), sum, &w.search.asks), 1), math.MaxUint16))
	if b.Bound < w.leastBound || b.Bound == w.leastBound && b.fewest < w.leastVictims {
		w.leastBound, w.leastVictims = b.Bound, b.fewest
	}
}
