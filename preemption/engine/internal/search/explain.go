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

// Explain finds the status of every node and all candidates. ok is false if most candidates cannot be found
// from the rows of the nodes; then the exhaustive search has to explain the question.
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

// explainsByRows reports whether most candidates can be found from the rows of their nodes.
func (q *Asked) explainsByRows() bool {
	return q.Rules.byRows && !q.need.filtered && q.terms.Sample == nil && !q.refused()
}

// explained is Explain once the question is prepared.
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

	// An explanation has all candidates even if the pod fits or may not preempt. Only a plan that preempts
	// has a best one.
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

// reports returns the report of every node, by position, and the candidates in the order of the nodes.
func (s *Search) reports(ctx context.Context) ([]preemption.NodeReport, []preemption.Candidate, error) {
	w, q := s.Workers[0], &s.Asked
	nodes := make([]preemption.NodeReport, len(s.Bounds))
	candidates := make([]preemption.Candidate, 0, len(s.Bounds))
	// The slabs save an allocation for each victim list and each status.
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

// linkCandidates makes the report of each node that is a candidate point to the candidate.
func (q *Asked) linkCandidates(p *preemption.Plan) {
	snap := q.snap
	positions := snap.Positions()
	for i := range p.Candidates {
		slot, _ := snap.Slots.Get(p.Candidates[i].Node) // a candidate's node exists
		p.Nodes[positions[slot]].Candidate = &p.Candidates[i]
	}
}

// statusSlab allocates statuses many at a time.
type statusSlab []preemption.Status

// add returns a pointer to a copy of a status, which later calls do not move.
func (v *statusSlab) add(s preemption.Status) *preemption.Status {
	if len(*v) == cap(*v) {
		*v = make(statusSlab, 0, 256)
	}
	*v = append(*v, s)
	return &(*v)[len(*v)-1]
}

// reportStatus writes the status of a node, with all pods in place, into its report and counts it. try
// reports whether preemption is to be tried there.
func (w *Worker) reportStatus(report *preemption.NodeReport, position int) (try bool) {
	n := w.NodeAt(position)
	report.Node = n.Name
	sum := w.sums.At(n.Slot)
	switch {
	// Given statuses replace the filters' answers.
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

	// The summary does not describe the node completely: pods are nominated to it, say, or it has taints.
	st := w.Dry.Filter(n)
	if st.Code == filters.Success {
		w.answered(0, position)
	} else {
		w.answered(w.before.intern(st), position)
	}
	report.Status = w.attempt.Public(st)
	return st.Code == filters.Unschedulable
}

// victimSlab allocates the victims of many candidates at a time.
type victimSlab []preemption.Victim

// copy returns a copy of some victims, without spare capacity.
func (v *victimSlab) copy(victims []preemption.Victim) []preemption.Victim {
	if cap(*v)-len(*v) < len(victims) {
		*v = make(victimSlab, 0, max(512, len(victims)))
	}

	at := len(*v)
	*v = append(*v, victims...)
	return (*v)[at:len(*v):len(*v)]
}

// rank sorts candidates, given in the order of their nodes, so that the best is first. It returns the rank by
// which the first beats the second. If the context ends, the order is undefined.
func (q *Asked) rank(ctx context.Context, candidates []preemption.Candidate) (by string) {
	if len(candidates) < 2 {
		return ""
	}
	compare := func(a, b *preemption.Candidate) (int, string) { return q.Attempt.Compare(&a.Score, &b.Score) }

	// Candidates are large, so that indexes are sorted instead. Equal candidates stay in the order of the
	// nodes.
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

// comparesPerLook is the number of comparisons between two looks at the context.
const comparesPerLook = 512

// reorder moves the candidate at order[i] to i. It works in place, because a second list of candidates would
// be large, and overwrites order.
func reorder(candidates []preemption.Candidate, order []int32) {
	for i := range order {
		if int(order[i]) == i {
			continue
		}

		// The order consists of cycles. This follows the cycle of i: each candidate moves to the place that
		// the one before it left, and the candidate from i fills the last place. A place that has its
		// candidate gets its own index in order, so that no cycle is followed twice.
		first, at := candidates[i], i
		for int(order[at]) != i {
			from := int(order[at])
			candidates[at], order[at] = candidates[from], int32(at)
			at = from
		}
		candidates[at], order[at] = first, int32(at)
	}
}

// Candidates yields the candidates in the order of the ranks. The victims of each are found only when it is
// its turn. It ends when yield returns false.
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

// bestFirst is Candidates once the question is prepared. It ends after an error.
func (s *Search) bestFirst(ctx context.Context, yield func(*preemption.Candidate, error) bool) {
	q := &s.Asked
	if q.given.any {
		if err := q.readGiven(); err != nil {
			yield(nil, err)
			return
		}
	}

	// Every candidate may be wanted, so that no reprieve may end early because its node loses.
	q.Rules.general = true
	q.Rules.NoteTight(q.snap.BudgetSet)

	queue := promising{rules: &q.Rules, nodes: s.queue[:0]}
	later := boundQueue{keys: s.later[:0]}
	if err := s.queueAll(ctx, &queue, &later); err != nil {
		yield(nil, err)
		return
	}

	// No candidate on the first node of the queue beats the node's optimistic score. Once that is the real
	// score, no other node can have a better candidate.
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
		if err := cmp.Or(ctx.Err(), err); err != nil { // results after the end of the context are incomplete
			yield(nil, err)
			return
		}
		if !yield(c, nil) {
			return
		}
	}
}

// queueAll bounds every node, and queues those that may have a candidate: in queue by their optimistic
// scores, or in later by keys made of their bounds, which cost less until a node's turn comes. Keys work only
// by the default ranks and for up to maxQueued nodes, because a key has no more bits for a position.
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

	// A later search reuses this memory.
	s.queue, s.later = queue.nodes, later.keys
	queue.order()
	later.order()
	return nil
}

// refineFirst tightens the bound of the first node in the queue or evaluates the node, which may cost it its
// place. It reports false if the node is already evaluated.
func (w *Worker) refineFirst(queue *promising) bool {
	position := queue.nodes[0].Position
	b, slot := &w.bounds[position], w.snap.Order[position]
	switch {
	case b.Kind == Evaluated:
		return false

	case !b.tightened: // a tighter bound costs less than an evaluation, and may suffice
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

// chosenAt returns the candidate on an evaluated node.
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

// takeQueued moves nodes from later to queue, the best first, until the bound of the next one is no better
// than the first node of queue.
func (w *Worker) takeQueued(queue *promising, later *boundQueue) {
	for len(later.keys) > 0 {
		position := later.keys[0].position()
		b := &w.bounds[position]

		// Keys cut large numbers of victims, so that nodes with fewer victims may come behind this one. With
		// the number cut in the same way, no waiting node has a better bound.
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

// boundForLater bounds a node. ok is false if the node is no candidate. If bounding has evaluated the node,
// real is its score, and the kind of its bound is Evaluated.
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
