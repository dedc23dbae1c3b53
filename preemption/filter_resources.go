package preemption

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// need is an amount that the preemptor asks for; never zero.
type need struct {
	name   resource.Name
	column int // -1 for a resource without a column
	value  int64
}

// mostNeeds is how many different resources of one pod are told apart in
// reasons; needs beyond it are reported under the last one's bit.
const mostNeeds = 64

// appendNeeds lists what a pod to be placed asks for: cpu, memory and ephemeral
// storage first, the rest by name, whichever of them have columns.
func (c *columns) appendNeeds(needs []need, pod *outrank.Pod) []need {
	a := c.pending(pod)
	for i, v := range a.std {
		if v > 0 {
			needs = append(needs, need{c.names[i], i, v})
		}
	}
	for _, e := range a.more() {
		needs = append(needs, need{e.name, -1, e.value})
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

// in is what an amount holds of the need's resource.
func (d *need) in(a *amounts) int64 {
	if d.column >= 0 {
		return a.std[d.column]
	}
	return a.of(d.name)
}

// used is what the pods of a node take of the need's resource.
func (d *need) used(u *usage) total {
	if d.column >= 0 {
		return u.std[d.column]
	}
	return u.of(d.name)
}

// resources is the filter NodeResourcesFit: one slot, and every need under
// what the node offers less what is taken (section 5; Fits). A shortage that
// even the empty node would have is unresolvable; a missing slot never is.
func (w *worker) resources(nominated []*podState) status {
	s := status{by: byResources}
	if int64(w.count+len(nominated))+1 > w.n.maxPods {
		s.code, s.tooMany = Unschedulable, true
	}
	for i := range w.a.needs {
		d := &w.a.needs[i]
		taken := w.taken[i]
		for _, p := range nominated {
			taken.add(d.in(&p.takes))
		}
		offer := d.in(&w.n.offers)
		if taken.leaves(d.value, offer) {
			continue
		}
		s.short |= 1 << min(i, mostNeeds-1)
		if d.value > offer {
			s.code = UnschedulableAndUnresolvable
		}
		s.code = max(s.code, Unschedulable)
	}
	return s
}

// shortages are the reasons of NodeResourcesFit.
func (a *attempt) shortages(s status) []string {
	columns := uint64(0)
	for i := range a.needs {
		if s.short&(1<<min(i, mostNeeds-1)) == 0 {
			continue
		}
		if a.needs[i].column < 0 {
			return a.allShortages(s)
		}
		columns |= 1 << a.needs[i].column
	}
	return a.snap.columns.reasons[b2i(s.tooMany)][columns]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// allShortages names resources without a column as well.
func (a *attempt) allShortages(s status) []string {
	var out []string
	if s.tooMany {
		out = append(out, fit.ReasonTooManyPods)
	}
	for i := range a.needs {
		if s.short&(1<<min(i, mostNeeds-1)) != 0 {
			out = append(out, fit.Insufficient(string(a.needs[i].name)))
		}
	}
	return slices.Clip(out)
}
