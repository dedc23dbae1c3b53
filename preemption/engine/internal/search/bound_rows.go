package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// boundByResources bounds a node on which resources alone decide. It writes the bound in place, because
// copying a bound costs more than computing it.
func (w *Worker) boundByResources(b *NodeBound, slot int32, sum *state.NodeSummary) {
	*b = NodeBound{before: w.Shortage(sum)}
	if b.before == 0 {
		return
	}
	if w.lowestMakeRoom(b, sum) {
		b.fewest = 1
		if w.tables.ends == nil { // with them compareEnd mostly has a better bound
			b.fewest = uint16(sum.Fewest(&w.need.asks))
		}
	} else if w.withoutLower(b, slot, sum) {
		w.boundVictims(b, sum)
	}
}

// lowestMakeRoom reports whether the pods of the node's lowest priority alone make room by leaving. If so, it
// bounds the node.
func (w *Worker) lowestMakeRoom(b *NodeBound, sum *state.NodeSummary) bool {
	if sum.LowPods == 0 || int64(sum.Lowest) >= w.attempt.Reach || !w.covers(sum, &sum.Low, int32(sum.LowPods)) {
		return false
	}
	b.Kind = byResources
	b.Bound = sum.Lowest
	return true
}

// boundVictims bounds the number of victims of a candidate whose Bound is set. If Bound is above the lowest
// priority of the node, a single victim may be enough.
func (w *Worker) boundVictims(b *NodeBound, sum *state.NodeSummary) {
	b.fewest = 1
	if b.Bound == sum.Lowest {
		b.fewest = uint16(sum.Fewest(&w.need.asks))
	}
}

// short returns how much the node is short of, by column.
func (w *Worker) short(sum *state.NodeSummary) (short state.AmountRow) {
	for k := range short {
		if w.need.asks[k] > sum.Free[k] {
			short[k] = w.need.asks[k] - sum.Free[k]
		}
	}
	return short
}

// Shortage returns the answer of a node with all pods in place, by its summary alone. It is 0 if nothing is
// short.
func (w *Worker) Shortage(sum *state.NodeSummary) (key answer) {
	for k := range sum.Free {
		if w.need.asks[k] > sum.Free[k] {
			key |= 1 << k
		}
	}
	if sum.Room < 1 {
		key |= tooManyPods
	}
	return key
}

// covers reports whether removing this many pods, which hold this much, makes room.
func (w *Worker) covers(sum *state.NodeSummary, held *state.AmountRow, pods int32) bool {
	for k := range sum.Free {
		if w.need.asks[k] > sum.Free[k]+held[k] {
			return false
		}
	}
	return int32(sum.Room)+pods >= 1
}

// boundByAskingCaller is boundByResources if the caller has to be asked which pods may be evicted.
func (w *Worker) boundByAskingCaller(b *NodeBound, slot int32, sum *state.NodeSummary) {
	*b = NodeBound{before: w.Shortage(sum)}
	if b.before != 0 && w.makesRoom(b, slot, sum) {
		w.boundVictims(b, sum)
	}
}

// makesRoom reports whether a node that is short of resources has room with all possible victims removed. If
// so, it bounds the top priority as withoutLower does; otherwise it records the shortage. If the caller says
// which pods may leave, it is asked about them from the least important up until there is room. The pods up
// to that priority make room, and those below do not, so that some victim has that priority or a higher one.
func (w *Worker) makesRoom(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	if w.rules.asks != asksEach {
		return w.withoutLower(b, slot, sum)
	}

	n, reach := w.snap.NodeStates[slot], w.attempt.Reach
	var away state.Level // the pods that may leave, of those looked at so far
	for i := len(n.Rows) - 1; i >= 0 && int64(n.SortKeys[i].Priority) < reach; i-- {
		if !w.rules.allows(w.attempt, n.Objects[i]) {
			continue
		}

		away.Pods++
		for k, v := range n.Rows[i] {
			away.Held[k] += v
		}
		if w.covers(sum, &away.Held, away.Pods) {
			b.Kind = byResources
			b.Bound = n.SortKeys[i].Priority
			return true
		}
	}
	w.recordShortage(b, slot, sum, &away)
	return false
}

