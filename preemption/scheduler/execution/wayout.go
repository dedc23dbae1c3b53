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

// WayOut is one way to find room for a pod that fits nowhere (upstream's PostFilter
// plugin), and what it came to.
type WayOut struct {
	// Name is for people and programs.
	Name string
	// Ask looks for room, like engine.Evaluator.Preempt. A plan to preempt helps, one
	// without victims too: something else than the loss of pods makes room on its
	// node. With any other plan, and without one, the way does not help; without one
	// it leaves the pod's nomination alone. An error ends all.
	Ask func(ctx context.Context, snap *engine.Snapshot, req preemption.Request) (*preemption.Plan, error)
	// Says is what the pod is told where the way does not help; empty for what
	// preemption says about the plan. Where the way ends in an error it is told in place of
	// preemption's word and that error.
	Says string
	// Found is what the pod is told where the way helps; empty for what preemption says.
	Found string
	// Plan is what Ask answered; nil where it has no plan, and until FirstWayOut asks.
	Plan *preemption.Plan
}

// FirstWayOut asks one way out after the other until one of them helps (rules 8.9 to
// 8.12; RunPostFilterPlugins): an evaluator that spares some pods before one that
// spares none, say. None is asked any more once one of them finds that the pod fits, or
// ends in an error ([preemption.Plan.Err]).
//
// The ways that were asked are returned in their order, each with its Plan: up to the one that
// helps, the one that found that the pod fits, or the one that ended in an error. They are what
// [Failure].Ways wants, and not nil even if there are none. The plan is that of the way that helps or
// ended in an error. Where none does it is the last that has something to say about the nomination,
// or else the last there is; nil without any. What it does not say itself about the nodes that
// turned the pod down is taken from the first that does.
//
// The error is that of the way that failed, with its name, or the context's, or wraps
// [outrank.ErrInvalid] for a way without Ask. Where the way that failed says what the nodes
// answered, plan and ways come with its error; else both are nil. Time is that of the ways.
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

		// One that helps is enough. Where the pod fits there is nothing to be asked for, and an
		// error that preemption ended in ends all (rule 8.12).
		if plan != nil && (plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits || plan.Err() != nil) {
			break
		}
	}
	return decisive(asked), asked, nil
}

// decisive returns the plan that counts, with the answers of the nodes: the last that changes the
// nomination, or else the last there is. What ended in an error counts most.
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

	// The plan is the caller's, so that what it lacks goes into a copy.
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

// tellsOfNodes reports whether a plan says what the nodes answered as things are.
func tellsOfNodes(p *preemption.Plan) bool { return p.Feasible > 0 || len(p.TurnedDown) > 0 }

// takenOff reports whether an extender has taken the nodes off the candidates.
func takenOff(c preemption.Count) bool { return prose.IsDropped(c.Reasons) }
