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

// draft is a [preemption.Draft]. What it shows is a clone, and where pods get their places is another.
type draft struct {
	preemption.View
	ctx  context.Context
	run  *run
	seen *state.Snapshot
	// work has the pods of seated in their places, and the others of the group pending.
	work   *state.Snapshot
	seated []preemption.Assignment
	// ours are the pods of the group, by key.
	ours map[outrank.Key]*outrank.Pod
}

func (r *run) newDraft(ctx context.Context) *draft {
	d := &draft{ctx: ctx, run: r, seen: r.work.Clone(), work: r.work.Clone(), ours: make(map[outrank.Key]*outrank.Pod, len(r.pods))}
	d.View = d.seen.Within(ctx)
	for _, p := range r.pods {
		d.ours[p.Key()] = p
	}
	return d
}

// end has the draft answer no more.
func (d *draft) end() { d.work = nil }

// Nominated goes through the nominations of others; see [preemption.View].
func (d *draft) Nominated() iter.Seq2[*outrank.Pod, string] {
	return func(yield func(*outrank.Pod, string) bool) {
		for p, node := range d.View.Nominated() {
			if _, ours := d.ours[p.Key()]; !ours && !yield(p, node) {
				return
			}
		}
	}
}

// Feasible lists the nodes that take a pod beside others; see [preemption.Draft].
func (d *draft) Feasible(pod *outrank.Pod, beside ...preemption.Assignment) ([]*outrank.Node, error) {
	if d.work == nil {
		return nil, fmt.Errorf("draft: %w: the placing function has returned", preemption.ErrState)
	}
	if err := d.check(pod, beside); err != nil {
		return nil, err
	}

	// The places that this call shares with the last one stay.
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

// check refuses a question that makes no sense.
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
