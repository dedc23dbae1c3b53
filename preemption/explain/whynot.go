package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// NodeAnswer is why a node is the one for a pod, or why not. It holds names and figures
// and none of the caller's objects; it belongs to the caller, and can be written to JSON
// and read back.
type NodeAnswer struct {
	// APIVersion is "outrank/v1" and Kind is "NodeAnswer".
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Pod is the preemptor, and Outcome what becomes of it in the whole cluster.
	Pod     Pod                `json:"pod"`
	Outcome preemption.Outcome `json:"outcome"`
	Node    string             `json:"node"`
	Stage   Stage              `json:"stage"`
	// Refused says what ended the attempt before any node was asked; nil where all were.
	Refused *Obstacle `json:"refused,omitempty"`
	// Ineligible says why the pod may not preempt, "by-caller" where
	// a rule of the caller says so; empty where it may.
	Ineligible preemption.Ineligibility `json:"ineligible,omitempty"`
	// Refusal is the answer of the caller's rule (preemption.Eligibility.Refuse) where that is
	// what keeps the pod from it; else empty.
	Refusal string `json:"refusal,omitempty"`
	// Fits is the number of nodes that take the pod as things are, and Candidates the number
	// of those on which preemption makes room.
	Fits       int `json:"fits"`
	Candidates int `json:"candidates"`
	// Before says what keeps the pod out as things are, and After what does with every possible
	// victim gone, where that does not help.
	Before *Obstacle `json:"before,omitempty"`
	After  *Obstacle `json:"after,omitempty"`
	// Way is everything in the way, for a node that takes the pod neither way; nil where the
	// attempt ended before any node.
	Way *Way `json:"way,omitempty"`
	// Possible are the pods of the node that might be victims, the most important first.
	Possible     []Pod `json:"possible"`
	MorePossible int   `json:"morePossible,omitempty"`
	// Victims would have to leave so that the pod could run there, the most important first;
	// empty unless the node is chosen or a candidate. Budgets are those that this breaks.
	Victims     []Victim `json:"victims"`
	MoreVictims int      `json:"moreVictims,omitempty"`
	Budgets     []Budget `json:"budgets"`
	MoreBudgets int      `json:"moreBudgets,omitempty"`
	// Place is the node's among the candidates, from 1 on; 0 where it is none. Score is what
	// it is ranked by.
	Place int    `json:"place,omitempty"`
	Score *Score `json:"score,omitempty"`
	// Best is the candidate that comes first, and LostBy the first rank in which the node
	// loses against it. BestBudgets are those that the victims there break. All are empty
	// for the first candidate itself.
	Best            string        `json:"best,omitempty"`
	BestScore       *Score        `json:"bestScore,omitempty"`
	LostBy          string        `json:"lostBy,omitempty"`
	BestBudgets     []outrank.Key `json:"bestBudgets,omitempty"`
	MoreBestBudgets int           `json:"moreBestBudgets,omitempty"`
}

// WhyNot says everything about one node: what keeps the pod out as things are, whose
// leaving would help, and against which node and by which values it lost.
//
// Errors are those of [Ask], and [preemption.ErrNotFound] for a node that the answer does not have.
// Besides a decision, time is linear in the nodes and candidates, in the pods of the node for each of its
// victims, and in all pods where pod affinity or topology spread keep the pod out.
func WhyNot(ctx context.Context, q Question, node string, options Options) (*NodeAnswer, error) {
	ex, err := q.answer(ctx)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f, err := newFinder(ctx, q, options)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(ex.Nodes, func(n preemption.NodeReport) bool { return n.Node == node })
	if i < 0 {
		return nil, fmt.Errorf("node %s: %w", cmp.Or(node, "without a name"), preemption.ErrNotFound)
	}
	g := &grouping{finder: f, ex: ex, candidates: map[string]*preemption.Candidate{}, places: map[string]int{}}
	for i := range ex.Candidates {
		g.candidates[ex.Candidates[i].Node], g.places[ex.Candidates[i].Node] = &ex.Candidates[i], i
	}
	one, err := g.alone(&ex.Nodes[i])
	if err != nil {
		return nil, err
	}
	req := &q.Request
	a := &NodeAnswer{
		APIVersion: apiVersion, Kind: "NodeAnswer", Pod: *f.ref(req.Pod, ""), Outcome: ex.Outcome, Node: node, Stage: one.Stage,
		Fits: ex.Feasible, Candidates: len(ex.Candidates), Before: one.Before, After: one.After,
		Possible: []Pod{}, Victims: []Victim{}, Budgets: []Budget{},
	}
	a.Pod.Priority = req.Pod.PriorityValue()
	a.Ineligible, a.Refusal = ineligible(ex.Ineligible)
	if ex.Refused.Code != preemption.Success {
		a.Refused = f.refusal(ex.Refused)
		return a, nil
	}
	if (a.Stage == InVain || a.Stage == NoHelp) && !answersGiven(req) {
		if a.Way, err = f.newBench(ctx, q, ex).way(node); err != nil {
			return nil, err
		}
	}
	return a, cmp.Or(f.nodeAnswer(a, ex, g.candidates[node]), ctx.Err())
}

// nodeAnswer adds who might leave the node, who would have to, and what it lost by.
func (f *finder) nodeAnswer(a *NodeAnswer, ex *preemption.Plan, c *preemption.Candidate) error {
	at, err := f.at(a.Node)
	if err != nil {
		return err
	}
	for _, p := range cut(at.view.Possible(), 10*f.most, &a.MorePossible) {
		a.Possible = append(a.Possible, *f.ref(p, f.snap.NodeOf(p.Key())))
	}
	if c == nil {
		return nil
	}
	of := *ex
	of.Candidate = *c
	r := &Report{Victims: []Victim{}}
	if err := f.chosen(r, &of); err != nil {
		return err
	}
	score := scoreOf(c)
	a.Victims, a.MoreVictims, a.MoreBudgets, a.Score = r.Victims, r.MoreVictims, r.MoreBudgets, &score
	a.Budgets = append(a.Budgets, r.Budgets...)
	a.Place = 1 + slices.IndexFunc(ex.Candidates, func(o preemption.Candidate) bool { return o.Node == a.Node })
	if a.Place == 1 {
		return nil
	}
	best := &ex.Candidates[0]
	bestScore := scoreOf(best)
	a.Best, a.BestScore, a.LostBy = best.Node, &bestScore, f.lostBy(ex, c)
	a.BestBudgets = cut(budgetKeys(best.Victims), f.most, &a.MoreBestBudgets)
	return nil
}
