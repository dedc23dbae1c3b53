package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Explain finds the status of every node and all candidates. It is not ok if the rows of the nodes do
// not tell most candidates; the exhaustive search explains such a question.
func Explain(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (plan *preemption.Plan, ok bool, err error) {
	s, err := Start(ctx, terms, snap, req)
	if err != nil {
		return nil, false, err
	}
	defer s.Close()
	if ok = s.Asked.explainsByRows(); ok {
		plan, err = s.explained(ctx)
	}
	s.Busy = false
	return plan, ok, err
}

// explainsByRows reports whether an explanation finds most candidates from the rows
// of their nodes.
func (q *Asked) explainsByRows() bool {
	return q.Rules.byRows && !q.need.filtered && q.terms.Sample == nil && !q.refused()
}

// explained finds the status of every node and all candidates.
func (s *Search) explained(ctx context.Context) (*preemption.Plan, error) {
	q := &s.Asked
	if err := q.settle(s.Workers[0]); err != nil {
		return nil, err
	}
	nodes, candidates, err := s.reports(ctx)
	if err != nil {
		return nil, err
	}

	for i := range candidates {
		q.Attempt.Complete(&candidates[i])
	}
	by := q.rank(ctx, candidates)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	// An explanation has all candidates, also of a pod that fits or may not preempt. The plan has the best one
	// only if it preempts.
	p := s.beginPlan()
	switch {
	case p.Outcome != preemption.Preempts:
	case len(candidates) == 0:
		p.Outcome = preemption.NothingHelps
		p.Unhelpful = s.unhelpful()
	default:
		p.Candidate = candidates[0]
	}

	p.Nodes, p.DecidedBy = nodes, by
	if len(candidates) > 0 {
		p.Candidates = candidates
	}
	q.linkCandidates(p)
	return p, nil
}

// reports finds what every node answers, by position, and the candidates in the order of the nodes.
func (s *Search) reports(ctx context.Context) ([]preemption.NodeReport, []preemption.Candidate, error) {
	w, q := s.Workers[0], &s.Asked
	nodes := make([]preemption.NodeReport, len(s.Bounds))
	candidates := make([]preemption.Candidate, 0, len(s.Bounds))
	var (
		victims victimSlab
		after   statusSlab
	)
	for position := range nodes {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}

		report := &nodes[position]
		if !w.reportStatus(report, position) {
			continue
		}
		c, ok := w.candidateAt(position)
		if !ok {
			report.AfterRemoval = after.add(q.Attempt.Public(w.failure))
			continue
		}
		report.AfterRemoval = after.add(preemption.Status{})
		candidates = append(candidates, w.lasting(c, victims.copy(c.Victims)))
	}
	return nodes, candidates, nil
}

// linkCandidates has the report of each node that is a candidate point to it.
func (q *Asked) linkCandidates(p *preemption.Plan) {
	snap := q.snap
	positions := snap.Positions()
	for i := range p.Candidates {
		slot, _ := snap.Slots.Get(p.Candidates[i].Node) // it is there
		p.Nodes[positions[slot]].Candidate = &p.Candidates[i]
	}
}

// statusSlab makes room for many statuses at a time.
type statusSlab []preemption.Status

// add returns a copy of a status that stays where it is.
func (v *statusSlab) add(s preemption.Status) *preemption.Status {
	if len(*v) == cap(*v) {
		*v = make(statusSlab, 0, 256)
	}
	*v = append(*v, s)
	return &(*v)[len(*v)-1]
}

// reportStatus notes the status of a node as things are in its report, and counts it. It reports whether
// preemption is to be tried there.
func (w *Worker) reportStatus(report *preemption.NodeReport, position int) (try bool) {
	n := w.NodeAt(position)
	report.Node = n.Name
	sum := w.sums.At(n.Slot)
	switch {
	case w.statuses.any:
		report.Status = w.attempt.Public(dryrun.FilterStatusOf(w.givenAt(position)))
		return w.note(position)
	case sum.Flags&^state.AnyUnits == 0 && !w.plan.Selects:
		x, code := w.filterByResources(n.Slot, sum)
		w.answered(x, position)
		if x != 0 {
			report.Status = w.attempt.Public(w.statusOf(x))
		}
		return code == filters.Unschedulable
	}

	// The summary does not tell everything: pods are nominated to the node, say, or it has taints.
	st := w.Dry.Filter(n)
	if st.Code == filters.Success {
		w.answered(0, position)
	} else {
		w.answered(w.before.intern(st), position)
	}
	report.Status = w.attempt.Public(st)
	return st.Code == filters.Unschedulable
}

