package search

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Explain finds the status of every node and all candidates. It is not ok where most candidates
// are not found from the rows of their nodes, which is explained by the exhaustive search.
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
	nodes := make([]preemption.NodeReport, len(s.Bounds))
	w := s.Workers[0]
	candidates := make([]preemption.Candidate, 0, len(s.Bounds))
	var (
		victims victimSlab
		after   statusSlab
	)
	for position := range nodes {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
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
	for i := range candidates {
		q.Attempt.Complete(&candidates[i])
	}
	by := q.rank(ctx, candidates)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

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
	snap := q.snap
	positions := snap.Positions()
	for i := range p.Candidates {
		slot, _ := snap.Slots.Get(p.Candidates[i].Node) // it is there
		nodes[positions[slot]].Candidate = &p.Candidates[i]
	}
	return p, nil
}

// statusSlab makes room for many statuses at a time.
type statusSlab []preemption.Status

func (v *statusSlab) add(s preemption.Status) *preemption.Status {
	if len(*v) == cap(*v) {
		*v = make(statusSlab, 0, 256)
	}
	*v = append(*v, s)
	return &(*v)[len(*v)-1]
}

// reportStatus reports and counts the status of a node as things are, and whether
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
			report.Status = w.attempt.Public(statusOf(w.attempt.Asked.Needs, x))
		}
		return code == filters.Unschedulable
	}
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

func (v *victimSlab) copy(victims []preemption.Victim) []preemption.Victim {
	if cap(*v)-len(*v) < len(victims) {
		*v = make(victimSlab, 0, max(512, len(victims)))
	}
	at := len(*v)
	*v = append(*v, victims...)
	return (*v)[at:len(*v):len(*v)]
}

// rank sorts candidates that are in the order of their nodes, the best first, and returns the
// rank by which the first beats the second. Once the context has ended the order is any.
func (q *Asked) rank(ctx context.Context, candidates []preemption.Candidate) (by string) {
	if len(candidates) < 2 {
		return ""
	}
	compare := func(a, b *preemption.Candidate) (int, string) { return q.Attempt.Compare(&a.Score, &b.Score) }
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

// reorder puts the element at order[i] at i, in place, because another list of candidates
// would be large. The order is used up.
func reorder(candidates []preemption.Candidate, order []int32) {
	for i := range order {
		if int(order[i]) == i {
			continue
		}
		first, at := candidates[i], i
		for int(order[at]) != i {
			from := int(order[at])
			candidates[at], order[at], at = candidates[from], int32(at), from
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

// bestFirst is Candidates once the question is prepared.
func (s *Search) bestFirst(ctx context.Context, yield func(*preemption.Candidate, error) bool) {
	q := &s.Asked
	if q.given.any {
		if err := q.readGiven(); err != nil {
			yield(nil, err)
			return
		}
	}
	q.Rules.general = true // no candidate is pruned
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
		if ctx.Err() != nil { // what was found since is of no use
			err = ctx.Err()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(c, nil) {
			return
		}
	}
}

// queueAll bounds every node, and queues those that may have a candidate: by their optimistic scores, or by keys
// made of their bounds, which cost less until a node's turn comes. A key says enough by the usual ranks alone, and
// has room for so many positions.
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

	s.queue, s.later = queue.nodes, later.keys // so that a later search has their memory
	queue.order()
	later.order()
	return nil
}

// refineFirst finds out more about the first node of the queue, which may lose its place then, and reports false
// where nothing is left to find out: it has been evaluated.
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

// takeQueued moves the waiting nodes whose bounds are as good as the first of the
// queue to there.
func (w *Worker) takeQueued(queue *promising, later *boundQueue) {
	for len(later.keys) > 0 {
		position := later.keys[0].position()
		b := &w.bounds[position]
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

// boundForLater bounds a node, and returns its score if it was evaluated. It is not ok
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
