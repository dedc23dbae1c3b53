package execution

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// WayOut is one way to find room for a pod that fits on no node (upstream's PostFilter
// plugin), with its answer after it was asked.
type WayOut struct {
	// Name tells the ways apart, in error texts and for the caller.
	Name string
	// Ask looks for room, like engine.Evaluator.Preempt. A plan to preempt helps, even one
	// without victims: then something else than evictions makes room on its node. Any other
	// plan, and nil, does not help; nil also leaves the pod's nomination alone. After an error no other
	// way is asked.
	Ask func(ctx context.Context, snap *engine.Snapshot, req preemption.Request) (*preemption.Plan, error)
	// Says is the message for the pod if the way does not help. Empty means the message of
	// preemption about the plan. If the way ends in an error, Says replaces that message and the error.
	Says string
	// Found is the message for the pod if the way helps. Empty means the message of preemption.
	Found string
	// Plan is the answer of Ask. It is nil until FirstWayOut asks, and if Ask returned no plan.
	Plan *preemption.Plan
}

// FirstWayOut asks one way out after the other until one of them helps (rules 8.9 to 8.12;
// RunPostFilterPlugins). The ways may be, for example, an evaluator that spares some pods and one that spares
// none. It also stops if a way finds that the pod fits, or ends in an error ([preemption.Plan.Err]).
//
// The ways that were asked are returned in their order, each with its Plan, for [Failure].Ways. The list is not
// nil even if it is empty. The plan is the plan of the way that helps or ended in an error. If there is no such
// way it is the last plan that changes the nomination, or else the last plan; it is nil if no way returned one.
// A plan that does not say how the nodes answered takes their answers from the first plan that does.
//
// If a way returns an error, the error is wrapped with its name; plan and ways come with it if the way
// returned a plan, else both are nil. Other errors are the context's, and one that wraps
// [outrank.ErrInvalid] for a way without Ask or a nil context. The time is spent in the ways.
func FirstWayOut(ctx context.Context, cluster *engine.Snapshot, req preemption.Request, ways ...WayOut) (plan *preemption.Plan, asked []WayOut, err error) {
	for i := range ways {
		if ways[i].Ask == nil {
			return nil, nil, fmt.Errorf("way out %d (%s): %w: no function to ask", i, ways[i].Name, outrank.ErrInvalid)
		}
	}
	if ctx == nil {
		return nil, nil, fmt.Errorf("ways out: %w: no context", outrank.ErrInvalid)
	}

	asked = []WayOut{}
	for _, way := range ways {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}

		plan, err := way.Ask(ctx, cluster, req)
		if err != nil && plan == nil {
			return nil, nil, fmt.Errorf("way out %s: %w", way.Name, err)
		}
		way.Plan = plan
		asked = append(asked, way)
		if err != nil {
			return plan, asked, fmt.Errorf("way out %s: %w", way.Name, err)
		}

		// One way that helps is enough. If the pod fits there is nothing to ask for, and after an
		// error of preemption no other way is asked (rule 8.12).
		if plan != nil && (plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits || plan.Err() != nil) {
			break
		}
	}
	return decisive(asked), asked, nil
}

// decisive returns the plan that counts, with the answers of the nodes: a plan that ended in an error, or else
// the last plan that changes the nomination, or else the last plan.
func decisive(asked []WayOut) *preemption.Plan {
	var plan, told *preemption.Plan
	for i := range asked {
		p := asked[i].Plan
		if p == nil {
			continue
		}
		if plan == nil || !keepsNomination(p) || keepsNomination(plan) || p.Err() != nil {
			plan = p
		}
		if told == nil && tellsOfNodes(p) {
			told = p
		}
	}

	// The plan belongs to the caller, so the missing answers are filled into a copy.
	if plan == nil || told == nil || tellsOfNodes(plan) {
		return plan
	}
	completed := *plan
	completed.Refused, completed.Feasible, completed.TurnedDown = told.Refused, told.Feasible, told.TurnedDown
	return &completed
}

// keepsNomination reports whether a plan leaves the pod's nomination alone (rules 14.3.6 and 8.12).
func keepsNomination(p *preemption.Plan) bool {
	return p.Outcome == preemption.NotEligible || slices.ContainsFunc(p.Unhelpful, takenOff) || p.Err() != nil
}

// tellsOfNodes reports whether a plan says how the nodes answered before any preemption.
func tellsOfNodes(p *preemption.Plan) bool { return p.Feasible > 0 || len(p.TurnedDown) > 0 }

// takenOff reports whether these nodes are no candidates because an extender dropped them.
func takenOff(c preemption.Count) bool { return prose.IsDropped(c.Reasons) }
