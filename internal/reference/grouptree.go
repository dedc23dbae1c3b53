package reference

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
)

// place looks for places in the cluster. One pod at least has to find one now.
func (w *workload) place(c *outrank.Cluster) outcome {
	l := &placing{in: w.in, cluster: c}
	status := l.place(w.quota())
	if status.Code == Success && len(l.spots) == 0 {
		status = unschedulableBy("", unplaced)
	}
	return outcome{l.spots, status, l.refusal}
}

// quota is that of the preemptor: of a group of pods, or of a tree. Below a composite
// group are those that lead from it to a group of pods, by the first key of one.
func (w *workload) quota() *quota {
	top := w.quotaOf(w.root)
	if !w.root.composite {
		return top
	}
	groups := slices.Clone(w.in.Cluster.Groups)
	slices.SortFunc(groups, func(g, h *outrank.PodGroup) int { return cmp.Compare(g.Key(), h.Key()) })
	for _, g := range groups {
		line := w.base.lineageOf(g.Key())
		if !line[len(line)-1].is(w.root) {
			continue
		}
		at := top
		for _, l := range slices.Backward(line[:len(line)-1]) {
			at = at.child(w, l)
		}
	}
	return top
}

// child is the quota of a group directly below.
func (q *quota) child(w *workload, l level) *quota {
	for _, c := range q.below {
		if c.of.is(l) {
			return c
		}
	}
	c := w.quotaOf(l)
	q.below = append(q.below, c)
	return c
}

// quotaOf is the quota of one group, with nothing below it yet. A gang names a number,
// and one is enough for a basic group or a composite group without a policy.
func (w *workload) quotaOf(l level) *quota {
	q := &quota{of: l}
	for _, p := range w.in.Pods {
		if !l.composite && p.GroupKey() == l.key {
			q.pods = append(q.pods, p)
		}
	}
	for _, n := range w.base.cluster.Nodes {
		for _, p := range w.base.running[n.Name] {
			if !l.composite && l.key != "" && p.GroupKey() == l.key {
				q.there++
			}
		}
	}
	switch {
	case l.scheduling == outrank.GangPolicy:
		q.wanted = l.count
	case l.composite || l.scheduling == outrank.BasicPolicy:
		q.wanted = 1
	default:
		q.unsaid, q.wanted = true, q.there+len(q.pods)
	}
	return q
}
