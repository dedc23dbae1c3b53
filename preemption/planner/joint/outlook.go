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
	cost  int64
}

// inTurn are costs by which no number of victims that move weighs as much as one that waits, and none
// of those that wait as much as one that is lost.
var inTurn = LossCosts{Moved: 1, Waits: 1 << 20, Lost: 1 << 40}

// Outlooks ranks the candidates of one pod's decision by what becomes of their victims: those of which
// fewer are lost come first, then those of which fewer wait, then those of which fewer move, and
// equal ones stand in the order of the policy's ranks. So the first is one whose victims all
// find other places, where there is such a candidate. With Moves in the request the sums of its costs are
// compared in place of the numbers. The request is about one pod, also one that fits or may not preempt;
// victims are those of the candidates as [engine.Evaluator.Candidates] has them.
//
// The places of replacements were tried, one after the other, on a copy of the cluster in which the
// victims are gone and the pod runs (rule 25.6.2). Candidates are tried in the order of the policy's
// ranks, at least one and until the request's Limit of steps is used up. all says whether none is
// missing and each is exact: the ranking is then what trying everything comes to, and else it is that of
// the candidates that were tried.
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
	problems := req.problems()
	if len(req.Pods) != 1 {
		problems = append(problems, outrank.Problem{Object: "joint request", Field: "Pods", Text: fmt.Sprintf("%d pods, and a decision is about one", len(req.Pods))})
	}
	if len(problems) > 0 {
		return nil, false, fmt.Errorf("ranking by what becomes of victims: %w", &outrank.InputError{Problems: problems})
	}
	queue, err := pending(snap, req.Pods, nil)
	if err != nil {
		return nil, false, err
	}
	plain, err := pending(snap, req.Pods, map[*outrank.Pod]bool{req.Pods[0]: true})
	if err != nil {
		return nil, false, err
	}
	b := &draft{ctx: ctx, end: context.WithoutCancel(ctx), eval: eval, snap: plain, plain: plain, now: req.Now, limit: cmp.Or(req.Limit, defaultLimit)}
	b.findNodes()
	config, costs := eval.Config(), &inTurn
	if req.Moves != nil {
		costs = req.losses()
	}
	b.totals = newTotals(snap, &config, req.Now, costs)
	all = true
	for c, err := range eval.Candidates(ctx, queue, preemption.Request{Pod: req.Pods[0], Now: req.Now}) {
		if err != nil {
			return nil, false, err
		}
		if len(outlooks) > 0 && b.steps >= b.limit {
			all = false
			break
		}
		o := b.outlook(req.Pods[0], c)
		if b.err != nil {
			return nil, false, b.err
		}
		all, outlooks = all && o.Exact, append(outlooks, o)
	}
	slices.SortStableFunc(outlooks, func(o, p Outlook) int { return cmp.Compare(o.cost, p.cost) })
	return outlooks, all, nil
}

// outlook carries a candidate out, and takes it back.
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
	o := Outlook{Candidate: c}
	s := b.follow(b.plain, slices.Clone(victims), entire)
	if s == nil {
		return o
	}
	fates, _ := b.relocate(b.plain, s)
	o.Fates, o.Exact = make([]Fate, len(victims)), s.exact
	for i, v := range s.victims {
		o.Fates[slices.Index(victims, v)] = fates[i]
	}
	for _, f := range fates {
		o.cost = resource.AddSat(o.cost, b.totals.moves.Of(f.Loss))
	}
	return o
}