// victimSlab makes room for the victims of many candidates at a time.
type victimSlab []preemption.Victim

// copy returns a copy of some victims, to which nothing can be appended in place.
func (v *victimSlab) copy(victims []preemption.Victim) []preemption.Victim {
	if cap(*v)-len(*v) < len(victims) {
		*v = make(victimSlab, 0, max(512, len(victims)))
	}

	at := len(*v)
	*v = append(*v, victims...)
	return (*v)[at:len(*v):len(*v)]
}

// rank sorts candidates that are in the order of their nodes, the best first, and returns the
// rank by which the first beats the second. Once the context has ended they are in no order.
func (q *Asked) rank(ctx context.Context, candidates []preemption.Candidate) (by string) {
	if len(candidates) < 2 {
		return ""
	}
	compare := func(a, b *preemption.Candidate) (int, string) { return q.Attempt.Compare(&a.Score, &b.Score) }

	// Candidates are large, so that their indexes are sorted. Equal ones stay in the order of the nodes.
	order := make([]int32, len(candidates))
	for i := range order {
		order[i] = int32(i)
	}

	compares, ended := 0, false
	slices.SortStableFunc(order, func(i, j int32) int {
		if compares++; compares%comparesPerLook == 0 {
			ended = ctx.Err() != nil
		}
		if ended {
			return 0
		}
		o, _ := compare(&candidates[i], &candidates[j])
		return o
	})

	reorder(candidates, order)
	_, by = compare(&candidates[0], &candidates[1])
	return by
}

// comparesPerLook is how many candidates are compared between two looks at the context.
const comparesPerLook = 512

// reorder puts the candidate at order[i] at i. It works in place, because another list of candidates
// would be large, and uses the order up.
func reorder(candidates []preemption.Candidate, order []int32) {
	for i := range order {
		if int(order[i]) == i {
			continue
		}

		// The order consists of cycles. One is gone through from i on: each candidate moves to the place that was
		// left before, and the one from i fills the last. A place that has its candidate has its own index in
		// the order, so that no cycle is gone through twice.
		first, at := candidates[i], i
		for int(order[at]) != i {
			from := int(order[at])
			candidates[at], order[at] = candidates[from], int32(at)
			at = from
		}
		candidates[at], order[at] = first, int32(at)
	}
}

// Candidates finds the candidates in the order of the ranks, and the victims of each
// when it is wanted. It ends when yield returns false.
func Candidates(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request, yield func(*preemption.Candidate, error) bool) {
	s, err := Start(ctx, terms, snap, req)
	if err != nil {
		yield(nil, err)
		return
	}
	defer s.Close()

	if !s.Asked.refused() {
		s.bestFirst(ctx, yield)
	}
	s.Busy = false
}

// bestFirst is Candidates once the question is prepared. After an error it ends.
func (s *Search) bestFirst(ctx context.Context, yield func(*preemption.Candidate, error) bool) {
	q := &s.Asked
	if q.given.any {
		if err := q.readGiven(); err != nil {
			yield(nil, err)
			return
		}
	}

	// Every candidate is wanted in the end, so that no reprieve may end because its node has lost.
	q.Rules.general = true
	q.Rules.NoteTight(q.snap.BudgetSet)

	queue := promising{rules: &q.Rules, nodes: s.queue[:0]}
	later := boundQueue{keys: s.later[:0]}
	if err := s.queueAll(ctx, &queue, &later); err != nil {
		yield(nil, err)
		return
	}

	// The first of the queue is no better than its optimistic score says. Once that is the score itself, no
	// other node can have a better candidate.
	w := s.Workers[0]
	for w.takeQueued(&queue, &later); len(queue.nodes) > 0; w.takeQueued(&queue, &later) {
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
			return
		}
		if w.refineFirst(&queue) {
			continue
		}

		position := queue.nodes[0].Position
		queue.dropFirst()
		c, err := w.chosenAt(position)
		if err := cmp.Or(ctx.Err(), err); err != nil { // what is found after the end is of no use
			yield(nil, err)
			return
		}
		if !yield(c, nil) {
			return
		}
	}
}

