package report

import (
	"context"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// Report is how a cluster stands with preemption.
type Report struct {
	// Waiting is what a scheduler does with everything that waits, and Remedies what would help
	// those that find no place.
	Waiting  *question.Pending `json:"waiting"`
	Remedies *Remedies         `json:"remedies"`
	// Drains is the drain of every node by itself.
	Drains *question.DrainSurvey `json:"drains"`
	// Reach has the classes whose new pods may push others out, the highest value first.
	Reach []Reach `json:"reach"`
	// Fates say how the places of running pods were judged.
	Fates Fates `json:"fates"`
	// Headroom is the room that new pods of each class have, the highest value first, resource
	// by resource.
	Headroom []Headroom `json:"headroom"`
	// Closed counts the nodes that are cordoned, which offer no room.
	Closed int `json:"closed"`
	// Findings are about the priority classes, those that are wrong first.
	Findings []Finding `json:"findings"`

	// nodes are all nodes by name.
	nodes map[string]bool
}

// mostAsked is how many nodes are asked for the drains, turn by turn; so a large cluster has fewer turns.
const mostAsked = 50_000_000

// Make makes the report of a scenario as it stands.
//
// Errors are those of [question.AllPending] and of [question.Scenario.EachDrain]. Time is that
// of both, of one question for each controller, and of some thirty decisions for each of the
// first [MostRemedies] controllers whose pods find no place. The scenario stays as it is.
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

// Stays counts what has no place or no end: pods that wait and find none, and nodes whose drain
// never ends.
func (r *Report) Stays() int {
	return r.Waiting.Totals.Waits + r.Waiting.Totals.Unplaced + len(r.Drains.Stuck)
}

// Leaves counts the pods that have to leave for those that wait, and the classes that are wrong.
func (r *Report) Leaves() int {
	n := r.Waiting.Totals.Victims
	for i := range r.Findings {
		if r.Findings[i].Wrong {
			n++
		}
	}
	return n
}
