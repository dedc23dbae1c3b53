package explain

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Ask explains the answer to a question. The answer is [Question].Plan or, without one, the plan of
// [engine.Evaluator.Explain]. Errors are those of that call, and [engine.ErrStale] for a plan that does
// not hold any more. The report belongs to the caller.
//
// Ask takes the time of a decision. It is also linear in the pods of the nodes that refused the pod, and
// in all pods of the cluster if pod affinity or topology spread keep the pod out. If the pod gets no node,
// nodes are asked at most 64 more questions with something changed. If nothing helps, the pod is decided
// about with each higher priority at which the answer can change, and with each such lower priority if
// fewer victims might help, until one is enough: at most 256 priorities, and as many again if copies of
// the pod are in its way. Besides the report, memory holds an index of the pods that affinity and spread
// look at.
func Ask(ctx context.Context, q Question, options Options) (*Report, error) {
	ex, err := q.answer(ctx)
	if err != nil {
		return nil, err
	}
	f, err := newFinder(ctx, q, options)
	if err != nil {
		return nil, err
	}

	req := &q.Request
	r := &Report{Answer: f.answer(req.Pod, ex), Resize: ex.Resize}
	if ex.Outcome == preemption.Preempts {
		r.Choice = f.choice(ex)
		if err := f.chosen(r, ex); err != nil {
			return nil, err
		}
	}
	if err := f.group(ctx, r, ex); err != nil {
		return nil, err
	}

	// Trials are only made for a pod that gets no node, and only if changes can affect the nodes' answers.
	if ex.Outcome != preemption.NothingHelps && ex.Outcome != preemption.NotEligible || answersGiven(req) {
		return r, nil
	}
	return r, f.tryChanges(r, f.newBench(ctx, q, ex), ex)
}

// answer returns what is known about the pod before any node is looked at.
func (f *finder) answer(pod *outrank.Pod, ex *preemption.Plan) Answer {
	a := Answer{Pod: Pod{Key: pod.Key(), Priority: pod.PriorityValue()}, Outcome: ex.Outcome, Ineligible: ex.Ineligible}
	if ex.Refused.Code != preemption.Success {
		a.Refused = f.refusal(ex.Refused)
	}
	return a
}

// tryChanges adds to the report the findings of trials for a pod that gets no node.
func (f *finder) tryChanges(r *Report, b *bench, ex *preemption.Plan) (err error) {
	// A pod that was refused before any node was asked (rule 7.15.4) is refused whatever changes on the nodes.
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

// answersGiven reports whether the request contains the nodes' answers. Changes of a copy do not affect these.
func answersGiven(req *preemption.Request) bool {
	return req.Statuses != nil
}

// refusal describes what ended the attempt before any node was asked: a claim (rule 7.15.4), a node affinity
// whose terms leave no node (rule 7.15.3), or a filter of the caller (rule 7.15.10).
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
		o.Names = namedNodes(f.pod)
	}

	o.cut(f.most)
	return o
}
