package groups

import (
	"context"
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// draft is a [preemption.Draft]. It has two clones of the run's snapshot: seen, which the caller reads, and
// work, in which pods of the group are in the places that the caller asks about.
type draft struct {
	preemption.View
	ctx context.Context
	run *run
	// seen is the clone that the caller reads.
	seen *state.Snapshot
	// work is the clone in which the pods of seated are in their places, and the other pods of the group are
	// pending. It is nil once the placing function has returned.
	work   *state.Snapshot
	seated []preemption.Assignment
	// ours has the pods of the group, by key.
	ours map[outrank.Key]*outrank.Pod
}

// newDraft returns a draft of the run's present working snapshot.
func (r *run) newDraft(ctx context.Context) *draft {
	d := &draft{ctx: ctx, run: r, seen: r.work.Clone(), work: r.work.Clone(), ours: make(map[outrank.Key]*outrank.Pod, len(r.pods))}
	d.View = d.seen.Within(ctx)
	for _, p := range r.pods {
		d.ours[p.Key()] = p
	}
	return d
}

// end ends the draft: from then on Feasible returns an error.
func (d *draft) end() { d.work = nil }

// Nominated iterates over the nominations of pods outside the group; see [preemption.View].
func (d *draft) Nominated() iter.Seq2[*outrank.Pod, string] {
	return func(yield func(*outrank.Pod, string) bool) {
		for p, node := range d.View.Nominated() {
			if _, ours := d.ours[p.Key()]; !ours && !yield(p, node) {
				return
			}
		}
	}
}

// Feasible lists the nodes that take a pod of the group with others in their places; see [preemption.Draft].
func (d *draft) Feasible(pod *outrank.Pod, beside ...preemption.Assignment) ([]*outrank.Node, error) {
	if d.work == nil {
		return nil, fmt.Errorf("draft: %w: the placing function has returned", preemption.ErrState)
	}
	if err := d.check(pod, beside); err != nil {
		return nil, err
	}

	// A caller mostly asks with one more place than before. So the leading places that are the same as in the
	// last call are kept, and only those after them are given up.
	same := 0
	for same < min(len(beside), len(d.seated)) && beside[same].Node == d.seated[same].Node && beside[same].Pod.Key() == d.seated[same].Pod.Key() {
		same++
	}
	for _, a := range d.seated[same:] {
		p := d.ours[a.Pod.Key()]
		d.work.Seat(p, "", d.run.nominationOf(p))
	}

	d.seated = append(d.seated[:same], beside[same:]...)
	for _, a := range beside[same:] {
		d.work.Seat(d.ours[a.Pod.Key()], a.Node, "")
	}
	return search.Takers(d.ctx, d.run.terms, d.work, d.ours[pod.Key()])
}

// check returns an error for a pod that is not of the group, that is named twice, or whose node does not
// exist.
func (d *draft) check(pod *outrank.Pod, beside []preemption.Assignment) error {
	there := make(map[outrank.Key]bool, len(beside)+1)
	take := func(p *outrank.Pod) error {
		if p == nil {
			return fmt.Errorf("draft: %w: a pod is nil", outrank.ErrInvalid)
		}
		if _, ok := d.ours[p.Key()]; !ok || there[p.Key()] {
			return fmt.Errorf("draft: %w: %s is no waiting pod of the group, or has its place already", outrank.ErrInvalid, prose.Pod(p))
		}
		there[p.Key()] = true
		return nil
	}

	for _, a := range beside {
		if err := take(a.Pod); err != nil {
			return err
		}
		if _, ok := d.seen.Node(a.Node); !ok {
			return fmt.Errorf("draft: %w: %s: no node %q", outrank.ErrInvalid, a.Pod.Key(), a.Node)
		}
	}
	return take(pod)
}
