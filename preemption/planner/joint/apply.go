package joint

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Apply carries the plan out on a snapshot, as if everything had happened at once: the
// victims are gone, the nominations to be cleared are, and each pod with a place is pending
// and nominated to its node (rule 14.3.2; none is bound). Pods that the snapshot does not
// know are added. A plan that is older than the snapshot is treated as by [engine.Snapshot.Apply], and the
// errors are the same. [outrank.ErrInvalid] is also about no plan or no
// snapshot, and about an Order that names no placement. An error leaves the snapshot as it was.
// Time is that of the changes.
func (p *Plan) Apply(snap *engine.Snapshot) error {
	if p == nil || snap == nil {
		return fmt.Errorf("joint plan: %w: no plan or no snapshot", outrank.ErrInvalid)
	}

	// The plan is applied as that of one group, which changes everything or nothing.
	all := preemption.GroupPlan{Outcome: preemption.Preempts}
	for i := range p.Placements {
		at := &p.Placements[i]
		for _, p := range at.Victims {
			all.Victims = append(all.Victims, preemption.Victim{Pod: p})
		}
		if k := slices.Index(at.ClearedNominations, nil); k >= 0 {
			return fmt.Errorf("joint plan: %w: placement %d: cleared nomination %d is missing", outrank.ErrInvalid, i, k)
		}
	}

	for _, i := range p.Order {
		if i < 0 || i >= len(p.Placements) {
			return fmt.Errorf("joint plan: %w: there is no placement %d", outrank.ErrInvalid, i)
		}
		all.Placement = append(all.Placement, preemption.Assignment{Pod: p.Placements[i].Pod, Node: p.Placements[i].Node})
	}
	if err := snap.Apply(&all); err != nil {
		return fmt.Errorf("joint plan: %w", err)
	}
	return p.clear(snap, all.Placement)
}

// clear removes the nominations to be cleared that are still to a node of the
// placement. Pods that are placed themselves have another nomination by now.
func (p *Plan) clear(snap *engine.Snapshot, placed []preemption.Assignment) error {
	nodes := map[string]bool{}
	isPlaced := map[outrank.Key]bool{}
	for _, at := range placed {
		nodes[at.Node] = true
		isPlaced[at.Pod.Key()] = true
	}

	for i := range p.Placements {
		for _, pod := range p.Placements[i].ClearedNominations {
			key := pod.Key()
			known, ok := snap.Pod(key)
			replaced := ok && known.UID != pod.UID && known.UID != "" && pod.UID != "" // by another pod of its name
			if !ok || replaced || isPlaced[key] || !nodes[snap.NominationOf(key)] {
				continue
			}
			if err := snap.Nominate(key, ""); err != nil {
				return fmt.Errorf("joint plan: %w", err)
			}
		}
	}
	return nil
}
