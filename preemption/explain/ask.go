package explain

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Ask explains the answer to a question: [Question].Plan, or without one what it decides itself, as
// [engine.Evaluator.Explain] does. Errors are those of that call, and [engine.ErrStale] where the plan
// holds no more. The report is the caller's.
//
// Besides a decision, time is linear in the pods of the nodes on which the pod was refused, and in all
// pods where pod affinity or topology spread keep it out. Where the pod gets no node, at most 64
// nodes are asked again with something changed, and where nothing helps a decision is made
// for each priority above the pod's own that can differ, and for those below it where fewer
// victims might do, until one is enough: at most 256. Memory
// is that of the report, besides an index of the pods that such rules have to do with.
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
	if ex.Outcome != preemption.NothingHelps && ex.Outcome != preemption.NotEligible || answersGiven(req) {
		return r, nil
	}
	return r, f.tried(r, f.newBench(ctx, q, ex), ex)
}

// answer has what is said of the pod before any node is looked at.
func (f *finder) answer(pod *outrank.Pod, ex *preemption.Plan) Answer {
	a := Answer{Pod: Pod{Key: pod.Key(), Priority: pod.PriorityValue()}, Outcome: ex.Outcome, Ineligible: ex.Ineligible}
	if ex.Refused.Code != preemption.Success {
		a.Refused = f.refusal(ex.Refused)
	}
	return a
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
		o.Names = namedNodes(f.pod)
	}
	o.cut(f.most)
	return o
}
