package report

import (
	"context"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// Report says how a cluster stands with preemption.
type Report struct {
	// Waiting says what a scheduler does with all waiting pods. Remedies says what would help the pods that
	// find no place.
	Waiting  *question.Pending `json:"waiting"`
	Remedies *Remedies         `json:"remedies"`
	// Drains has the drain of each node by itself.
	Drains *question.DrainSurvey `json:"drains"`
	// Reach has the classes whose new pods may push others out, the highest value first.
	Reach []Reach `json:"reach"`
	// Fates says how it was found out where pods go that are pushed out.
	Fates Fates `json:"fates"`
	// Headroom has the room of each class, resource by resource. For each resource, first comes the room that
	// is free for any pod, then the classes with the highest value first.
	Headroom []Headroom `json:"headroom"`
	// Closed counts the cordoned nodes, which offer no room.
	Closed int `json:"closed"`
	// Findings has the remarks about the priority classes, the mistakes first.
	Findings []Finding `json:"findings"`

	// nodes has the names of all nodes.
	nodes map[string]bool
}

// mostAsked bounds how often nodes are asked in all drains together. A turn may ask every node, so that a large
// cluster gets fewer turns.
const mostAsked = 50_000_000

// Make makes the report of a scenario in its present state. The scenario does not change.
//
// Errors are those of [question.AllPending] and of [question.Scenario.EachDrain]. It takes the time of both, one
// question for each controller, and some thirty decisions for each of the first [MostRemedies] controllers
// whose pods find no place.
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

// Leaves counts the pods that have to leave for waiting pods, and the findings that report mistakes.
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
