package filters

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// Need is an amount that the preemptor asks for. It is never zero.
type Need struct {
	Name   resource.Name
	Column int // -1 for a resource without a column
	Value  int64
}

// standard reports whether a resource is cpu, memory or ephemeral storage.
func (d *Need) standard() bool {
	return d.Name == resource.CPU || d.Name == resource.Memory || d.Name == resource.EphemeralStorage
}

// mostNeeds is how many resources of one pod are told apart in reasons. Further
// needs share the last bit.
const mostNeeds = 64

// AppendNeeds lists what a pod to be placed asks for: cpu, memory and ephemeral
// storage first, then the others by name.
func AppendNeeds(c *state.Columns, needs []Need, pod *outrank.Pod) []Need {
	a := c.Pending(pod)
	for i, v := range a.Std {
		if v > 0 {
			needs = append(needs, Need{c.Names[i], i, v})
		}
	}
	for _, e := range a.More() {
		needs = append(needs, Need{e.Name, -1, e.Value})
	}
	slices.SortFunc(needs, func(d, e Need) int {
		return cmp.Or(cmp.Compare(orderOf(d.Name), orderOf(e.Name)), cmp.Compare(d.Name, e.Name))
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

// In returns what an amount holds of the resource.
func (d *Need) In(a *state.Amounts) int64 {
	if d.Column >= 0 {
		return a.Std[d.Column]
	}
	return a.Of(d.Name)
}

// Used returns what the pods of a node take of the resource.
func (d *Need) Used(u *state.Usage) state.Total {
	if d.Column >= 0 {
		return u.Std[d.Column]
	}
	return u.Of(d.Name)
}

// ResourcesFilter is the only filter that every attempt asks. It has neither
// check nor begin: every worker has a ResourcesOnNode, and the search decides
// most nodes by their summaries, without removing pod after pod.
var ResourcesFilter = descriptor{Entry: filter.Of(filter.NodeResourcesFit)}

// ResourcesOnNode is the filter on one node.
type ResourcesOnNode struct {
	Asked *Question
	N     *state.NodeState
	Taken []state.Total // by need
	Count int           // pods on the node
}

// Enter begins with a node; see [NodeFilter].
func (r *ResourcesOnNode) Enter(n *state.NodeState) {
	r.N, r.Count = n, len(n.Pods)
	for i := range r.Asked.Needs {
		r.Taken[i] = r.Asked.Needs[i].Used(&n.Taken)
	}
}

// Change follows a pod; see [NodeFilter].
func (r *ResourcesOnNode) Change(p *state.PodState, by int) {
	r.Count += by
	for i := range r.Asked.Needs {
		if d := &r.Asked.Needs[i]; by > 0 {
			r.Taken[i].Add(d.In(&p.Takes))
		} else {
			r.Taken[i].Sub(d.In(&p.Takes))
		}
	}
}

// Check asks for one place in the pod count and for every need (group 7.7;
// Fits). A shortage that even the empty node would have is unresolvable; a
// missing place in the pod count never is.
func (r *ResourcesOnNode) Check(nominated []*state.PodState) Status {
	s := Status{By: ResourcesFilter.Index}
	if r.Asked.Silent.Has(ResourcesFilter.Index) {
		return s
	}
	if int64(r.Count+len(nominated))+1 > r.N.MaxPods {
		s.Code, s.TooMany = Unschedulable, true
	}
	for i := range r.Asked.Needs {
		d := &r.Asked.Needs[i]
		taken := r.Taken[i]
		for _, p := range nominated {
			taken.Add(d.In(&p.Takes))
		}
		offer := d.In(&r.N.Offers)
		if r.Asked.Deferral.Settled(d, r.N) || taken.Leaves(r.Asked.Deferral.Lacks(d, r.N), offer) {
			continue
		}
		s.Short |= 1 << min(i, mostNeeds-1)
		if r.Asked.Deferral.hopeless(d, r.N, offer) {
			s.Code = UnschedulableAndUnresolvable
		}
		s.Code = max(s.Code, Unschedulable)
	}
	return s
}

// Release drops what belongs to the attempt; see [NodeFilter].
func (r *ResourcesOnNode) Release() { r.Asked, r.N = nil, nil }

// Shortages returns the reasons of NodeResourcesFit.
func (q *Question) Shortages(s Status) []string {
	columns := uint64(0)
	for i := range q.Needs {
		if s.Short&(1<<min(i, mostNeeds-1)) == 0 {
			continue
		}
		if q.Needs[i].Column < 0 {
			return q.allShortages(s)
		}
		columns |= 1 << q.Needs[i].Column
	}
	return q.Snap.Columns.Reasons[b2i(s.TooMany)][columns]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// allShortages is shortages for resources without a column as well.
func (q *Question) allShortages(s Status) []string {
	var out []string
	if s.TooMany {
		out = append(out, fit.ReasonTooManyPods)
	}
	for i := range q.Needs {
		if s.Short&(1<<min(i, mostNeeds-1)) != 0 {
			out = append(out, fit.Insufficient(string(q.Needs[i].Name)))
		}
	}
	return slices.Clip(out)
}