// queueAll bounds every node, and queues those that may have a candidate: in queue by their optimistic scores,
// or in later by keys made of their bounds, which cost less until a node's turn comes. Keys do only by the
// default ranks, and only for maxQueued nodes, since a key has no more bits for a position.
func (s *Search) queueAll(ctx context.Context, queue *promising, later *boundQueue) error {
	w := s.Workers[0]
	inTurn := !w.rules.topLast && w.rules.standard && len(s.Bounds) <= maxQueued
	for position := range s.Bounds {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		real, ok := w.boundForLater(position)
		switch b := &s.Bounds[position]; {
		case !ok:
		case b.Kind == Evaluated:
			queue.nodes = append(queue.nodes, real)
		case inTurn:
			later.keys = append(later.keys, boundKeyOf(b, position))
		default:
			queue.nodes = append(queue.nodes, w.Optimistic(b, position, w.snap.Order[position]))
		}
	}

	// A later search uses this memory again.
	s.queue, s.later = queue.nodes, later.keys
	queue.order()
	later.order()
	return nil
}

// refineFirst finds out more about the first node of the queue, which may lose its place by that. It reports
// false if nothing is left to find out, because the node has been evaluated.
func (w *Worker) refineFirst(queue *promising) bool {
	position := queue.nodes[0].Position
	b, slot := &w.bounds[position], w.snap.Order[position]
	switch {
	case b.Kind == Evaluated:
		return false

	case !b.tightened: // a tighter bound costs less than an evaluation, and may be enough
		w.Tighten(b, slot)
		queue.nodes[0] = w.Optimistic(b, position, slot)

	default:
		queue.nodes[0] = w.ScoreOfNode(b, position)
		if queue.nodes[0].Position < 0 { // no candidate after all
			queue.dropFirst()
			return true
		}
		b.Kind = Evaluated
	}
	queue.sink(0)
	return true
}

// chosenAt returns the candidate on a node that has been evaluated.
func (w *Worker) chosenAt(position int) (*preemption.Candidate, error) {
	possible, st := w.Dry.DryRun(w.NodeAt(position))
	if st.Code != filters.Success {
		w.Dry.Contradicted()
	}
	if w.Dry.Err != nil {
		return nil, w.Dry.Err
	}

	c := w.Dry.Candidate(possible)
	w.Dry.RestoreVictims(possible)
	return &c, nil
}

// takeQueued moves the first of the nodes in later to the queue, until the bound of the next one says that it
// is no better than the first of the queue.
func (w *Worker) takeQueued(queue *promising, later *boundQueue) {
	for len(later.keys) > 0 {
		position := later.keys[0].position()
		b := &w.bounds[position]

		// A key has few bits for the number of victims, so that behind it come nodes whose own bounds have fewer.
		// No node that waits has a bound better than this one, cut as in a key.
		if len(queue.nodes) > 0 {
			least := *b
			least.fewest = min(least.fewest, mostKeyVictims)
			if least.setLow(&w.outlook.low, position); !w.rules.Better(&w.outlook.low, &queue.nodes[0]) {
				return
			}
		}

		queue.push(w.Optimistic(b, position, w.snap.Order[position]))
		later.dropFirst()
	}
}

// boundForLater bounds a node, and returns its score if that has evaluated it. It is not ok
// if the node is no candidate.
func (w *Worker) boundForLater(position int) (real NodeScore, ok bool) {
	b, slot := &w.bounds[position], w.snap.Order[position]
	w.Best = NodeScore{Position: -1}
	if w.statuses.any {
		if b.Kind = Settled; !w.note(position) {
			return real, false
		}
		w.tryNode(b, position, slot)
	} else {
		w.BoundNode(b, position, slot)
	}

	if found := w.Best; found.Position >= 0 {
		b.Kind = Evaluated
		return found, true
	}
	return real, b.Kind != Settled
}
