package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// bench tries changes on a scratch copy of the snapshot. Each trial is undone afterwards. The caller's snapshot is
// only read.
type bench struct {
	ctx context.Context
	e   *engine.Evaluator
	req preemption.Request
	// options are used by the finders that look at the scratch. Their lists are not cut, because a change needs
	// everything that is in the way.
	options Options
	// most is the length at which the lists of the report are cut.
	most int
	// named is the finder of the caller's snapshot. It refers to pods as they are there.
	named *finder
	// snap is the scratch.
	snap *engine.Snapshot
	// mayPreempt is set if the pod may preempt.
	mayPreempt bool
	// left is the number of questions to nodes that may still be asked.
	left int
}

// mostAsked bounds the questions to changed nodes, or about changed pods, for one report.
const mostAsked = 64

// newBench prepares trials that explain a plan.
func (f *finder) newBench(ctx context.Context, q Question, ex *preemption.Plan) *bench {
	return &bench{
		ctx: ctx, e: q.Evaluator, req: q.Request, options: Options{Most: mostNames, Copies: f.copies}, most: f.most, named: f,
		snap: f.snap.Scratch(), mayPreempt: ex.Ineligible == "" && !f.disabled(), left: mostAsked,
	}
}

// trialAnswer is the answer of a node in the changed scratch.
type trialAnswer struct {
	outcome preemption.Outcome
	victims []preemption.Victim
	// behind is the obstacle that is left. It is nil unless the outcome is nothing-helps.
	behind *Obstacle
	// at is the node with the pods gone that the obstacle is about.
	at *place
}

// ask asks a node of the scratch about the pod, which may be a changed copy of the preemptor. If the node does not
// take the pod, even by preemption, the answer names the obstacle.
func (b *bench) ask(pod *outrank.Pod, node string) (*trialAnswer, error) {
	// The finder is made anew, because the scratch has changed since the last question.
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

	// First without preemption, and then with it if there are possible victims.
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

		// The obstacle to name is the one that remains with all possible victims gone.
		if report.AfterRemoval != nil {
			at, s = at.empty(), *report.AfterRemoval
		}
	}

	// The pod is too large even for the empty node. A smaller pod could preempt the others, so it only has to become
	// smaller by the amounts that are short with them gone.
	if s.Code == preemption.UnschedulableAndUnresolvable && s.Filter == preemption.NodeResourcesFit && b.mayPreempt {
		at = at.empty()
	}
	out.behind = f.find(at, s)
	return out, b.ctx.Err()
}

// mayPush returns the outcome for a pod for which preemption would make room on a node. After a change the pod may
// have to wait for victims that are terminating (rule 8.3), and may not preempt then.
func (b *bench) mayPush(req preemption.Request) (preemption.Outcome, error) {
	plan, err := b.e.Preempt(b.ctx, b.snap, req)
	if err != nil || plan.Outcome == preemption.NotEligible {
		return preemption.NotEligible, err
	}
	return preemption.Preempts, nil
}

// trial calls f and then undoes all changes of the scratch, also after an error.
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

// evict removes the pods that the obstacle names as its cause, and returns them. It removes none if one of them is gone
// already, or is a copy of the preemptor: evicting a copy only moves the problem.
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

// remove removes pods from the scratch.
func (b *bench) remove(pods []*outrank.Pod) error {
	for _, p := range pods {
		if err := b.snap.RemovePod(p.Key()); err != nil {
			return err
		}
	}
	return nil
}

// holders lists the pods that the obstacle names as its cause, each once.
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
