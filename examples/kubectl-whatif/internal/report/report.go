package report

import (
	"context"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// Report says how a cluster stands with preemption.
type Report struct {
	// Waiting says what a scheduler does with everything that waits. Remedies says what would help the
	// pods that find no place.
	Waiting  *question.Pending `json:"waiting"`
	Remedies *Remedies         `json:"remedies"`
	// Drains has the drain of every node by itself.
	Drains *question.DrainSurvey `json:"drains"`
	// Reach has the classes whose new pods may push others out, the highest value first.
	Reach []Reach `json:"reach"`
	// Fates says how the places of pods that are pushed out were found.
	Fates Fates `json:"fates"`
	// Headroom has the room of each class, resource by resource: first the room that is free for
	// anybody, then that of the classes, the highest value first.
	Headroom []Headroom `json:"headroom"`
	// Closed counts the nodes that are cordoned, which offer no room.
	Closed int `json:"closed"`
	// Findings has the remarks about the priority classes, those about mistakes first.
	Findings []Finding `json:"findings"`

	// nodes has the names of all nodes.
	nodes map[string]bool
}

// mostAsked bounds the questions to nodes in all drains together. A turn may ask every node, so a large
// cluster has fewer turns.
const mostAsked = 50_000_000

// Make makes the report of a scenario as it stands, and leaves the scenario as it is.
//
// Errors are those of [question.AllPending] and of [question.Scenario.EachDrain]. Time is that of both,
// of one question for each controller, and of some thirty decisions for each of the first [MostRemedies]
// controllers whose pods find no place.
func Make(ctx context.Context, s *question.Scenario) (*Report, error) {
	set := s.Setting()
	out := &Report{nodes: map[string]bool{}}
	for n := range set.Snapshot.Nodes() {
		out.nodes[n.Name] = true
	}

	var err error
	if out.Waiting, err = question.AllPending(ctx, set); err != nil {
		return nil, err
	}
	if out.Remedies, err = lookForRemedies(ctx, s, out.Waiting); err != nil {
		return nil, err
	}
	if out.Drains, err = s.EachDrain(max(1, mostAsked/max(1, set.Snapshot.NumNodes()))); err != nil {
		return nil, err
	}

	if err = out.findReach(ctx, &set); err != nil {
		return nil, err
	}
	out.findRoom(&set)
	out.audit(&set)
	return out, nil
}

// Stays counts the pods and groups that wait and find no place, and the nodes whose drain never ends.
func (r *Report) Stays() int {
	waiting := r.Waiting
	return waiting.Totals.Waits + waiting.Totals.Unplaced + len(r.Drains.Stuck)
}

// Leaves counts the pods that have to leave for those that wait, and the findings that are wrong.
func (r *Report) Leaves() int {
	waiting := r.Waiting
	n := waiting.Totals.Victims
	for i := range r.Findings {
		if r.Findings[i].Wrong {
			n++
		}
	}
	return n
}
