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

// MostDepth is the largest depth of a cascade that can be followed.
const MostDepth = 16

// Victims has the fates of the victims of a plan.
type Victims struct {
	// Pod is the preemptor, and Node its new node.
	Pod  Pod    `json:"pod"`
	Node string `json:"node"`
	// Depth is how many times a replacement may push out others whose
	// replacements are looked at in turn.
	Depth int `json:"depth"`
	// Replacements are those of the plan's victims, the most important first; REPORT_JSON.md
	// of package explain describes them.
	Replacements []explain.Replacement `json:"replacements"`
	Totals       VictimTotals          `json:"totals"`
	// Gentler is a node on which nobody would be lost or wait, though somebody of these does; nil
	// where none was found.
	Gentler *Gentler `json:"gentler,omitempty"`
}

// Gentler is another node for the pod, and the number of its victims there, all of which find other places.
type Gentler struct {
	Node  string `json:"node"`
	Moved int    `json:"moved"`
}

// gentlerSteps is how many nodes are asked about replacements, to find a gentler one.
const gentlerSteps = 20_000

// allMove looks for a node all of whose victims find other places.
func findGentler(ctx context.Context, set Setting, eval *engine.Evaluator, plan *preemption.Plan) (*Gentler, error) {
	outlooks, _, err := joint.Outlooks(ctx, eval, set.Snapshot, joint.Request{Pods: []*outrank.Pod{plan.Pod}, Now: set.Now, Limit: gentlerSteps})
	if err != nil || len(outlooks) == 0 || outlooks[0].Candidate.Node == plan.Node {
		return nil, err
	}
	best := &outlooks[0]
	if slices.ContainsFunc(best.Fates, func(f joint.Fate) bool { return f.Loss != joint.Moved }) {
		return nil, nil
	}
	return &Gentler{Node: best.Candidate.Node, Moved: len(best.Fates)}, nil
}

// VictimTotals counts leaving pods, at any depth, by their fates.
type VictimTotals struct {
	// Victims are those of the plan itself, and InTurn those that leave for a replacement.
	Victims int `json:"victims"`
	InTurn  int `json:"inTurn"`

	Lost      int `json:"lost"`
	Fits      int `json:"fits"`
	PushesOut int `json:"pushesOut"`
	Waits     int `json:"waits"`
	// Replaced were leaving before, and their controllers have made others.
	Replaced int `json:"replaced"`
	// Unknown are pods of groups that are scheduled as a whole, and Beyond those that leave
	// beyond the depth.
	Unknown int `json:"unknown"`
	Beyond  int `json:"beyond"`
}

// AskVictims answers what becomes of the victims of a plan, once they are gone and the
// preemptor runs: how many pods their controllers have left, which of them come back to the
// same node, where each replacement would fit now, would wait, or would push out others in
// turn, to a depth. A replacement takes the node that its scheduler's scores prefer. Where somebody is worse off than on another node, that is named ([joint.Outlooks]).
//
// Errors are those of the setting, of [explain.Replacements] and of [joint.Outlooks], and wrap
// [outrank.ErrInvalid] for a depth that is not between 0 and [MostDepth]. Time is that of
// [explain.Replacements], and of some questions to nodes about the victims on the best others.
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
	v := &Victims{Pod: podOf(plan.Pod, ""), Node: plan.Node, Depth: depth, Replacements: fates}
	v.Totals.Victims = len(fates)
	v.Totals.count(fates)
	v.Totals.InTurn = v.Totals.Lost + v.Totals.Fits + v.Totals.PushesOut + v.Totals.Waits + v.Totals.Replaced + v.Totals.Unknown + v.Totals.Beyond - len(fates)
	if v.Totals.Lost+v.Totals.Waits+v.Totals.PushesOut > 0 && !plan.Resize {
		v.Gentler, err = findGentler(ctx, set, eval, plan)
	}
	return v, err
}

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
