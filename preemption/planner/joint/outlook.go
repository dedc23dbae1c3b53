package joint

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Outlook is a candidate of one decision, with what becomes of its victims (rule 25.6.7).
type Outlook struct {
	*preemption.Candidate
	// Fates has the fate of each victim, in the order of the candidate's Victims.
	Fates []Fate
	// Exact is set if no other nodes for the replacements are better.
	Exact bool
	// cost is the sum of the costs of the losses.
	cost int64
}

// inTurn are costs by which sums compare lexicographically: first the number of lost victims, then of waiting ones,
// then of moved ones. That holds for fewer than 2^20 victims.
var inTurn = LossCosts{Moved: 1, Waits: 1 << 20, Lost: 1 << 40}

// Outlooks ranks the candidates of one pod's decision by what becomes of their victims. Candidates with fewer lost
// victims come first, then those with fewer that wait, then those with fewer that move; equal candidates stay in
// the order of the policy's ranks. So if all victims of some candidate find other places, such a candidate comes
// first. With Moves in the request, the sums of its costs are compared instead of the numbers.
//
// The request is about one pod. The candidates and their victims are those of [engine.Evaluator.Candidates], which
// also answers for a pod that fits or may not preempt. Places for replacements are searched on a copy of the
// cluster in which the victims are gone and the pod runs (rule 25.6.2).
//
// Candidates are tried in the order of the policy's ranks, until the request's Limit of steps is used up, but at
// least one. all reports whether every candidate was tried, and each outlook is exact. If it is false, an untried
// candidate, or other places, could be better.
//
// Configurations that [Preempt] rejects are no errors here. Errors are those of [engine.Evaluator.Candidates], of
// the context, and an *outrank.InputError about the request. The snapshot is cloned, so no other call may use it at
// the same time. The outlooks belong to the caller. For each candidate, every node is asked at least once about
// each victim.
func Outlooks(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, req Request) (outlooks []Outlook, all bool, err error) {
	if ctx == nil || eval == nil || snap == nil {
		return nil, false, fmt.Errorf("ranking by what becomes of victims: no context, no evaluator or no snapshot: %w", outrank.ErrInvalid)
	}
	if err := req.checkSingle(); err != nil {
		return nil, false, err
	}

	// The decision is made with the pod's nomination. In plain the pod will run, so its nomination is removed there.
	pod := req.Pods[0]
	queue, err := pending(snap, req.Pods, nil)
	if err != nil {
		return nil, false, err
	}
	plain, err := pending(snap, req.Pods, map[*outrank.Pod]bool{pod: true})
	if err != nil {
		return nil, false, err
	}

	// The end of the context is an error here, so caller never ends, and no reasons are left out.
	b := &draft{
		ctx: ctx, caller: context.WithoutCancel(ctx), eval: eval, snap: plain, plain: plain,
		now: req.Now, limit: cmp.Or(req.Limit, defaultLimit),
	}
	b.findNodes()

	// Without costs of the caller the numbers of losses are compared.
	config, costs := eval.Config(), &inTurn
	if req.Moves != nil {
		costs = req.losses()
	}
	b.totals = newTotals(snap, &config, req.Now, costs)

	all = true
	for c, err := range eval.Candidates(ctx, queue, preemption.Request{Pod: pod, Now: req.Now}) {
		if err != nil {
			return nil, false, err
		}
		if len(outlooks) > 0 && b.steps >= b.limit { // the first candidate is tried whatever the limit is
			all = false
			break
		}
		o := b.outlook(pod, c)
		if b.err != nil {
			return nil, false, b.err
		}
		all = all && o.Exact
		outlooks = append(outlooks, o)
	}

	// Candidates come in the order of the ranks, and the stable sort keeps that order for equal costs.
	slices.SortStableFunc(outlooks, func(o, p Outlook) int { return cmp.Compare(o.cost, p.cost) })
	return outlooks, all, nil
}

// checkSingle returns an error that lists everything wrong with a request about a single pod.
func (r *Request) checkSingle() error {
	problems := r.problems()
	if len(r.Pods) != 1 {
		problems = append(problems, outrank.Problem{Object: "joint request", Field: "Pods", Text: fmt.Sprintf("%d pods, and a decision is about one", len(r.Pods))})
	}
	if len(problems) > 0 {
		return fmt.Errorf("ranking by what becomes of victims: %w", &outrank.InputError{Problems: problems})
	}
	return nil
}

// outlook carries out a candidate for the pod, finds out what becomes of its victims, and undoes it.
func (b *draft) outlook(pod *outrank.Pod, c *preemption.Candidate) Outlook {
	mark := b.plain.Mark()
	defer func() { b.fail(b.plain.Undo(mark)) }()

	victims := make([]*outrank.Pod, len(c.Victims))
	for i := range c.Victims {
		victims[i] = c.Victims[i].Pod
		b.fail(b.plain.RemovePod(victims[i].Key()))
	}
	// Nominations to the candidate's node need not be cleared, because no replacement goes there.
	b.fail(b.plain.Bind(pod.Key(), c.Node))

	// This effort finds places whatever the limit is, so s is only nil after an error.
	o := Outlook{Candidate: c}
	s := b.follow(b.plain, slices.Clone(victims), thoroughBeyondLimit)
	if s == nil {
		return o
	}

	fates, _ := b.relocate(b.plain, s)
	o.Fates = make([]Fate, len(victims))
	o.Exact = s.exact
	for i, v := range s.victims { // sorted by importance, which may differ from the candidate's order
		o.Fates[slices.Index(victims, v)] = fates[i]
	}
	for _, f := range fates {
		o.cost = resource.AddSat(o.cost, b.totals.lossCosts.Of(f.Loss))
	}
	return o
}
