package search

import (
	"cmp"
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Feasible lists the nodes that take a pod without preemption, in the order of the cluster. If the node that
// the pod is nominated to takes it, that is the only one (rule 7.15.5).
func Feasible(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, pod *outrank.Pod) ([]*outrank.Node, error) {
	s := Searches.Get().(*Search)
	defer s.Close()

	// No filter looks at a start time, so any now will do.
	if err := s.Ask(ctx, terms, snap, &preemption.Request{Pod: pod}); err != nil {
		return nil, err
	}
	q := &s.Asked
	if err := ctx.Err(); err != nil || q.refused() {
		return nil, err
	}

	n := snap.NodeState(q.Attempt.Nomination())
	if n != nil && n.Node != nil && s.Workers[0].fits(n.Slot) {
		s.Busy = false
		return []*outrank.Node{n.Node}, ctx.Err()
	}
	return s.takers(ctx)
}

// Takers lists the nodes that take a pod without preemption, whatever node it is nominated to.
func Takers(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, pod *outrank.Pod) ([]*outrank.Node, error) {
	s := Searches.Get().(*Search)
	defer s.Close()
	if err := s.Ask(ctx, terms, snap, &preemption.Request{Pod: pod}); err != nil {
		return nil, err
	}

	if err := ctx.Err(); err != nil || s.Asked.refused() {
		return nil, err
	}
	return s.takers(ctx)
}

// takers asks every node whether it takes the preemptor.
func (s *Search) takers(ctx context.Context) (out []*outrank.Node, err error) {
	w, q := s.Workers[0], &s.Asked
	for position, slot := range q.snap.Order {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if w.fits(slot) {
			out = append(out, w.NodeAt(position).Node)
		}
	}
	s.Busy = false
	return out, ctx.Err()
}

// ignoresResources reports whether NodeResourcesFit is not asked about nodes (group 7.18).
func ignoresResources(q *filters.Question) bool { return q.Silent.Has(filters.ResourcesFilter.Index) }

// fits reports whether a node takes the preemptor without preemption.
func (w *Worker) fits(slot int32) bool {
	// Units matter only for victims. Without other flags the summary tells whether the node is short.
	sum := w.sums.At(slot)
	if sum.Flags&^state.AnyUnits == 0 && !ignoresResources(w.asked) {
		if w.Shortage(sum) != 0 {
			return false // no other filter can change that
		}
		if !w.need.filtered && !w.plan.Selects || w.RulesPass(slot) {
			return true
		}
	}
	return w.Dry.Filter(w.snap.NodeStates[slot]).Code == filters.Success
}

// ExplainNode returns the report of one node, with the candidate that it is, if any. The error for a node
// that is not in the snapshot is preemption.ErrNotFound.
func ExplainNode(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request, node string) (preemption.NodeReport, error) {
	s, err := Start(ctx, terms, snap, req)
	if err != nil {
		return preemption.NodeReport{}, err
	}
	defer s.Close()

	n := snap.NodeState(node)
	if n == nil || n.Node == nil {
		return preemption.NodeReport{}, fmt.Errorf("%s: %w", prose.Object("node", node), preemption.ErrNotFound)
	}

	report := s.explainNode(n)
	s.Busy = false
	w := s.Workers[0]
	if err := cmp.Or(ctx.Err(), w.Dry.Err); err != nil {
		return preemption.NodeReport{}, err
	}
	return report, nil
}

// explainNode makes the report of one node once the question is prepared.
func (s *Search) explainNode(n *state.NodeState) preemption.NodeReport {
	w, q := s.Workers[0], &s.Asked
	report := preemption.NodeReport{Node: n.Name}
	st := s.statusNow(n)
	report.Status = q.Attempt.Public(st)
	if st.Code != filters.Unschedulable {
		return report
	}

	// Candidates are explained whether or not the pod may preempt.
	possible, st := w.Dry.DryRun(n)
	after := q.Attempt.Public(st)
	if report.AfterRemoval = &after; st.Code == filters.Success {
		c := w.Dry.Candidate(possible)
		q.Attempt.Complete(&c)
		report.Candidate = &c
	}
	return report
}

// statusNow returns the status of a node with all pods in place: the one that the caller gave, or that with
// which a filter refused the pod on every node, or that of the filters.
func (s *Search) statusNow(n *state.NodeState) filters.Status {
	w, q := s.Workers[0], &s.Asked
	switch {
	case q.given.any:
		return w.givenOf(n)
	case q.refused():
		return q.plan.Refused
	}
	return w.Dry.Filter(n)
}
