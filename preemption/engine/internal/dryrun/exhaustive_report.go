package dryrun

import (
	"slices"
	"sort"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// AsPlan returns the result as a plan, without an explanation.
func (r *Result) AsPlan() *preemption.Plan {
	a := r.Attempt
	p := &preemption.Plan{
		Pod: a.Pod, Now: a.Now, Release: a.Snap.Release(), Variant: a.Config.Variant, Resize: a.Asked.ForResize(),
		Ineligible: r.Ineligible, Refused: a.Public(a.Plan.Refused), Feasible: r.Feasible, Warnings: a.Warnings(),
	}
	p.TurnedDown = r.CountsOf(r.Before, nil)

	switch {
	case r.Feasible > 0:
		p.Outcome, p.FirstFit = preemption.Fits, r.NodeAt(r.FirstFit).Name
	case r.Ineligible != "":
		p.Outcome = preemption.NotEligible
	case r.Best < 0:
		p.Outcome = preemption.NothingHelps
		p.Unhelpful = r.CountsOf(r.After, r.Tried)
		p.ClusterCertificate = a.CertifyAll(nil, r.openNodes())
	default:
		p.Outcome = preemption.Preempts
		p.Candidate = r.Chosen
		p.ClusterCertificate = a.CertifyAll(&p.Candidate, r.openNodes())
	}
	return p
}

// openNodes lists the tried nodes that were not searched to the end (rule 13.4.7). Nodes outside a sample do
// not count.
func (r *Result) openNodes() (open []OpenNode) {
	for _, w := range r.Runners {
		for _, o := range w.Open {
			if at := slices.Index(r.snap.Order, o.n.Slot); r.Tried[at] {
				open = append(open, o)
			}
		}
	}
	return open
}

// Explained returns the plan with the answer of every node and with all candidates, the best first.
func (r *Result) Explained() (*preemption.Plan, error) {
	p := r.AsPlan()
	p.Nodes = r.Reports()
	if err := r.Attempt.interruption(); err != nil {
		return nil, err
	}
	places, err := r.ranked()
	if err != nil {
		return nil, err
	}

	// Reports point into the list of candidates, so that it must not be reallocated.
	p.Candidates = slices.Grow(p.Candidates, len(places))
	for _, i := range places {
		p.Candidates = append(p.Candidates, r.candidates[i])
		p.Nodes[i].Candidate = &p.Candidates[len(p.Candidates)-1]
	}
	if len(places) > 1 {
		_, p.DecidedBy = r.compare(places[0], places[1])
	}
	return p, nil
}

// ranked lists the positions of the candidates, the best first. Equal candidates stay in the order of the
// nodes.
func (r *Result) ranked() ([]int, error) {
	var places []int
	for i := range r.Before {
		if r.isCandidate(i) {
			places = append(places, i)
		}
	}

	// A sort cannot be aborted, but without comparisons it ends soon.
	compares, ended := 0, false
	sort.SliceStable(places, func(x, y int) bool {
		if compares++; compares%comparesPerLook == 0 {
			ended = r.Attempt.ended()
		}
		return !ended && r.better(places[x], places[y])
	})
	if ended {
		return nil, r.Attempt.interruption()
	}
	return places, nil
}

// Reports returns the report of every node. Once the context has ended, the remaining reports stay empty.
func (r *Result) Reports() []preemption.NodeReport {
	nodes := make([]preemption.NodeReport, len(r.Before))
	for i := range nodes {
		if i%comparesPerLook == 0 && r.Attempt.ended() {
			return nodes
		}
		nodes[i] = preemption.NodeReport{Node: r.NodeAt(i).Name, Status: r.Attempt.Public(r.Before[i])}

		// Tried is empty if there were no dry runs, as when the pod fits.
		if i < len(r.Tried) && r.Tried[i] {
			after := r.Attempt.Public(r.After[i])
			nodes[i].AfterRemoval = &after
		}
	}
	return nodes
}

// CountsOf counts equal statuses, without Success, and lists the most frequent first. If among is not nil,
// only the statuses marked in it count.
func (r *Result) CountsOf(ss []filters.Status, among []bool) []preemption.Count {
	table := filters.NewStatusTable()
	var groups []preemption.Count
	for i, s := range ss {
		if s.Code == filters.Success || among != nil && !among[i] {
			continue
		}

		// The table numbers new statuses consecutively from 1.
		at := int(table.ID(s)) - 1
		if at == len(groups) {
			groups = append(groups, preemption.Count{Status: r.Attempt.Public(s)})
		}
		groups[at].Nodes++
	}
	SortCounts(groups)
	return groups
}
