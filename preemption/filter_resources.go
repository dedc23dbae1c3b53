package preemption

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// need is an amount that the preemptor asks for. It is never zero.
type need struct {
	name   resource.Name
	column int // -1 for a resource without a column
	value  int64
}

// standard reports whether a resource is cpu, memory or ephemeral storage.
func (d *need) standard() bool {
	return d.name == resource.CPU || d.name == resource.Memory || d.name == resource.EphemeralStorage
}

// mostNeeds is how many resources of one pod are told apart in reasons. Further
// needs share the last bit.
const mostNeeds = 64

// appendNeeds lists what a pod to be placed asks for: cpu, memory and ephemeral
// storage first, then the others by name.
func appendNeeds(c *state.Columns, needs []need, pod *outrank.Pod) []need {
	a := c.Pending(pod)
	for i, v := range a.Std {
		if v > 0 {
			needs = append(needs, need{c.Names[i], i, v})
		}
	}
	for _, e := range a.More() {
		needs = append(needs, need{e.Name, -1, e.Value})
	}
	slices.SortFunc(needs, func(d, e need) int {
		return cmp.Or(cmp.Compare(orderOf(d.name), orderOf(e.name)), cmp.Compare(d.name, e.name))
	})
	return needs
}

func orderOf(name resource.Name) int {
	switch name {
	case resource.CPU:
		return 0
	case resource.Memory:
		return 1
	case resource.EphemeralStorage:
		return 2
	}
	return 3
}

// in returns what an amount holds of the resource.
func (d *need) in(a *state.Amounts) int64 {
	if d.column >= 0 {
		return a.Std[d.column]
	}
	return a.Of(d.name)
}

// used returns what the pods of a node take of the resource.
func (d *need) used(u *state.Usage) state.Total {
	if d.column >= 0 {
		return u.Std[d.column]
	}
	return u.Of(d.name)
}

// resourcesFilter is the only filter that every attempt asks. It has neither
// check nor begin: every worker has a resourcesOnNode, and the search decides
// most nodes by their summaries, without removing pod after pod.
var resourcesFilter = descriptor{name: filter.NodeResourcesFit}

// resourcesOnNode is the filter on one node.
type resourcesOnNode struct {
	*question
	n     *state.NodeState
	taken []state.Total // by need
	count int           // pods on the node
}

func (r *resourcesOnNode) enter(n *state.NodeState) {
	r.n, r.count = n, len(n.Pods)
	for i := range r.needs {
		r.taken[i] = r.needs[i].used(&n.Taken)
	}
}

func (r *resourcesOnNode) change(p *state.PodState, by int) {
	r.count += by
	for i := range r.needs {
		if d := &r.needs[i]; by > 0 {
			r.taken[i].Add(d.in(&p.Takes))
		} else {
			r.taken[i].Sub(d.in(&p.Takes))
		}
	}
}

// check asks for one place in the pod count and for every need (group 7.7;
// Fits). A shortage that even the empty node would have is unresolvable; a
// missing place in the pod count never is.
func (r *resourcesOnNode) check(nominated []*state.PodState) filterStatus {
	s := filterStatus{by: resourcesFilter.index}
	if r.silent.Has(resourcesFilter.index) {
		return s
	}
	if int64(r.count+len(nominated))+1 > r.n.MaxPods {
		s.code, s.tooMany = decision.Unschedulable, true
	}
	for i := range r.needs {
		d := &r.needs[i]
		taken := r.taken[i]
		for _, p := range nominated {
			taken.Add(d.in(&p.Takes))
		}
		offer := d.in(&r.n.Offers)
		if r.deferral.settled(d, r.n) || taken.Leaves(r.deferral.lacks(d, r.n), offer) {
			continue
		}
		s.short |= 1 << min(i, mostNeeds-1)
		if r.deferral.hopeless(d, r.n, offer) {
			s.code = decision.UnschedulableAndUnresolvable
		}
		s.code = max(s.code, decision.Unschedulable)
	}
	return s
}

func (r *resourcesOnNode) release() { r.question, r.n = nil, nil }

// shortages returns the reasons of NodeResourcesFit.
func (q *question) shortages(s filterStatus) []string {
	columns := uint64(0)
	for i := range q.needs {
		if s.short&(1<<min(i, mostNeeds-1)) == 0 {
			continue
		}
		if q.needs[i].column < 0 {
			return q.allShortages(s)
		}
		columns |= 1 << q.needs[i].column
	}
	return q.snap.Columns.Reasons[b2i(s.tooMany)][columns]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// allShortages is shortages for resources without a column as well.
func (q *question) allShortages(s filterStatus) []string {
	var out []string
	if s.tooMany {
		out = append(out, fit.ReasonTooManyPods)
	}
	for i := range q.needs {
		if s.short&(1<<min(i, mostNeeds-1)) != 0 {
			out = append(out, fit.Insufficient(string(q.needs[i].name)))
		}
	}
	return slices.Clip(out)
}
