package filters

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// attemptCounts are the counts of one attempt. They belong to the snapshot, which keeps them for later
// attempts. An attempt that follows pods makes a copy first.
type attemptCounts struct {
	*podCounts
	// kept are the counts of the snapshot, nil once the attempt has a copy.
	kept *state.KeptCounts
}

// begin gets the counts for a shape of the preemptor.
func (a *attemptCounts) begin(snap *state.Snapshot, shape state.KeyWriter, c counter) {
	a.kept = snap.Counts(shape, counterOf{snap, c, shape})
	a.podCounts = a.kept.Counts.(*podCounts)
}

// release gives the counts back to the snapshot. The attempt reads them no more.
func (a *attemptCounts) release() {
	if a.kept != nil {
		a.kept.Release()
	}
}

// counted returns the counts of the attempt.
func (a *attemptCounts) counted() *podCounts { return a.podCounts }

// versioned reports whether the counts are kept by the snapshot, so that their versions mean
// something in the next attempt. A version of 0 says that it will not keep them.
func (a *attemptCounts) versioned() bool { return a.kept != nil && a.changed > 0 }

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
func (a *attemptCounts) Touches(n *state.NodeState) bool { return a.touched(n.Slot) }

// markConcerned marks the pods of a node that count; see [fewPodsFilter].
func (a *attemptCounts) markConcerned(n *state.NodeState, from int, marks []bool) {
	for at := from; at < len(n.Pods) && a.touched(n.Slot); at++ {
		marks[at] = marks[at] || len(a.partsFor(n.Pods[at].Class)) > 0
	}
}

// follow counts a pod that comes to a node in, and one that leaves it out. The class of the pod may
// be one that the attempt has not met before.
func (a *attemptCounts) follow(c counterOf, p *state.PodState, slot int32, by int) {
	if a.kept != nil {
		a.kept.Release()
		a.podCounts, a.kept = a.copy(), nil
	}

	for _, part := range (&counting{podCounts: a.podCounts, snap: c.snap, counter: c.counter}).learn(p.Class) {
		a.sets[part.set].move(slot, by)
	}
}

// changeBelow takes off changes, which are by set, what the pods of a node below a priority add. It
// reports false, and does nothing, where they must be looked at one by one.
func (a *attemptCounts) changeBelow(slot int32, priority int64, changes []int) bool {
	all, ok := a.goneBelow(slot, priority)
	if all {
		for set := range changes {
			changes[set] -= a.sets[set].podsOn(slot)
		}
	}
	return ok
}

// counterOf is a filter that counts in a snapshot. It is the [state.Counter] of a shape.
type counterOf struct {
	snap *state.Snapshot
	counter
	shape state.KeyWriter
}

func (c counterOf) Begin(version uint64) any {
	counts := &podCounts{shape: string(c.shape)}
	(&counting{podCounts: counts, snap: c.snap, counter: c.counter}).begin(version)
	return counts
}

func (c counterOf) Follow(counts any, slots []int32, classes []*state.PodClass, version uint64) (changed, ok bool) {
	w := &counting{podCounts: counts.(*podCounts), snap: c.snap, counter: c.counter}
	ok = w.follow(slots, classes, version)
	return w.changed == version, ok
}

func (c counterOf) Copy(counts any) any { return counts.(*podCounts).copy() }

// countedFilter is a filter that counts pods by domain; see attemptCounts for the methods.
type countedFilter interface {
	PodFilter
	counted() *podCounts
	versioned() bool
	release()
}

// fewPodsFilter is a filter that says which pods concern it. It answers the same whichever
// other pods leave.
type fewPodsFilter interface {
	PodFilter
	// markConcerned marks the pods of a node, from an index on, that concern the filter.
	markConcerned(n *state.NodeState, from int, marks []bool)
}