// anyPossible reports whether any pod of the node could be a victim.
func (w *Worker) anyPossible(n *state.NodeState) bool {
	for i := len(n.Pods) - 1; i >= 0 && int64(n.SortKeys[i].Priority) < w.attempt.Reach; i-- {
		if w.rules.allows(w.attempt, n.Objects[i]) {
			return true
		}
	}
	return false
}

// withoutLower reports whether a node that is short of resources has room with all pods below the preemptor's
// priority removed. If so, it bounds the top priority of the victims; otherwise it records the shortage.
//
// The levels are tried from the lowest up. Let q be the priority of the first level that makes room. If all
// victims were below q, they would be among the pods of the level before, which do not make room. So the top
// victim has priority q or above.
func (w *Worker) withoutLower(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	away := w.lowestLevel(sum)
	for i := 1; away.Pods > 0; i++ {
		if w.covers(sum, &away.Held, away.Pods) {
			b.Kind = byResources
			b.Bound = away.Priority
			return true
		}

		above := w.snap.LevelAbove(slot, i)
		if above == nil || int64(above.Priority) >= w.attempt.Reach {
			break
		}
		away = *above
	}
	w.recordShortage(b, slot, sum, &away)
	return false
}

// lowestLevel returns the level of the node's lowest priority, or an empty one if those pods may not leave.
func (w *Worker) lowestLevel(sum *state.NodeSummary) state.Level {
	if sum.LowPods == 0 || int64(sum.Lowest) >= w.attempt.Reach {
		return state.Level{}
	}
	return state.Level{Held: sum.Low, Priority: sum.Lowest, Pods: int32(sum.LowPods)}
}

// recordShortage completes the answers of a node that has no room even with away, all pods of lower priority,
// removed. On a node that is too small even when empty preemption is not tried, so that it has no second
// answer, unless the caller gave the statuses.
func (w *Worker) recordShortage(b *NodeBound, slot int32, sum *state.NodeSummary, away *state.Level) {
	hopeless := w.hopeless(slot)
	b.before |= hopeless
	switch {
	case hopeless != 0 && !w.statuses.any:
	case away.Pods == 0:
		b.after = noVictims
	default:
		b.after = w.shortageWithout(sum, away) | hopeless
	}
}

// hopeless returns the bit unresolvable if even the empty node is short, else 0. In v1.13 it is always 0
// (rule 13.2.15).
func (w *Worker) hopeless(slot int32) answer {
	if w.need.triesTooSmall || !w.tooSmall(slot) {
		return 0
	}
	return unresolvable
}

// tooSmall reports whether even the empty node is short of a resource with a column.
func (w *Worker) tooSmall(slot int32) bool {
	offers := &w.snap.NodeStates[slot].Offers.Std
	for k := range w.need.asks {
		if w.need.asks[k] > offers[k] {
			return true
		}
	}
	return false
}

// shortageWithout is Shortage with some pods removed. Room is cut to the range of a summary.
func (w *Worker) shortageWithout(sum *state.NodeSummary, away *state.Level) answer {
	without := *sum
	for k := range without.Free {
		without.Free[k] += away.Held[k]
	}
	without.Room = int16(min(int32(sum.Room)+away.Pods, state.MostPods))
	return w.Shortage(&without)
}

// FewestByExtremes returns a lower bound on how many pods of a node, of any priority, hold together what it
// is short of. In each column that is the shortage divided by the largest amount of any pod. It is also at
// least the number of pods that the node has too many.
func FewestByExtremes(e *state.Extremes, l *state.NodeSummary, asks *state.AmountRow) int32 {
	pods := float64(1 - int32(l.Room))
	for k, v := range asks {
		if p := float64(v-l.Free[k]) * e.PerLargest[k]; p > pods {
			pods = p
		}
	}

	// The factor takes off more than rounding can have added.
	return int32(min(int64(math.Ceil(pods*(1-1e-9))), state.MostPods))
}
