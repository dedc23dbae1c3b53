package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/preemption"
)

// NodeAnswer says why a node was chosen for a pod, or why not. It holds names and figures and none of the
// caller's objects. It belongs to the caller, and can be written to JSON and read back.
type NodeAnswer struct {
	// Answer has as Victims the pods that would have to leave so that the pod could run on this node. There are
	// none unless the node is chosen or a candidate.
	Answer
	Node string
	// Verdict is the verdict on the node. It has no Way if the attempt ended before any node was asked.
	Verdict
	// Fits is the number of nodes that take the pod without preemption. Candidates is the number of nodes on
	// which preemption makes room.
	Fits       int
	Candidates int
	// Possible lists the possible victims of the node, the most important first.
	Possible List[Pod]
	// Place is the rank of the node among the candidates, counted from 1. It is 0 for a node that is no
	// candidate.
	Place int
	// Best is the first candidate. It is empty if that is this node, or if this node is no candidate.
	Best Contender
}

// WhyNot says everything about one node: what keeps the pod out without preemption, which pods would have to leave,
// and to which node it lost, by which values.
//
// Errors are those of [Ask], and [preemption.ErrNotFound] for a node that the answer does not have. WhyNot takes
// the time of a decision. It is also linear in the nodes and candidates, in the pods of the node for each of its
// victims, and in all pods of the cluster if pod affinity or topology spread keep the pod out.
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

	// The verdict is the same that a report gives for a group of nodes.
	g := newGrouping(f, ex)
	one, err := g.verdictOn(&ex.Nodes[i])
	if err != nil {
		return nil, err
	}

	// If the attempt ended before any node was asked, there is nothing to add about this one.
	req := &q.Request
	a := &NodeAnswer{
		Answer: f.answer(req.Pod, ex), Node: node, Fits: ex.Feasible, Candidates: len(ex.Candidates),
		Verdict: Verdict{Stage: one.Stage, Before: one.Before, After: one.After},
	}
	if ex.Refused.Code != preemption.Success {
		return a, nil
	}

	// Only a node that rejects the pod for good has obstacles to look behind.
	if (a.Stage == InVain || a.Stage == NoHelp) && !answersGiven(req) {
		if a.Way, err = f.newBench(ctx, q, ex).way(node); err != nil {
			return nil, err
		}
	}
	return a, cmp.Or(f.nodeAnswer(a, ex, g.candidates[node]), ctx.Err())
}

// nodeAnswer adds the possible victims of the node to the answer. If c, the candidate of the node, is not nil, it also
// adds the victims of c and the rank by which c lost.
func (f *finder) nodeAnswer(a *NodeAnswer, ex *preemption.Plan, c *preemption.Candidate) error {
	at, err := f.placeOn(a.Node)
	if err != nil {
		return err
	}
	for _, p := range cut(at.view.Possible(), 10*f.most, &a.Possible.More) {
		a.Possible.Items = append(a.Possible.Items, *f.ref(p, f.snap.NodeOf(p.Key())))
	}
	if c == nil {
		return nil
	}

	// The victims are explained as if this candidate had been chosen.
	asChosen := *ex
	asChosen.Candidate = *c
	r := &Report{}
	if err := f.chosen(r, &asChosen); err != nil {
		return err
	}

	score := scoreOf(c)
	a.Victims, a.Budgets, a.Score = r.Victims, r.Budgets, &score
	a.Place = 1 + slices.IndexFunc(ex.Candidates, func(o preemption.Candidate) bool { return o.Node == a.Node })
	if a.Place == 1 {
		return nil
	}

	best := &ex.Candidates[0]
	a.Best, a.LostBy = f.contender(best), f.lostBy(ex, c)
	return nil
}
