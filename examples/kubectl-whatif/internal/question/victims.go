package question

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// MostDepth is the largest depth to which replacements can be followed.
const MostDepth = 16

// Victims says what becomes of the victims of a plan.
type Victims struct {
	// Pod is the preemptor, and Node its new node.
	Pod  Pod    `json:"pod"`
	Node string `json:"node"`
	// Depth limits how far replacements are followed: it is the number of times that one pushes out further
	// pods whose replacements are still looked at.
	Depth int `json:"depth"`
	// Replacements has the replacement of each victim, in the order of the victims' importance. REPORT_JSON.md
	// of package explain describes it.
	Replacements []explain.Replacement `json:"replacements"`
	Totals       VictimTotals          `json:"totals"`
	// Gentler is a node on which all victims would find other places. It is looked for if a victim on Node is
	// lost, waits or pushes out others, and is nil if there is none.
	Gentler *Gentler `json:"gentler,omitempty"`
}

// Gentler is another node for the pod. Moved counts the victims there, all of which find other places.
type Gentler struct {
	Node  string `json:"node"`
	Moved int    `json:"moved"`
}

// gentlerSteps bounds how often nodes are asked about replacements in the search for a gentler node.
const gentlerSteps = 20_000

// findGentler looks for another node on which all victims find other places. It returns nil if it finds none.
func findGentler(ctx context.Context, set Setting, eval *engine.Evaluator, plan *preemption.Plan) (*Gentler, error) {
	outlooks, _, err := joint.Outlooks(ctx, eval, set.Snapshot, joint.Request{Pods: []*outrank.Pod{plan.Pod}, Now: set.Now, Limit: gentlerSteps})
	// Outlooks are sorted by the damage, so that no node is gentler than the first.
	if err != nil || len(outlooks) == 0 || outlooks[0].Candidate.Node == plan.Node {
		return nil, err
	}
	best := &outlooks[0]
	if slices.ContainsFunc(best.Fates, func(f joint.Fate) bool { return f.Loss != joint.Moved }) {
		return nil, nil
	}
	return &Gentler{Node: best.Candidate.Node, Moved: len(best.Fates)}, nil
}

// VictimTotals counts the pods that leave, at any depth, by their fates.
type VictimTotals struct {
	// Victims counts the victims of the plan itself, and InTurn the pods that leave for a replacement.
	Victims int `json:"victims"`
	InTurn  int `json:"inTurn"`

	Lost      int `json:"lost"`
	Fits      int `json:"fits"`
	PushesOut int `json:"pushesOut"`
	Waits     int `json:"waits"`
	// Replaced counts the pods that were leaving already and that their controllers have replaced.
	Replaced int `json:"replaced"`
	// Unknown counts the pods of groups that are scheduled as a whole. Beyond counts the pods that leave beyond
	// the depth.
	Unknown int `json:"unknown"`
	Beyond  int `json:"beyond"`
}

// AskVictims answers what becomes of the victims of a plan once they are gone and the preemptor runs: how many
// pods their controllers have left, which of them return to the same node, and whether each replacement fits,
// waits, or pushes out others in turn, up to a depth. A replacement takes the node that its scheduler's scores
// prefer. If a victim fares worse than it would on another node, that node is named ([joint.Outlooks]).
//
// Errors are those of the setting, of [explain.Replacements] and of [joint.Outlooks]. They wrap
// [outrank.ErrInvalid] for a depth that is not between 0 and [MostDepth]. It takes the time of
// [explain.Replacements] and, for other nodes, a bounded number of questions to nodes.
func AskVictims(ctx context.Context, set Setting, plan *preemption.Plan, depth int) (*Victims, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	if depth < 0 || depth > MostDepth {
		return nil, fmt.Errorf("%w: depth %d is not between 0 and %d", outrank.ErrInvalid, depth, MostDepth)
	}
	if plan == nil {
		return nil, fmt.Errorf("%w: no plan", outrank.ErrInvalid)
	}
	eval, err := set.decider(plan.Pod)
	if err != nil {
		return nil, err
	}

	fates, err := explain.Replacements(ctx, explain.Question{Evaluator: eval, Snapshot: set.Snapshot, Request: preemption.Request{Now: set.Now}, Plan: plan}, explain.Options{Depth: depth, Scorer: set.scorerFor})
	if err != nil {
		return nil, err
	}

	v := &Victims{Pod: NameOf(plan.Pod, ""), Node: plan.Node, Depth: depth, Replacements: fates}
	n := &v.Totals
	n.Victims = len(fates)
	n.count(fates)
	n.InTurn = n.Lost + n.Fits + n.PushesOut + n.Waits + n.Replaced + n.Unknown + n.Beyond - len(fates)

	// A resize cannot go to another node.
	if n.Lost+n.Waits+n.PushesOut > 0 && !plan.Resize {
		v.Gentler, err = findGentler(ctx, set, eval, plan)
	}
	return v, err
}

// count adds the pods of a list of replacements, and the pods that these push out.
func (t *VictimTotals) count(fates []explain.Replacement) {
	for i := range fates {
		switch fates[i].Fate {
		case explain.Lost:
			t.Lost++
		case explain.FitsNow:
			t.Fits++
		case explain.PushesOut:
			t.PushesOut++
		case explain.Waits:
			t.Waits++
		case explain.Replaced:
			t.Replaced++
		case explain.Unknown:
			t.Unknown++
		default:
			t.Beyond++
		}
		t.count(fates[i].Victims)
	}
}
