package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// bench is where changes are tried: a scratch of the snapshot, which is put back after each
// trial, so that the caller's own snapshot is only read.
type bench struct {
	ctx     context.Context
	e       *engine.Evaluator
	req     preemption.Request
	options Options
	most    int
	// named refers to pods as they are in the snapshot itself.
	named *finder
	snap  *engine.Snapshot
	// mayPreempt is set where the pod may push others out.
	mayPreempt bool
	// left is how often nodes may still be asked.
	left int
}

// mostAsked is how often nodes are asked with something changed, for one report.
const mostAsked = 64

// newBench prepares trials for the answer.
func (f *finder) newBench(ctx context.Context, q Question, ex *preemption.Plan) *bench {
	return &bench{
		ctx: ctx, e: q.Evaluator, req: q.Request, options: Options{Most: mostNames, Copies: f.copies}, most: f.most, named: f,
		snap: f.snap.Scratch(), mayPreempt: ex.Ineligible == "" && !f.disabled(), left: mostAsked,
	}
}

// trialAnswer is what a node says with something changed.
type trialAnswer struct {
	outcome preemption.Outcome
	victims []preemption.Victim
	// behind is what is in the way; nil unless nothing helps.
	behind *Obstacle
	at     *place
}

// ask asks a node about the pod, which may be a changed copy of the preemptor.
func (b *bench) ask(pod *outrank.Pod, node string) (*trialAnswer, error) {
	b.left--
	req := b.req
	req.Pod = pod
	f, err := newFinder(b.ctx, Question{Evaluator: b.e, Snapshot: b.snap, Request: req}, b.options)
	if err != nil {
		return nil, err
	}
	at, err := f.at(node)
	if err != nil {
		return nil, err
	}
	out := &trialAnswer{outcome: preemption.NothingHelps, at: at}
	s := at.view.Check()
	switch {
	case s.Code == preemption.Success:
		out.outcome = preemption.Fits
		return out, b.ctx.Err()
	case s.Code == preemption.Unschedulable && b.mayPreempt && len(at.view.Possible()) > 0:
		report, err := b.e.ExplainNode(b.ctx, b.snap, req, node)
		if err != nil {
			return nil, err
		}
		if c := report.Candidate; c != nil {
			out.victims = c.Victims
			out.outcome, err = b.mayPush(req)
			return out, err
		}
		if report.AfterRemoval != nil {
			at, s = at.empty(), *report.AfterRemoval
		}
	}
	if s.Code == preemption.UnschedulableAndUnresolvable && s.Filter == preemption.NodeResourcesFit && b.mayPreempt {
		at = at.empty() // the pod is too large, and others would leave for less of it
	}
	out.behind = f.find(at, s)
	return out, b.ctx.Err()
}

// mayPush says what becomes of a pod for which preemption makes room on a node: with things
// changed it may have to wait for pods that are leaving already.
func (b *bench) mayPush(req preemption.Request) (preemption.Outcome, error) {
	plan, err := b.e.Preempt(b.ctx, b.snap, req)
	if err != nil || plan.Outcome == preemption.NotEligible {
		return preemption.NotEligible, err
	}
	return preemption.Preempts, nil
}

// trial calls f, and puts the scratch back.
func (b *bench) trial(f func() error) error {
	mark := b.snap.Mark()
	err := f()
	return cmp.Or(err, b.snap.Undo(mark))
}

// refs refers to pods, each with where it is.
func (b *bench) refs(pods []*outrank.Pod) (out List[Pod]) {
	for _, p := range cut(pods, b.most, &out.More) {
		at := cmp.Or(b.named.snap.NodeOf(p.Key()), b.named.snap.NominationOf(p.Key()))
		out.Items = append(out.Items, *b.named.ref(p, at))
	}
	return out
}

// victims refers to the victims of a node.
func (b *bench) victims(list []preemption.Victim) List[Pod] {
	pods := make([]*outrank.Pod, len(list))
	for i := range list {
		pods[i] = list[i].Pod
	}
	return b.refs(pods)
}

// evict takes the pods away that hold what is in the way; none where one of them may not be
// taken, because the preemptor's copies would only take its place.
func (b *bench) evict(o *Obstacle) ([]*outrank.Pod, error) {
	var gone []*outrank.Pod
	for _, key := range o.holders() {
		p, ok := b.snap.Pod(key)
		if !ok || b.named.isCopy(p) {
			return nil, nil
		}
		gone = append(gone, p)
	}
	return gone, b.remove(gone)
}

// remove takes pods away.
func (b *bench) remove(pods []*outrank.Pod) error {
	for _, p := range pods {
		if err := b.snap.RemovePod(p.Key()); err != nil {
			return err
		}
	}
	return nil
}

// holders lists the pods that hold what is in the way, each once.
func (o *Obstacle) holders() []outrank.Key {
	var out []outrank.Key
	add := func(p *Pod) {
		if p != nil && !slices.Contains(out, p.Key) {
			out = append(out, p.Key)
		}
	}
	for i := range o.Neighbours {
		add(o.Neighbours[i].Pod)
	}
	for i := range o.Volumes {
		add(o.Volumes[i].Holder)
	}
	for i := range o.Ports {
		add(o.Ports[i].Holder)
	}
	return out
}
