package preemption

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/outrank-go/outrank"
)

// Evaluator decides by one configuration. It holds nothing of any cluster; any
// number of goroutines may use it at once.
type Evaluator struct {
	config Config
}

// New checks the configuration and prepares an evaluator; see
// [Config.Validate] for the error. The slice of filters is copied.
func New(config Config) (*Evaluator, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config.Filters = slices.Clone(config.Filters)
	return &Evaluator{config}, nil
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
// Time is that of asking every node, and of going through the pods on those
// that step 3 looks at; pods with affinity or spread rules cost a walk over all
// pods in addition. It follows DefaultPreemption's PostFilter, with all nodes
// and no sample.
func (e *Evaluator) Preempt(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time) (*Plan, error) {
	r, err := e.run(ctx, snap, pod, now, false)
	if err != nil {
		return nil, err
	}
	return r.plan(), nil
}

// Explain decides as Preempt does, and keeps everything on the way: the status
// of every node and all candidates, worked out also where the pod fits or may
// not preempt. It takes memory for all of that.
func (e *Evaluator) Explain(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time) (*Explanation, error) {
	r, err := e.run(ctx, snap, pod, now, true)
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

func (e *Evaluator) run(ctx context.Context, snap *Snapshot, pod *outrank.Pod, now time.Time, everything bool) (*result, error) {
	if snap == nil {
		return nil, fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	}
	a, err := newAttempt(e.config.Filters, snap, pod, now)
	if err != nil {
		return nil, err
	}
	n := len(snap.order)
	r := &result{attempt: a, before: make([]status, n), best: -1}
	crew := newCrew(e.config.Workers, a)
	err = crew.each(ctx, n, func(w *worker, i int) {
		r.before[i] = w.filter(snap.nodes[snap.order[i]])
	})
	if err != nil {
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
	if err := r.tryAll(ctx, crew, everything); err != nil {
		return nil, err
	}
	return r, nil
}

// codeOf finds a node's status by name.
func (r *result) codeOf(node string) (Code, bool) {
	slot, ok := r.snap.slots.get(node)
	if !ok || r.snap.nodes[slot].node == nil {
		return Success, false
	}
	return r.before[slices.Index(r.snap.order, slot)].code, true
}

// tryAll makes a dry run on every node where preemption may help, and picks
// the best.
func (r *result) tryAll(ctx context.Context, crew *crew, everything bool) error {
	n := len(r.before)
	r.after, r.tried, r.scores = make([]status, n), make([]bool, n), make([]Score, n)
	if everything {
		r.candidates = make([]Candidate, n)
	}
	err := crew.each(ctx, n, func(w *worker, i int) {
		if r.before[i].code != Unschedulable {
			return
		}
		possible, s := w.dryRun(r.nodeAt(i))
		r.tried[i], r.after[i] = true, s
		if s.code == Success {
			r.scores[i] = w.score(possible)
			if everything {
				r.candidates[i] = w.candidate(possible)
			}
		}
		w.leave(possible)
	})
	if err != nil {
		return err
	}
	for i := range n {
		if r.isCandidate(i) && (r.best < 0 || r.better(i, r.best)) {
			r.best = i
		}
	}
	if r.best >= 0 {
		w := crew.workers[0]
		possible, _ := w.dryRun(r.nodeAt(r.best))
		r.chosen = w.candidate(possible)
		w.leave(possible)
	}
	return nil
}

func (r *result) nodeAt(i int) *nodeState { return r.snap.nodes[r.snap.order[i]] }

func (r *result) isCandidate(i int) bool { return r.tried[i] && r.after[i].code == Success }

// better compares two candidates; equal ones stay in the order of the nodes.
func (r *result) better(i, j int) bool {
	order, _ := r.scores[i].Compare(r.scores[j])
	return order < 0
}

func (r *result) plan() *Plan {
	p := &Plan{Pod: r.pod, Ineligible: r.ineligible, Feasible: r.feasible}
	p.TurnedDown = r.counts(r.before, nil)
	switch {
	case r.feasible > 0:
		p.Outcome = Fits
	case r.ineligible != Eligible:
		p.Outcome = NotEligible
	case r.best < 0:
		p.Outcome = NothingHelps
		p.Unhelpful = r.counts(r.after, r.tried)
	default:
		p.Outcome = Preempt
		p.Unhelpful = r.counts(r.after, r.tried)
		p.Candidate = r.chosen
		p.ClearedNominations = r.clearedNominations(r.nodeAt(r.best))
	}
	return p
}

func (r *result) explanation() *Explanation {
	e := &Explanation{Plan: *r.plan(), Nodes: make([]NodeReport, len(r.before))}
	e.Unhelpful = r.counts(r.after, r.tried)
	var places []int
	for i := range r.before {
		report := NodeReport{Node: r.nodeAt(i).name, Status: r.public(r.before[i])}
		if r.tried[i] {
			report.Tried, report.AfterRemoval = true, r.public(r.after[i])
		}
		e.Nodes[i] = report
		if r.isCandidate(i) {
			places = append(places, i)
		}
	}
	sort.SliceStable(places, func(x, y int) bool { return r.better(places[x], places[y]) })
	for _, i := range places {
		e.Candidates = append(e.Candidates, r.candidates[i])
	}
	if len(e.Candidates) > 1 {
		_, e.DecidedBy = e.Candidates[0].Score.Compare(e.Candidates[1].Score)
	}
	return e
}

// counts groups the statuses that are not success, the most frequent first.
func (r *result) counts(ss []status, among []bool) []Count {
	var groups []Count
	known := map[statusKey]int{}
	for i, s := range ss {
		if s.code == Success || among != nil && !among[i] {
			continue
		}
		key := keyOf(s)
		at, ok := known[key]
		if !ok {
			at = len(groups)
			known[key] = at
			groups = append(groups, Count{Status: r.public(s)})
		}
		groups[at].Nodes++
	}
	sort.SliceStable(groups, func(i, j int) bool {
		if groups[i].Nodes != groups[j].Nodes {
			return groups[i].Nodes > groups[j].Nodes
		}
		return groups[i].String() < groups[j].String()
	})
	return groups
}

// statusKey tells statuses apart.
type statusKey struct {
	code    Code
	by      int
	short   uint64
	tooMany bool
	text    string
}

func keyOf(s status) statusKey {
	key := statusKey{code: s.code, by: s.by, short: s.short, tooMany: s.tooMany}
	switch len(s.text) {
	case 0:
	case 1:
		key.text = s.text[0]
	default:
		key.text = fmt.Sprintf("%q", s.text)
	}
	return key
}
