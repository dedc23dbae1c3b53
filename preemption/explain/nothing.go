package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
)

// mostLevels is how many priorities are tried at most in search of one that is enough.
const mostLevels = 256

// nothing says what is missing where nothing helps.
func (f *finder) nothing(ctx context.Context, e *preemption.Evaluator, req preemption.Request, ex *preemption.Explanation) (*Nothing, error) {
	out := &Nothing{}
	if f.nearest != nil {
		out.Nearest = &f.nearest.Nearest
	}
	if ex.Refused.Code != preemption.Success || f.config.Policy.Disabled {
		return out, nil
	}
	enough, searched, err := f.enough(ctx, e, req)
	if err != nil {
		return nil, err
	}
	out.Enough, out.SearchedTo = enough, searched
	if enough == nil && searched == nil {
		out.Hopeless = true
		out.Alone, err = f.alone(ctx, e, req)
	}
	return out, err
}

// levels lists the priorities above the pod's own at which the answer can change: one more
// than some pod on a node, or nominated to one, counts with.
func (f *finder) levels() []int32 {
	var out []int32
	known := map[int32]bool{}
	add := func(p *outrank.Pod) {
		if as := f.trials.CountsAs(p); as >= f.pod.PriorityValue() && as < math.MaxInt32 && !known[as] {
			known[as] = true
			out = append(out, as+1)
		}
	}
	for n := range f.snap.Nodes() {
		for _, p := range f.snap.PodsOn(n.Name) {
			add(p)
		}
		for _, p := range f.snap.NominatedTo(n.Name) {
			add(p)
		}
	}
	slices.Sort(out)
	return out
}

// enough finds the least priority that would find room. searched is the highest one that
// is not enough, where not all could be tried; nil where they were.
func (f *finder) enough(ctx context.Context, e *preemption.Evaluator, req preemption.Request) (found *Enough, searched *int32, err error) {
	levels := f.levels()
	for i, level := range levels {
		if i == mostLevels {
			return nil, &levels[i-1], nil
		}
		plan, err := f.planAt(ctx, e, req, level)
		if err != nil {
			return nil, nil, err
		}
		if !helps(plan) {
			continue
		}
		// A rule of the caller may look at the priority itself, so that it may have been
		// enough before this level.
		below, err := f.planAt(ctx, e, req, level-1)
		if err != nil || helps(below) && level-1 > f.pod.PriorityValue() {
			own := f.pod.PriorityValue()
			return nil, &own, err
		}
		return f.enoughBy(plan, level), nil, nil
	}
	return nil, nil, nil
}

func helps(plan *preemption.Plan) bool {
	return plan.Outcome == preemption.Preempt || plan.Outcome == preemption.Fits
}

// planAt decides about the pod with another priority.
func (f *finder) planAt(ctx context.Context, e *preemption.Evaluator, req preemption.Request, level int32) (*preemption.Plan, error) {
	other := *f.pod
	other.Priority = &level
	req.Pod = &other
	return e.PreemptRequest(ctx, f.snap, req)
}

func (f *finder) enoughBy(plan *preemption.Plan, level int32) *Enough {
	out := &Enough{Priority: level, Outcome: plan.Outcome, Node: plan.Node, BeyondUsers: level > priority.UserMax}
	for i := range plan.Victims {
		v := &plan.Victims[i]
		out.Victims = append(out.Victims, *f.ref(v.Pod, cmp.Or(v.Node, plan.Node)))
	}
	out.Victims = cut(out.Victims, f.most, &out.MoreVictims)
	var best *outrank.PriorityClass
	for _, c := range f.classes {
		if c == nil || c.Value < level || c.PreemptionPolicy == outrank.PreemptNever {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(c.Value, best.Value), cmp.Compare(c.Name, best.Name)) < 0 {
			best = c
		}
	}
	if best != nil {
		out.Class = best.Name
	}
	return out
}
