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

// mostLevels is how many priorities are tried at most in search of one that is enough.
const mostLevels = 256

// levels looks for a priority that is enough: above the pod's own, and below it where that
// could help.
func (f *finder) levels(b *bench, out *Nothing, below bool) error {
	higher, lower, copies := f.candidates()
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
	var err error
	if out.Enough, err = s.first(higher, -1); err != nil {
		return err
	}
	if out.Lower, err = s.first(lower, 1); err != nil {
		return err
	}
	if out.Enough != nil || out.Lower != nil {
		return nil
	}
	out.SearchedTo, out.Hopeless = s.searched, s.searched == nil
	if copies && out.Hopeless {
		s.e, s.left = b.e, mostLevels
		out.Copies, err = s.first(higher, -1)
	}
	return err
}

// candidates lists the priorities at which the answer can change: those above the pod's own, the
// lowest first, are one more than some pod on a node or nominated to one counts with. Below
// it those of which some pod counts with less, the highest first, are what pods count with.
// copies says whether there are any that would follow.
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
	for n := range f.snap.Nodes() {
		for _, p := range f.snap.PodsOn(n.Name) {
			add(p)
		}
		for _, p := range f.snap.NominatedTo(n.Name) {
			add(p)
		}
	}
	slices.Sort(higher)
	slices.SortFunc(lower, func(a, b int32) int { return cmp.Compare(b, a) })
	return higher, lower[:max(0, len(lower)-1)], copies
}

// follows reports whether a pod is a copy of the preemptor that gets whatever priority it
// gets. One of a lower priority is left over from before, and keeps that.
func (f *finder) follows(p *outrank.Pod) bool {
	return p.PriorityValue() >= f.pod.PriorityValue() && f.isCopy(p)
}

// sparingCopies returns an evaluator by which no copy of the pod is a victim that has as
// much.
func (f *finder) sparingCopies(e *engine.Evaluator) (*engine.Evaluator, error) {
	c := e.Config()
	take := c.Eligibility.Take
	c.Eligibility.Take = func(preemptor, victim *outrank.Pod) (rule string, ok bool) {
		if f.follows(victim) || take == nil {
			return "", !f.follows(victim)
		}
		return take(preemptor, victim)
	}
	return engine.New(c)
}

// levelSearch tries priorities.
type levelSearch struct {
	*finder
	bench *bench
	e     *engine.Evaluator
	left  int
	// searched is where the search ended before it had tried all; nil where it had.
	searched *int32
}

// first finds the first of the levels that is enough, where by as much beside it is not.
func (s *levelSearch) first(levels []int32, beside int32) (*Enough, error) {
	for i, level := range levels {
		if s.left--; s.left < 0 {
			if i > 0 {
				level = levels[i-1]
			}
			s.searched = &level
			return nil, nil
		}
		plan, err := s.planAt(level)
		if err != nil {
			return nil, err
		}
		if !helps(plan) {
			continue
		}
		// A rule of the caller may look at the priority itself, so that it may have been
		// enough before this level.
		before, err := s.planAt(level + beside)
		if own := s.pod.PriorityValue(); err == nil && helps(before) && level+beside != own {
			s.searched = &own
			return nil, nil
		}
		return s.enoughBy(plan, level), err
	}
	return nil, nil
}

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

// classOf names the least class that has as much and may preempt. A class of the system is
// none for a pod of an application.
func (f *finder) classOf(level int32) string {
	var best *outrank.PriorityClass
	for _, c := range f.classes {
		if c == nil || c.Value < level || c.PreemptionPolicy == outrank.PreemptNever || c.Value > priority.UserMax && f.pod.PriorityValue() <= priority.UserMax {
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
