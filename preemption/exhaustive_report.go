package preemption

import (
	"fmt"
	"slices"
	"sort"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
)

func (r *result) plan() *decision.Plan {
	p := &decision.Plan{Pod: r.Pod, Resize: r.Deferral.Asked, Ineligible: r.ineligible, Refusal: r.refusal, Refused: r.public(r.Refused), Feasible: r.feasible}
	p.TurnedDown = r.countsOf(r.before, nil)
	switch {
	case r.feasible > 0:
		p.Outcome = decision.Fits
	case r.ineligible != decision.Eligible:
		p.Outcome = decision.NotEligible
	case r.best < 0:
		p.Outcome = decision.NothingHelps
		p.Unhelpful = r.countsOf(r.after, r.tried)
		p.ClusterCertificate = r.certifyAll(nil, r.openNodes())
	default:
		p.Outcome = decision.Preempt
		p.Unhelpful = r.countsOf(r.after, r.tried)
		p.Candidate, p.Grace = r.chosen, r.config.grace()
		p.ClusterCertificate = r.certifyAll(&p.Candidate, r.openNodes())
	}
	return p
}

// openNodes lists the nodes that were tried and not searched to the end.
func (r *result) openNodes() (open []openNode) {
	for _, w := range r.runners {
		for _, o := range w.open {
			if at := slices.Index(r.Snap.Order, o.n.Slot); r.tried[at] {
				open = append(open, o)
			}
		}
	}
	return open
}

func (r *result) explanation() *decision.Explanation {
	e := &decision.Explanation{Plan: *r.plan(), Nodes: make([]decision.NodeReport, len(r.before))}
	e.Unhelpful = r.countsOf(r.after, r.tried)
	var places []int
	for i := range r.before {
		report := decision.NodeReport{Node: r.nodeAt(i).Name, Status: r.public(r.before[i])}
		if r.tried[i] {
			report.Tried, report.AfterRemoval = true, r.public(r.after[i])
		}
		e.Nodes[i] = report
		if r.isCandidate(i) {
			places = append(places, i)
		}
	}
	sort.SliceStable(places, func(x, y int) bool { return r.better(places[x], places[y]) })
	for _, i := range places {
		e.Candidates = append(e.Candidates, r.candidates[i])
	}
	if len(e.Candidates) > 1 {
		_, e.DecidedBy = r.compare(places[0], places[1])
	}
	return e
}

// countsOf counts equal statuses that are not Success, the most frequent first.
// If among is not nil, only the marked ones count.
func (r *result) countsOf(ss []filters.Status, among []bool) []decision.Count {
	var groups []decision.Count
	known := map[statusKey]int{}
	for i, s := range ss {
		if s.Code == decision.Success || among != nil && !among[i] {
			continue
		}
		key := keyOf(s)
		at, ok := known[key]
		if !ok {
			at = len(groups)
			known[key] = at
			groups = append(groups, decision.Count{Status: r.public(s)})
		}
		groups[at].Nodes++
	}
	sortCounts(groups)
	return groups
}

// statusKey is equal for equal statuses.
type statusKey struct {
	code     decision.Code
	excluded bool
	by       int
	short    uint64
	tooMany  bool
	text     string
	filter   string
}

func keyOf(s filters.Status) statusKey {
	key := statusKey{code: s.Code, excluded: s.Excluded, by: s.By, short: s.Short, tooMany: s.TooMany, filter: s.Filter}
	switch len(s.Text) {
	case 0:
	case 1:
		key.text = s.Text[0]
	default:
		key.text = fmt.Sprintf("%q", s.Text)
	}
	return key
}
