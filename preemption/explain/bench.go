package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// bench tries changes on a scratch of the snapshot. After each trial the scratch is put back, and the
// caller's snapshot is only read.
type bench struct {
	ctx context.Context
	e   *engine.Evaluator
	req preemption.Request
	// options are those of the finders that look at the scratch: their lists are not cut.
	options Options
	// most is the number of names that a list of the report holds.
	most int
	// named refers to pods as they are in the caller's snapshot.
	named *finder
	// snap is the scratch.
	snap *engine.Snapshot
	// mayPreempt is set where the pod may push others out.
	mayPreempt bool
	// left is the number of questions to nodes that may still be asked.
	left int
}

// mostAsked is the number of questions to nodes with something changed, for one report.
const mostAsked = 64

// newBench prepares trials for the answer.
func (f *finder) newBench(ctx context.Context, q Question, ex *preemption.Plan) *bench {
	return &bench{
		ctx: ctx, e: q.Evaluator, req: q.Request, options: Options{Most: mostNames, Copies: f.copies}, most: f.most, named: f,
		snap: f.snap.Scratch(), mayPreempt: ex.Ineligible == "" && !f.disabled(), left: mostAsked,
	}
}

// trialAnswer is the answer of a node where something was changed.
type trialAnswer struct {
	outcome preemption.Outcome
	victims []preemption.Victim
	// behind is the obstacle that is left; nil where the outcome is another than nothing-helps.
	behind *Obstacle
	// at is the place that the obstacle is about.
	at *place
}

// ask asks a node about the pod, which may be a changed copy of the preemptor. The node may take it as the
// scratch is, or by preemption; otherwise the answer names the obstacle.
func (b *bench) ask(pod *outrank.Pod, node string) (*trialAnswer, error) {
	b.left--
	req := b.req
	req.Pod = pod
	f, err := newFinder(b.ctx, Question{Evaluator: b.e, Snapshot: b.snap, Request: req}, b.options)
	if err != nil {
		return nil, err
	}
	at, err := f.placeOn(node)
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
		// The obstacle to name is the one that the loss of pods does not take out of the way.
		if report.AfterRemoval != nil {
			at, s = at.empty(), *report.AfterRemoval
		}
	}

	// The pod is too large even for the empty node. A smaller one would push others out, so that it has to
	// become smaller by what is short with them gone, and no more.
	if s.Code == preemption.UnschedulableAndUnresolvable && s.Filter == preemption.NodeResourcesFit && b.mayPreempt {
		at = at.empty()
	}
	out.behind = f.find(at, s)
	return out, b.ctx.Err()
}

// mayPush returns the outcome for a pod for which preemption makes room on a node. With something changed
// the pod may have to wait for victims that are leaving already (rule 8.3), and then pushes nobody out.
func (b *bench) mayPush(req preemption.Request) (preemption.Outcome, error) {
	plan, err := b.e.Preempt(b.ctx, b.snap, req)
	if err != nil || plan.Outcome == preemption.NotEligible {
		return preemption.NotEligible, err
	}
	return preemption.Preempts, nil
}

// trial calls f and then puts the scratch back, also after an error.
func (b *bench) trial(f func() error) error {
	mark := b.snap.Mark()
	err := f()
	return cmp.Or(err, b.snap.Undo(mark))
}

// refs returns references to pods, each with the node that it runs on or is nominated to.
func (b *bench) refs(pods []*outrank.Pod) (out List[Pod]) {
	for _, p := range cut(pods, b.most, &out.More) {
		at := cmp.Or(b.named.snap.NodeOf(p.Key()), b.named.snap.NominationOf(p.Key()))
		out.Items = append(out.Items, *b.named.ref(p, at))
	}
	return out
}

// victims returns references to victims.
func (b *bench) victims(list []preemption.Victim) List[Pod] {
	pods := make([]*outrank.Pod, len(list))
	for i := range list {
		pods[i] = list[i].Pod
	}
	return b.refs(pods)
}

// evict takes the pods away that hold what is in the way, and returns them. It takes none where one of them is
// gone already or is a copy of the preemptor: evicting one's own copy helps nobody.
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

// holders lists the pods that the obstacle names as holding something, each once.
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
