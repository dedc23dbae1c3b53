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
	// Fates has what becomes of each victim, in the order of the candidate's Victims.
	Fates []Fate
	// Exact is set where no other nodes for the replacements are better.
	Exact bool
	// cost is the sum of the costs of the losses.
	cost int64
}

// inTurn are costs that compare the numbers of the lost, of the waiting and of the moved in turn. Fewer victims
// than 2^20 that move weigh less than one that waits, and fewer that wait weigh less than one that is lost.
var inTurn = LossCosts{Moved: 1, Waits: 1 << 20, Lost: 1 << 40}

// Outlooks ranks the candidates of one pod's decision by what becomes of their victims. Fewer lost victims
// come first, then fewer that wait, then fewer that move, and equal candidates stand in the order of the
// policy's ranks. So where the victims of some candidate all find other places, one like that is the first.
// With Moves in the request the sums of its costs are compared in place of the numbers. The request is about
// one pod, also one that fits or may not preempt; victims are those of the candidates as
// [engine.Evaluator.Candidates] has them.
//
// Places for replacements are tried one after the other on a copy of the cluster in which the
// victims are gone and the pod runs (rule 25.6.2). Candidates are tried in the order of the policy's
// ranks, at least one and until the request's Limit of steps is used up. all says whether every candidate was
// tried and each is exact. Otherwise a candidate that was not tried, or other places, could be better.
//
// Configurations that [Preempt] cannot plan with are no errors here. Errors are those of
// [engine.Evaluator.Candidates], the context's, and an *outrank.InputError about the request. The
// snapshot is cloned, so that no other call may use it at the same time. The outlooks are the caller's. Time
// is that of the candidates, and for each that of asking every node about each of its victims at least
// once.
func Outlooks(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, req Request) (outlooks []Outlook, all bool, err error) {
	if ctx == nil || eval == nil || snap == nil {
		return nil, false, fmt.Errorf("ranking by what becomes of victims: no context, no evaluator or no snapshot: %w", outrank.ErrInvalid)
	}
	if err := req.checkSingle(); err != nil {
		return nil, false, err
	}

	// The pod decides with its nomination, and runs in plain, where the nomination must not count beside it.
	pod := req.Pods[0]
	queue, err := pending(snap, req.Pods, nil)
	if err != nil {
		return nil, false, err
	}
	plain, err := pending(snap, req.Pods, map[*outrank.Pod]bool{pod: true})
	if err != nil {
		return nil, false, err
	}

	// A context that ends is an error here, so it cuts no reasons short.
	b := &draft{
		ctx: ctx, caller: context.WithoutCancel(ctx), eval: eval, snap: plain, plain: plain,
		now: req.Now, limit: cmp.Or(req.Limit, defaultLimit),
	}
	b.findNodes()
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
		if len(outlooks) > 0 && b.steps >= b.limit { // one candidate is tried whatever the limit is
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

	// Candidates come in the order of the ranks, so equal costs stay in it.
	slices.SortStableFunc(outlooks, func(o, p Outlook) int { return cmp.Compare(o.cost, p.cost) })
	return outlooks, all, nil
}

// checkSingle returns everything that is wrong with a request about one pod.
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

// outlook carries a candidate out, finds out what becomes of its victims, and takes it back.
func (b *draft) outlook(pod *outrank.Pod, c *preemption.Candidate) Outlook {
	mark := b.plain.Mark()
	defer func() { b.fail(b.plain.Undo(mark)) }()
	victims := make([]*outrank.Pod, len(c.Victims))
	for i := range c.Victims {
		victims[i] = c.Victims[i].Pod
		b.fail(b.plain.RemovePod(victims[i].Key()))
	}
	// Nominations to the node do not matter: no replacement goes there.
	b.fail(b.plain.Bind(pod.Key(), c.Node))

	// Places are found whatever the limit is, so s is nil only after an error.
	o := Outlook{Candidate: c}
	s := b.follow(b.plain, slices.Clone(victims), thoroughBeyondLimit)
	if s == nil {
		return o
	}
	fates, _ := b.relocate(b.plain, s)
	o.Fates = make([]Fate, len(victims))
	o.Exact = s.exact
	for i, v := range s.victims { // they are sorted by importance, and the candidate's need not be
		o.Fates[slices.Index(victims, v)] = fates[i]
	}
	for _, f := range fates {
		o.cost = resource.AddSat(o.cost, b.totals.lossCosts.Of(f.Loss))
	}
	return o
}
