package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// FirstFit is the [PlaceFunc] that is used if none is given. It takes the pods
// in the given order and places each on the first node, in the cluster's order,
// that passes the evaluator's filters together with the pods placed before. It
// leaves room for nominated pods as [Evaluator.Preempt] does, and passes over pods
// that no node takes. It gives up once the group can no longer have as many places as its
// policy asks for (rules 12.9.3 and 12.9.4): another order, or another node for an
// earlier pod, might have had a place for all.
//
// FirstFit binds the pods in the snapshot and reverts that before it returns,
// so no other call may use the snapshot at the same time. Errors are the
// context's, a filter's, those about pods of [Evaluator.Preempt], and an
// *[outrank.InputError] for a group whose topology counts, which is not followed
// (rule 12.9.14). Time is that of asking every node about every pod.
func (e *Evaluator) FirstFit(ctx context.Context, cluster *Snapshot, pods []*outrank.Pod) (preemption.Placement, error) {
	snap, err := opened(ctx, cluster)
	if err != nil {
		return preemption.Placement{}, err
	}
	if err := checkGates(snap); err != nil {
		return preemption.Placement{}, err
	}
	for i, p := range pods {
		if p == nil {
			return preemption.Placement{}, fmt.Errorf("pod number %d: %w: is nil", i+1, outrank.ErrInvalid)
		}
	}
	if err := checkTopologies(snap, pods); err != nil {
		return preemption.Placement{}, err
	}
	return e.firstFit(ctx, snap, pods, quorumOf(snap, pods))
}

// firstFit looks for places for so many of the pods as are wanted, and leaves
// the snapshot as it was.
func (e *Evaluator) firstFit(ctx context.Context, snap *state.Snapshot, pods []*outrank.Pod, q *quorum) (preemption.Placement, error) {
	var placed preemption.Placement
	err := snap.Trying(func() (err error) {
		placed, err = e.bindFirst(ctx, snap, pods, q)
		return err
	})
	if err != nil {
		return preemption.Placement{}, err
	}
	return placed, nil
}

// bindFirst binds each pod to the first node that takes it, and refuses with the
// first that found none once too few are left.
func (e *Evaluator) bindFirst(ctx context.Context, snap *state.Snapshot, pods []*outrank.Pod, q *quorum) (preemption.Placement, error) {
	nodes, nominated := make([]string, len(pods)), make([]string, len(pods))
	var first *preemption.Refusal
	p := placing{
		place: func(i int) (bool, error) {
			node, refused, err := e.firstNode(ctx, snap, pods[i])
			if err != nil || refused != nil {
				first = cmp.Or(first, refused)
				return false, err
			}
			nodes[i], nominated[i] = node, snap.NominationOf(pods[i].Key())
			snap.Seat(pods[i], node, "")
			return true, nil
		},
		giveUp:   func() {},
		takeAway: func(i int) { snap.Seat(pods[i], "", nominated[i]) },
	}
	why, err := p.all(q)
	if err != nil {
		return preemption.Placement{}, err
	}
	if why != "" {
		if first == nil {
			first = &preemption.Refusal{}
		}
		first.Reason = reasonFor(why)
		return preemption.Placement{Refused: first}, nil
	}
	placed := preemption.Placement{Enough: len(p.placed) < len(pods)}
	for _, i := range p.placed {
		placed.Assignments = append(placed.Assignments, preemption.Assignment{Pod: pods[i], Node: nodes[i]})
	}
	return placed, nil
}

// firstNode finds the first node that takes the pod as things are, or says why
// none does.
func (e *Evaluator) firstNode(ctx context.Context, snap *state.Snapshot, pod *outrank.Pod) (string, *preemption.Refusal, error) {
	// No filter looks at a start time, so any now will do.
	a, err := dryrun.NewAttempt(ctx, &e.terms, snap, pod, time.Time{})
	if err != nil {
		return "", nil, err
	}
	w := dryrun.NewDryRunner(a)
	said := make([]filters.Status, 0, len(snap.Order))
	for i, slot := range snap.Order {
		if i%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		n := snap.NodeStates[slot]
		s := w.Filter(n)
		if s.Code == filters.Success {
			return n.Name, nil, nil
		}
		said = append(said, s)
	}
	r := dryrun.Result{Attempt: a}
	return "", &preemption.Refusal{Pod: pod, Nodes: r.CountsOf(said, nil)}, ctx.Err()
}

// ask asks the caller's function for a placement with the pods that there are at
// present. It gets a clone.
func (r *groupRun) ask(ctx context.Context) (preemption.Placement, error) {
	if err := ctx.Err(); err != nil {
		return preemption.Placement{}, err
	}
	placed, err := r.place(ctx, &Snapshot{of: r.work.Clone()}, slices.Clone(r.pods))
	if err != nil {
		return preemption.Placement{}, fmt.Errorf("place: %w", err)
	}
	if placed.Refused != nil {
		return placed, nil
	}
	return placed, r.complete(&placed)
}

// complete checks that each pod has one node, or that those that have are said
// to be enough, and that there is such a node.
func (r *groupRun) complete(placed *preemption.Placement) error {
	missing := make(map[outrank.Key]bool, len(r.pods))
	for _, p := range r.pods {
		missing[p.Key()] = true
	}
	for _, a := range placed.Assignments {
		if a.Pod == nil || !missing[a.Pod.Key()] {
			return fmt.Errorf("placement: %w: a pod that was not asked for, or twice", outrank.ErrInvalid)
		}
		delete(missing, a.Pod.Key())
		if _, ok := r.work.Node(a.Node); !ok {
			return fmt.Errorf("placement: %w: %s: no node %q", outrank.ErrInvalid, a.Pod.Key(), a.Node)
		}
	}
	if len(placed.Assignments) == 0 {
		return fmt.Errorf("placement: %w: no pod has a node, and nothing says why", outrank.ErrInvalid)
	}
	for _, p := range r.pods {
		if missing[p.Key()] && !placed.Enough {
			return fmt.Errorf("placement: %w: pod %s has no node, and nothing says why", outrank.ErrInvalid, p.Key())
		}
	}
	return nil
}
