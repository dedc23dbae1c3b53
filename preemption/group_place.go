package preemption

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// ErrPlacement is wrapped by errors about an impossible answer of a
// [PlaceFunc].
var ErrPlacement = errors.New("placement makes no sense")

// FirstFit is the [PlaceFunc] that is used if none is given. It takes the pods
// in the given order and places each on the first node, in the cluster's order,
// that passes the evaluator's filters together with the pods placed before. It
// leaves room for nominated pods as [Evaluator.Preempt] does. It gives up at
// the first pod without a node: another order, or another node for an earlier
// pod, might have had a place for all.
//
// FirstFit binds the pods in the snapshot and reverts that before it returns,
// so no other call may use the snapshot at the same time. Errors are the
// context's, a filter's, and those about pods of [Evaluator.Preempt]. Time is
// that of asking every node about every pod.
func (e *Evaluator) FirstFit(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (Placement, error) {
	if snap == nil {
		return Placement{}, fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	}
	mark := snap.Mark()
	placed, err := e.firstFit(ctx, snap, pods)
	if err := errors.Join(err, snap.Undo(mark)); err != nil {
		return Placement{}, err
	}
	return placed, nil
}

func (e *Evaluator) firstFit(ctx context.Context, snap *Snapshot, pods []*outrank.Pod) (Placement, error) {
	var placed Placement
	for _, pod := range pods {
		node, refused, err := e.firstNode(ctx, snap, pod)
		if err != nil || refused != nil {
			return Placement{Refused: refused}, err
		}
		snap.seat(pod, node, "")
		placed.Assignments = append(placed.Assignments, Assignment{pod, node})
	}
	return placed, nil
}

// firstNode returns the first node that takes the pod as things are, or the
// refusal if none does.
func (e *Evaluator) firstNode(ctx context.Context, snap *Snapshot, pod *outrank.Pod) (string, *Refusal, error) {
	// No filter looks at a start time, so any now will do.
	a, err := newAttempt(&e.config, snap, pod, time.Time{})
	if err != nil {
		return "", nil, err
	}
	w := newDryRunner(a)
	said := make([]filterStatus, 0, len(snap.order))
	for i, slot := range snap.order {
		if i%chunkSize == 0 && ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		n := snap.nodes[slot]
		s := w.filter(n)
		if s.code == Success {
			return n.name, nil, nil
		}
		said = append(said, s)
	}
	r := result{attempt: a}
	return "", &Refusal{Pod: pod, Nodes: r.countsOf(said, nil)}, ctx.Err()
}

// try asks for a placement with the pods that are there at present. FirstFit
// reverts its changes itself; a function of the caller gets a clone.
func (r *groupRun) try(ctx context.Context) (Placement, error) {
	if err := ctx.Err(); err != nil {
		return Placement{}, err
	}
	r.plan.Placements++
	if r.place == nil {
		return r.evaluator.FirstFit(ctx, r.work, r.pods)
	}
	placed, err := r.place(ctx, r.work.Clone(), slices.Clone(r.pods))
	if err != nil {
		return Placement{}, fmt.Errorf("place: %w", err)
	}
	if placed.Refused != nil {
		return placed, nil
	}
	return placed, r.complete(placed.Assignments)
}

// complete checks that each pod has one node and that the node exists.
func (r *groupRun) complete(assignments []Assignment) error {
	missing := make(map[string]bool, len(r.pods))
	for _, p := range r.pods {
		missing[p.Key()] = true
	}
	for _, a := range assignments {
		if a.Pod == nil || !missing[a.Pod.Key()] {
			return fmt.Errorf("%w: a pod that was not asked for, or twice", ErrPlacement)
		}
		delete(missing, a.Pod.Key())
		if _, ok := r.work.Node(a.Node); !ok {
			return fmt.Errorf("%w: %s: no node %q", ErrPlacement, a.Pod.Key(), a.Node)
		}
	}
	for _, p := range r.pods {
		if missing[p.Key()] {
			return fmt.Errorf("%w: pod %s has no node, and nothing says why", ErrPlacement, p.Key())
		}
	}
	return nil
}
