package explain

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Ask decides as [engine.Evaluator.Explain] does, and explains
// the answer. Errors are those of that call. The report is the caller's. Time is that of
// [Explanation] besides the decision.
func Ask(ctx context.Context, q Question, options Options) (*Report, error) {
	ex, err := q.explanation(ctx)
	if err != nil {
		return nil, err
	}
	return Explanation(ctx, q, ex, options)
}

// Plan explains a plan that the evaluator has made of the snapshot as it is. The Pod of the
// request is the plan's. An error that wraps [engine.ErrStale] says that the same question has another answer by now, or
// had from the beginning; any other is one of [Ask], and wraps [outrank.ErrInvalid]
// without a plan. Time is that of Ask.
func Plan(ctx context.Context, q Question, plan *preemption.Plan, options Options) (*Report, error) {
	if plan == nil {
		return nil, fmt.Errorf("%w: no plan", outrank.ErrInvalid)
	}
	q.Request.Pod = plan.Pod
	ex, err := q.explanation(ctx)
	if err != nil {
		return nil, err
	}
	if ex.Outcome != plan.Outcome || ex.Node != plan.Node || !samePods(ex.Victims, plan.Victims) {
		return nil, fmt.Errorf("plan for pod %s: %w: the answer is %s now", plan.Pod.Key(), engine.ErrStale, ex.Outcome)
	}
	return Explanation(ctx, q, ex, options)
}

func samePods(a, b []preemption.Victim) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if b[i].Pod == nil || a[i].Pod.Key() != b[i].Pod.Key() || a[i].Pod.UID != b[i].Pod.UID {
			return false
		}
	}
	return true
}

// Explanation explains what the evaluator has found. Where ex is the answer to another question, the
// report is about neither. Errors are those of [Ask].
//
// Time is linear in the pods of the nodes on which the pod was refused, and in all pods
// where pod affinity or topology spread keep it out. Where the pod gets no node, at most 64
// nodes are asked again with something changed, and where nothing helps a decision is made
// for each priority above the pod's own that can differ, and for those below it where fewer
// victims might do, until one is enough: at most 256. Memory
// is that of the report, besides an index of the pods that such rules have to do with.
func Explanation(ctx context.Context, q Question, ex *preemption.Plan, options Options) (*Report, error) {
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("%w: no context", outrank.ErrInvalid)
	case ex == nil:
		return nil, errNoExplanation
	}
	f, err := newFinder(ctx, q, options)
	if err != nil {
		return nil, err
	}
	req := &q.Request
	r := &Report{
		APIVersion: apiVersion, Kind: "Report", Pod: *f.ref(req.Pod, ""), Outcome: ex.Outcome, Resize: ex.Resize,
		Victims: []Victim{}, Budgets: []Budget{}, Nodes: []NodeGroup{},
	}
	r.Pod.Priority = req.Pod.PriorityValue()
	r.Ineligible, r.Refusal = ineligible(ex.Ineligible)
	if ex.Refused.Code != preemption.Success {
		r.Refused = f.refusal(ex.Refused)
	}
	if ex.Outcome == preemption.Preempts {
		r.Choice = f.choice(ex)
		if err := f.chosen(r, ex); err != nil {
			return nil, err
		}
	}
	if err := f.group(ctx, r, ex); err != nil {
		return nil, err
	}
	if ex.Outcome != preemption.NothingHelps && ex.Outcome != preemption.NotEligible || answersGiven(req) {
		return r, nil
	}
	return r, f.tried(r, f.newBench(ctx, q, ex), ex)
}

// tried adds what trials find for a pod that gets no node.
func (f *finder) tried(r *Report, b *bench, ex *preemption.Plan) (err error) {
	if ex.Refused.Code == preemption.Success {
		if r.Leaving, err = b.leaving(); err != nil {
			return err
		}
		if err = b.ways(r.Nodes); err != nil {
			return err
		}
	}
	if ex.Outcome == preemption.NothingHelps {
		r.Nothing, err = f.nothing(b, r.Nodes, ex)
	}
	return err
}

// answersGiven reports whether the nodes' answers are the caller's, which no change of a copy
// could change.
func answersGiven(req *preemption.Request) bool {
	return req.Statuses != nil
}

// refusal names what ended the attempt before any node was asked.
func (f *finder) refusal(s preemption.Status) *Obstacle {
	o := &Obstacle{Filter: s.Filter, ExcludedBy: s.ExcludedBy, Reasons: append([]string(nil), s.Reasons...)}
	switch s.Filter {
	case preemption.VolumeBinding, preemption.VolumeZone:
		for i := range f.pod.Volumes {
			v := &f.pod.Volumes[i]
			if v.Claim != "" && v.State != "" {
				o.Volumes = append(o.Volumes, Volume{Claim: f.claimKey(v), State: v.State, MissingVolume: v.MissingVolume})
			}
		}
	case preemption.NodeAffinity:
		o.WantedNodes = namedNodes(f.pod)
	}
	o.cut(f.most)
	return o
}
