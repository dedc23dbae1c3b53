package preemption

import (
	"context"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Evaluator decides by one configuration. It holds nothing of any cluster; any
// number of goroutines may use it at once.
type Evaluator struct {
	config Config
	stride int // stretch, but for tests
}

// New checks the configuration and prepares an evaluator; see
// [Config.Validate] for the error. What the
// configuration points to must not change while the evaluator is used.
func New(config Config) (*Evaluator, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.Filters, config.Extenders = slices.Clone(config.Filters), slices.Clone(config.Extenders)
	config.Scorers, config.Policy.Ranks = slices.Clone(config.Scorers), slices.Clone(config.Policy.Ranks)
	return &Evaluator{config: config, stride: stretch}, nil
}

// Preempt decides who has to leave so that the pod can run:
//
//  1. every node is asked whether it takes the pod as things are (section 5);
//     if one does, the pod fits;
//  2. may the pod preempt (section 6)?
//  3. on every node that failed with Unschedulable, the victims are found
//     (sections 4 and 7);
//  4. the best of these nodes is chosen (section 9).
//
// The pod may be a pending pod of the snapshot or one it has never seen; now
// stands in for missing start times. The snapshot is only read. The error is
// the context's, a filter's own, or one about the pod: that of
// [outrank.Pod.Validate], or [ErrState] for a pod that runs already.
//
// Time is that of a look at every node, and of working out those that could be
// the best. For pods of a shape that the snapshot was asked about before (equal
// in priority, requests, tolerations and what they demand of nodes), with no
// rules about other pods, it is that of the nodes that changed since. Pods with
// affinity or spread rules cost a look at every kind of pod and its nodes in
// addition. It follows DefaultPreemption's PostFilter, with all nodes
// and no sample.
func (e *Evaluator) Preempt(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time) (*Plan, error) {
	return e.PreemptRequest(ctx, snap, Request{Pod: pod, Now: now})
}

// PreemptRequest is Preempt for a question with more to it.
func (e *Evaluator) PreemptRequest(ctx context.Context, snap *Snapshot, req Request) (*Plan, error) {
	if e.config.bounded(&req) {
		return e.decide(ctx, snap, &req)
	}
	a, crew, err := e.start(snap, &req)
	if err != nil {
		return nil, err
	}
	r, err := a.run(ctx, crew, &req, false)
	if err != nil {
		return nil, err
	}
	return r.plan(), nil
}

// Explain decides as Preempt does, and keeps everything on the way: the status
// of every node and all candidates, worked out also where the pod fits or may
// not preempt. It takes memory for all of that.
func (e *Evaluator) Explain(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time) (*Explanation, error) {
	return e.ExplainRequest(ctx, snap, Request{Pod: pod, Now: now})
}

// ExplainRequest is Explain for a question with more to it.
func (e *Evaluator) ExplainRequest(ctx context.Context, snap *Snapshot, req Request) (*Explanation, error) {
	a, crew, err := e.start(snap, &req)
	if err != nil {
		return nil, err
	}
	r, err := a.run(ctx, crew, &req, true)
	if err != nil {
		return nil, err
	}
	return r.explanation(), nil
}

// result is what a run found out, by the place of each node in the order.
type result struct {
	*attempt
	before     []status // as things are
	after      []status // with everybody of lower priority away; where tried
	tried      []bool
	scores     []Score
	candidates []Candidate // of every node, where everything is to be kept
	ineligible Ineligibility
	feasible   int
	best       int // -1 for none
	chosen     Candidate
}

// start prepares an attempt and those who work on it.
func (e *Evaluator) start(snap *Snapshot, req *Request) (*attempt, *crew, error) {
	a, err := newAttempt(&e.config, snap, req.Pod, req.Now)
	if err != nil {
		return nil, nil, err
	}
	return a, newCrew(e.config.Workers, e.stride, a), nil
}

// run decides in the general way.
func (a *attempt) run(ctx context.Context, crew *crew, req *Request, everything bool) (*result, error) {
	var err error
	r := &result{attempt: a, best: -1}
	if r.before, err = filterAll(ctx, crew, req); err != nil {
		return nil, err
	}
	for _, s := range r.before {
		if s.code == Success {
			r.feasible++
		}
	}
	r.ineligible = a.eligible(r.codeOf)
	if !everything && (r.feasible > 0 || r.ineligible != Eligible) {
		return r, nil
	}
	if err := r.decide(ctx, crew, everything); err != nil {
		return nil, err
	}
	return r, nil
}

// filterAll asks every node, unless the caller has done so.
func filterAll(ctx context.Context, crew *crew, req *Request) ([]status, error) {
	a := crew.workers[0].a
	if req.Statuses != nil {
		return req.outside(a.snap)
	}
	before := make([]status, len(a.snap.order))
	err := crew.each(ctx, len(before), func(w *worker, i int) {
		before[i] = w.filter(a.snap.nodes[a.snap.order[i]])
	})
	return before, err
}

// codeOf finds a node's status by name.
func (r *result) codeOf(node string) (Code, bool) {
	slot, ok := r.snap.slots.get(node)
	if !ok || r.snap.nodes[slot].node == nil {
		return Success, false
	}
	return r.before[slices.Index(r.snap.order, slot)].code, true
}

// decide finds the candidates and picks the best. Candidates are worked out in
// full where everything is to be kept, or where the caller has a say in them.
func (r *result) decide(ctx context.Context, crew *crew, everything bool) error {
	n := len(r.before)
	r.after, r.tried, r.scores = make([]status, n), make([]bool, n), make([]Score, n)
	config := r.config
	if everything || len(config.Extenders) > 0 || len(config.Scorers) > 0 {
		r.candidates = make([]Candidate, n)
	}
	if err := r.try(ctx, crew); err != nil {
		return err
	}
	if len(config.Extenders) > 0 {
		if err := r.extend(ctx, config.Extenders); err != nil {
			return err
		}
	}
	r.scoreByCaller()
	for i := range n {
		if r.isCandidate(i) && (r.best < 0 || r.better(i, r.best)) {
			r.best = i
		}
	}
	r.settle(crew.workers[0])
	return nil
}

// settle works the best candidate out in full, if that was not done before.
func (r *result) settle(w *worker) {
	switch {
	case r.best < 0:
	case r.candidates != nil:
		r.chosen = r.candidates[r.best]
	default:
		possible, _ := w.dryRun(r.nodeAt(r.best))
		r.chosen = w.candidate(possible)
		w.leave(possible)
	}
}

// try makes dry runs on the nodes where preemption may help: on all of them,
// or from an offset on until a sample has found enough (section 8).
func (r *result) try(ctx context.Context, crew *crew) error {
	var nodes []int
	for i, s := range r.before {
		if s.code == Unschedulable {
			nodes = append(nodes, i)
		}
	}
	if r.config.Sample == nil || len(nodes) == 0 {
		return r.tryEach(ctx, crew, nodes)
	}
	start, enough := r.config.Sample.start(len(nodes), r.pod.Key()), r.config.Sample.enough(len(nodes))
	nodes = append(nodes[start:], nodes[:start]...)
	found, free := 0, 0
	for len(nodes) > 0 {
		// More at a time than are still wanted would mostly be for nothing.
		batch := nodes[:min(len(nodes), max(crew.stride*len(crew.workers), enough-found))]
		nodes = nodes[len(batch):]
		if err := r.tryEach(ctx, crew, batch); err != nil {
			return err
		}
		for at, i := range batch {
			if !r.isCandidate(i) {
				continue
			}
			found++
			if r.scores[i].Violations == 0 {
				free++
			}
			if free > 0 && found >= enough {
				r.forget(batch[at+1:])
				return nil
			}
		}
	}
	return nil
}

// forget drops what was tried beyond the end of the sample.
func (r *result) forget(nodes []int) {
	for _, i := range nodes {
		r.tried[i], r.after[i], r.scores[i] = false, status{}, Score{}
		if r.candidates != nil {
			r.candidates[i] = Candidate{}
		}
	}
}

func (r *result) tryEach(ctx context.Context, crew *crew, nodes []int) error {
	return crew.each(ctx, len(nodes), func(w *worker, at int) {
		i := nodes[at]
		possible, s := w.dryRun(r.nodeAt(i))
		r.tried[i], r.after[i] = true, s
		if s.code == Success {
			r.scores[i] = w.score(possible)
			if r.candidates != nil {
				r.candidates[i] = w.candidate(possible)
			}
		}
		w.leave(possible)
	})
}

// scoreByCaller asks the caller's scorers about every candidate.
func (r *result) scoreByCaller() {
	for i := range r.candidates {
		if !r.isCandidate(i) {
			continue
		}
		c := &r.candidates[i]
		for _, x := range r.config.Scorers {
			c.OwnScores = append(c.OwnScores, x.Score(c))
		}
	}
}

func (r *result) nodeAt(i int) *nodeState { return r.snap.nodes[r.snap.order[i]] }

func (r *result) isCandidate(i int) bool { return r.tried[i] && r.after[i].code == Success }

// better compares two candidates; equal ones stay in the order of the nodes.
func (r *result) better(i, j int) bool {
	order, _ := r.compare(i, j)
	return order < 0
}

// compare orders two candidates by the caller's scores or by the ranks.
func (r *result) compare(i, j int) (int, Rank) {
	if len(r.config.Scorers) > 0 {
		// The higher score is the better one.
		if c := slices.Compare(r.candidates[j].OwnScores, r.candidates[i].OwnScores); c != 0 {
			return c, ByOwnScore
		}
		return 0, ByNodeOrder
	}
	return r.scores[i].compareBy(&r.scores[j], r.ranks)
}
