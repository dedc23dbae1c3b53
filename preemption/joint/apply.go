package joint

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Apply carries the plan out on a snapshot, as if everything had happened at once: the
// victims are gone, the nominations to be cleared are, and each pod with a place is pending
// and nominated to its node (rule 14.3.2; none is bound). Pods that the snapshot does not
// know are added. An error leaves the snapshot as it was: ErrNotFound for a victim or a
// node that is not there, ErrState for a pod that runs by now. Time is that of the changes.
func (p *Plan) Apply(snap *preemption.Snapshot) error {
	mark := snap.Mark()
	if err := p.apply(snap); err != nil {
		if undo := snap.Undo(mark); undo != nil {
			return undo
		}
		return fmt.Errorf("joint plan: %w", err)
	}
	return snap.Keep(mark)
}

func (p *Plan) apply(snap *preemption.Snapshot) error {
	for i := range p.Placements {
		at := &p.Placements[i]
		for _, v := range at.Victims {
			if err := snap.RemovePod(v.Key()); err != nil {
				return err
			}
		}
		for _, c := range at.ClearedNominations {
			if err := clearNomination(snap, c); err != nil {
				return err
			}
		}
	}
	for _, i := range p.Order {
		at := &p.Placements[i]
		if _, known := snap.Pod(at.Pod.Key()); !known {
			if err := snap.AddPod(at.Pod); err != nil {
				return err
			}
		}
		if err := snap.Nominate(at.Pod.Key(), at.Node); err != nil {
			return err
		}
	}
	return nil
}

// clearNomination takes a pod's nomination away; a pod that is gone has none.
func clearNomination(snap *preemption.Snapshot, pod *outrank.Pod) error {
	if snap.NominationOf(pod.Key()) == "" {
		return nil
	}
	return snap.Nominate(pod.Key(), "")
}
