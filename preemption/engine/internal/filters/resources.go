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

// Need is an amount of one resource that the preemptor asks for. It is never zero.
type Need struct {
	Name   resource.Name
	Column int // index in the snapshot's columns, -1 for a resource without a column
	Value  int64
}

// standard reports whether a resource is cpu, memory or ephemeral storage.
func (d *Need) standard() bool {
	return d.Name == resource.CPU || d.Name == resource.Memory || d.Name == resource.EphemeralStorage
}

// mostNeeds is the number of bits in Status.Short. The needs beyond share the last bit.
const mostNeeds = 64

// shortBit returns the bit of a need in Status.Short, by its index.
func shortBit(need int) uint64 { return 1 << min(need, mostNeeds-1) }

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

// orderOf returns the rank of a resource in the order of reasons. Resources of the same rank are sorted by
// name.
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

// In returns how much of the needed resource a has.
func (d *Need) In(a *state.Amounts) int64 {
	if d.Column >= 0 {
		return a.Std[d.Column]
	}
	return a.Of(d.Name)
}

// Used returns how much of the needed resource the pods of a node take.
func (d *Need) Used(u *state.Usage) state.Total {
	if d.Column >= 0 {
		return u.Std[d.Column]
	}
	return u.Of(d.Name)
}

// ResourcesFilter is NodeResourcesFit, the only filter that every attempt asks. It has neither
// check nor begin: every worker has a ResourcesOnNode, and the search decides
// most nodes by their summaries, without removing pod after pod.
var ResourcesFilter = descriptor{Entry: filter.Of(filter.NodeResourcesFit)}

// ResourcesOnNode is NodeResourcesFit for one worker, on the node N.
type ResourcesOnNode struct {
	Asked *Question
	N     *state.NodeState
	// Taken has, for each need, the amount that the pods on the node take. Count is the number of these pods.
	Taken []state.Total
	Count int
}

// Enter begins with a node; see [NodeFilter].
func (r *ResourcesOnNode) Enter(n *state.NodeState) {
	r.N, r.Count = n, len(n.Pods)
	needs := r.Asked.Needs
	for i := range needs {
		r.Taken[i] = needs[i].Used(&n.Taken)
	}
}

// Change adds or takes off what a pod takes; see [NodeFilter].
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

// Check asks whether the node has room for one more pod and for every need (group 7.7; Fits). A shortage that
// even the empty node has is unresolvable; a missing place for a pod never is.
func (r *ResourcesOnNode) Check(nominated []*state.PodState) Status {
	q, n := r.Asked, r.N
	s := Status{By: ResourcesFilter.Index}
	if q.Silent.Has(ResourcesFilter.Index) {
		return s
	}

	// A pod needs a place on the node beside its amounts, and so does each nominated pod.
	if int64(r.Count+len(nominated))+1 > n.MaxPods {
		s.Code, s.TooMany = Unschedulable, true
	}
	for i := range q.Needs {
		need := &q.Needs[i]
		taken := r.Taken[i]
		for _, p := range nominated {
			taken.Add(need.In(&p.Takes))
		}

		offer := need.In(&n.Offers)
		if q.Deferral.Settled(need, n) || taken.Leaves(q.Deferral.Lacks(need, n), offer) {
			continue
		}

		// All shortages are named, and a single hopeless one makes the node unresolvable (rules 7.7.4 and
		// 7.7.5). The codes ascend by weight, so that max keeps the heaviest.
		s.Short |= shortBit(i)
		if q.Deferral.hopeless(need, n, offer) {
			s.Code = UnschedulableAndUnresolvable
		}
		s.Code = max(s.Code, Unschedulable)
	}
	return s
}

// Release drops what belongs to the attempt; see [NodeFilter].
func (r *ResourcesOnNode) Release() { r.Asked, r.N = nil, nil }

// Shortages returns the reasons for a status of NodeResourcesFit. The snapshot has them ready for every
// combination of resources with columns.
func (q *Question) Shortages(s Status) []string {
	columns := uint64(0)
	for i := range q.Needs {
		if s.Short&shortBit(i) == 0 {
			continue
		}
		if q.Needs[i].Column < 0 {
			return q.allShortages(s)
		}
		columns |= 1 << q.Needs[i].Column
	}

	snap := q.Snap
	return snap.Columns.Reasons[b2i(s.TooMany)][columns]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// allShortages makes the reasons of a status in which a resource without a column is short.
func (q *Question) allShortages(s Status) []string {
	var out []string
	if s.TooMany {
		out = append(out, fit.ReasonTooManyPods)
	}
	for i := range q.Needs {
		if s.Short&shortBit(i) != 0 {
			out = append(out, fit.Insufficient(string(q.Needs[i].Name)))
		}
	}
	return slices.Clip(out)
}
