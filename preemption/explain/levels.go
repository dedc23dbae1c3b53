package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/priority"
)

// mostLevels is the largest number of priorities that one search tries.
const mostLevels = 256

// levels looks for a priority that is enough: one above the pod's own and, if below is set, one below it.
func (f *finder) levels(b *bench, out *Nothing, below bool) error {
	higher, lower, copies := f.candidates()

	// Copies of the pod get the priority that it gets, so that none of them is a victim.
	s := &levelSearch{finder: f, bench: b, e: b.e, left: mostLevels}
	if copies {
		var err error
		if s.e, err = f.sparingCopies(b.e); err != nil {
			return err
		}
	}
	if !below {
		lower = nil
	}

	// Higher priorities are tried first: they are what a user can ask for.
	var err error
	if out.Enough, err = s.firstEnough(higher, -1); err != nil {
		return err
	}
	if out.Lower, err = s.firstEnough(lower, 1); err != nil {
		return err
	}
	if out.Enough != nil || out.Lower != nil {
		return nil
	}

	out.SearchedTo, out.Hopeless = s.searched, s.searched == nil
	if copies && out.Hopeless {
		// Perhaps only the copies are in the way. The original evaluator lets them keep their priority.
		s.e, s.left = b.e, mostLevels
		out.Copies, err = s.firstEnough(higher, -1)
	}
	return err
}

// candidates lists the priorities at which the answer can change. The answer depends on the pod's priority only
// through comparisons with the priorities of pods on nodes and of pods nominated to nodes: a pod is a
// possible victim if its priority is lower, and a nomination counts if its priority is as high or higher.
//
// So above the pod's own priority each level is one more than the priority of some pod; the lowest comes first.
// Below it each level is the priority of some pod, because a pod of equal priority is spared; the highest comes
// first. The lowest priority of all spares everybody, so it is not listed. copies reports whether any copy of the
// pod would follow it to a higher priority.
func (f *finder) candidates() (higher, lower []int32, copies bool) {
	own := f.pod.PriorityValue()
	known := map[int32]bool{}
	add := func(p *outrank.Pod) {
		copies = copies || f.follows(p)
		as := f.snap.CountsAs(p)
		if known[as] {
			return
		}

		known[as] = true
		if as >= own && as < math.MaxInt32 {
			higher = append(higher, as+1)
		} else if as < own {
			lower = append(lower, as)
		}
	}

	// Pods that wait without a nomination matter to no answer.
	for n := range f.snap.Nodes() {
		for _, p := range f.snap.PodsOn(n.Name) {
			add(p)
		}
		for _, p := range f.snap.NominatedTo(n.Name) {
			add(p)
		}
	}

	// The levels nearest to the pod's own priority come first.
	slices.Sort(higher)
	slices.SortFunc(lower, func(a, b int32) int { return cmp.Compare(b, a) })
	return higher, lower[:max(0, len(lower)-1)], copies
}

// follows reports whether a pod is a copy of the preemptor that would get the preemptor's new priority. A copy
// with a lower priority was created from an older template, and keeps its own.
func (f *finder) follows(p *outrank.Pod) bool {
	return p.PriorityValue() >= f.pod.PriorityValue() && f.isCopy(p)
}

// sparingCopies returns an evaluator in which copies that follow the pod's priority are no victims.
func (f *finder) sparingCopies(e *engine.Evaluator) (*engine.Evaluator, error) {
	c := e.Config()
	take := c.Eligibility.Take

	// The rule is asked about the same pods as before: pods of lower priority, or all pods with AnyPriority.
	c.Eligibility.Take = func(preemptor, victim *outrank.Pod) (rule string, ok bool) {
		if f.follows(victim) || take == nil {
			return "", !f.follows(victim)
		}
		return take(preemptor, victim)
	}
	return engine.New(c)
}

// levelSearch decides about the pod with other priorities.
type levelSearch struct {
	*finder
	bench *bench
	e     *engine.Evaluator
	// left is the number of priorities that may still be tried.
	left int
	// searched is the priority at which the search ended early. It is nil if all levels were tried.
	searched *int32
}

// firstEnough returns the first of the levels that is enough. It returns nil if there is none, or if the search ends
// early. To be sure that the level is the least or the highest one, it checks that the priority next to it, towards
// the pod's own, is not enough. beside is the step to that priority: -1 for levels above the pod's own, 1 below.
func (s *levelSearch) firstEnough(levels []int32, beside int32) (*Enough, error) {
	for i, level := range levels {
		if s.left--; s.left < 0 {
			s.endAfter(levels[:i])
			return nil, nil
		}

		plan, err := s.planAt(level)
		if err != nil {
			return nil, err
		}
		if !helps(plan) {
			continue
		}

		// If a rule of the caller depends on the priority itself, the answer can change between the levels, too, and
		// a priority between them may have been enough already.
		before, err := s.planAt(level + beside)
		if own := s.pod.PriorityValue(); err == nil && helps(before) && level+beside != own {
			s.searched = &own
			return nil, nil
		}
		return s.enoughBy(plan, level), err
	}
	return nil, nil
}

// endAfter records where the search ended, given the levels of the current list that were tried. If there are none, it
// ended in the previous list, or at the pod's own priority.
func (s *levelSearch) endAfter(tried []int32) {
	switch own := s.pod.PriorityValue(); {
	case len(tried) > 0:
		s.searched = &tried[len(tried)-1]
	case s.searched == nil:
		s.searched = &own
	}
}

// helps reports whether the pod finds room according to the plan.
func helps(plan *preemption.Plan) bool {
	return plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits
}

// planAt decides about the pod with another priority.
func (s *levelSearch) planAt(level int32) (*preemption.Plan, error) {
	other, req := *s.pod, s.bench.req
	other.Priority = &level
	req.Pod = &other
	return s.e.Preempt(s.bench.ctx, s.snap, req)
}

// enoughBy describes a priority that is enough, given the plan with that priority. A class is only named for a priority
// above the pod's own.
func (s *levelSearch) enoughBy(plan *preemption.Plan, level int32) *Enough {
	out := &Enough{Priority: level}

	var victims []Pod
	for i := range plan.Victims {
		v := &plan.Victims[i]
		victims = append(victims, *s.ref(v.Pod, cmp.Or(v.Node, plan.Node)))
	}
	out.Trial = Trial{plan.Node, plan.Outcome, listOf(victims, s.most)}

	if level > s.pod.PriorityValue() {
		out.Class = s.classOf(level)
	}
	return out
}

// classOf returns the name of the lowest class that has at least this priority and may preempt, or the empty string.
// System classes are only considered for a pod that already has a system priority.
func (f *finder) classOf(level int32) string {
	var best *outrank.PriorityClass
	application := f.pod.PriorityValue() <= priority.UserMax
	for _, c := range f.classes {
		if c == nil || c.Value < level || c.PreemptionPolicy == outrank.PreemptNever || c.Value > priority.UserMax && application {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(c.Value, best.Value), cmp.Compare(c.Name, best.Name)) < 0 {
			best = c
		}
	}

	if best == nil {
		return ""
	}
	return best.Name
}
