package joint

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Apply carries out the plan in a snapshot, everything at once: it removes the victims, clears the nominations in
// ClearedNominations, and nominates each pod with a place to its node (rule 14.3.2). The pods stay pending. Pods that
// the snapshot does not know are added.
//
// A plan that is older than the snapshot is treated as in [engine.Snapshot.Apply], with the same errors. The error
// also wraps [outrank.ErrInvalid] if the plan or the snapshot is nil, if a cleared nomination is nil, or if Order has
// an index outside Placements. After an error the snapshot is as it was. Time is linear in the number of changes.
func (p *Plan) Apply(snap *engine.Snapshot) error {
	if p == nil || snap == nil {
		return fmt.Errorf("joint plan: %w: no plan or no snapshot", outrank.ErrInvalid)
	}

	// The plan is applied in the form of a group's plan, which changes everything or nothing.
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

	// Only pods with a place are in Order.
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

// clear removes the nominations in ClearedNominations that still are to a node of the plan. A pod that the plan places
// itself has a new nomination by now, and keeps it.
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
			replaced := ok && known.UID != pod.UID && known.UID != "" && pod.UID != "" // another pod has its name now
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
