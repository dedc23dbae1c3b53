package filters

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// attemptCounts are the counts that one attempt reads. They belong to the snapshot, which keeps them for
// later attempts. An attempt that follows pods, and so writes, makes a copy first.
type attemptCounts struct {
	*podCounts
	counter counter
	// kept are the counts of the snapshot, nil once the attempt has a copy.
	kept *state.KeptCounts
}

// begin takes the snapshot's counts for preemptors of this shape, which are made if there are none.
func (a *attemptCounts) begin(snap *state.Snapshot, shape state.KeyWriter, c counter) {
	a.kept = snap.Counts(shape, counterOf{snap, c, shape})
	a.podCounts, a.counter = a.kept.Counts.(*podCounts), c
}

// release gives the counts back to the snapshot. The attempt must not read them afterwards.
func (a *attemptCounts) release() {
	if a.kept != nil {
		a.kept.Release()
	}
}

// counted returns the counts; see [countedFilter].
func (a *attemptCounts) counted() *podCounts { return a.podCounts }

// versioned reports whether the snapshot keeps the counts, so that a later attempt can compare their
// versions. Counts that it will not keep have version 0.
func (a *attemptCounts) versioned() bool { return a.kept != nil && a.changed > 0 }

// Touches reports whether pods of the node can change the answer; see [PodFilter].
func (a *attemptCounts) Touches(n *state.NodeState) bool { return a.touched(n.Slot) }

// partsFor lists the sets in which pods of a class count.
func (a *attemptCounts) partsFor(k *state.PodClass) []ClassPart {
	var space []ClassPart
	return a.partsOf(&space, a.counter, k)
}

// markConcerned marks the pods of a node that count in any set; see [fewPodsFilter].
func (a *attemptCounts) markConcerned(n *state.NodeState, from int, marks []bool) {
	if !a.touched(n.Slot) {
		return
	}
	var space []ClassPart
	for at := from; at < len(n.Pods); at++ {
		marks[at] = marks[at] || len(a.partsOf(&space, a.counter, n.Pods[at].Class)) > 0
	}
}

// follow adds a pod to the counts (by 1) or takes it off (by -1) for the rest of the attempt. The attempt may
// not know the pod's class yet.
func (a *attemptCounts) follow(c counterOf, p *state.PodState, slot int32, by int) {
	if a.kept != nil {
		a.kept.Release()
		a.podCounts, a.kept = a.copy(), nil
	}

	for _, part := range (&counting{podCounts: a.podCounts, snap: c.snap, counter: c.counter}).learn(p.Class) {
		a.sets[part.set].move(slot, by)
	}
}

// changeBelow subtracts from changes, which has one number for each set, what the pods of a node below a
// priority add. It reports false and does nothing if these pods must be looked at one by one.
func (a *attemptCounts) changeBelow(slot int32, priority int64, changes []int) bool {
	all, ok := a.goneBelow(slot, priority)
	if all {
		for set := range changes {
			changes[set] -= a.sets[set].podsOn(slot)
		}
	}
	return ok
}

// counterOf ties a counter to a snapshot and a shape, as the [state.Counter] by which the snapshot makes and
// updates its counts.
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

func (c counterOf) Copy(counts any) any {
	other := counts.(*podCounts).copy()
	other.known = &knownParts{}
	return other
}

// countedFilter is a filter that counts pods by domain. Its methods are those of attemptCounts.
type countedFilter interface {
	PodFilter
	counted() *podCounts
	versioned() bool
	release()
}

// fewPodsFilter is a filter that says which pods concern it. The other pods can leave without changing its
// answer.
type fewPodsFilter interface {
	PodFilter
	// markConcerned marks the pods of a node, from an index on, that concern the filter.
	markConcerned(n *state.NodeState, from int, marks []bool)
}
