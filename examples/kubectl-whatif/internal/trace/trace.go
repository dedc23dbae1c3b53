// Package trace answers how a decision about one pod comes about, step by step: on each node
// that comes into question all pods that could leave are taken away, then put back one by one
// as far as the pod still fits, and the nodes are compared rank by rank until one is left.
//
// Whether a pod stays, and the answer that keeps it out, are those of the decision itself; the
// possible victims and the budgets that they break are asked of its dry runs, and put into the order of
// kube-scheduler. A test asks the filters again at each step.
package trace

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Trace is a decision step by step.
type Trace struct {
	Pod outrank.Key `json:"pod"`
	// Outcome is that of the decision. Nobody is taken away where the pod fits or may not push
	// others out: there are no nodes then.
	Outcome preemption.Outcome `json:"outcome"`
	// Nodes are those on which pods are taken away: the candidates, the best first, then those
	// where it does not help, in the order of the cluster. MoreNodes are left out.
	Nodes     []Node `json:"nodes"`
	MoreNodes int    `json:"moreNodes,omitempty"`
	// NotTried counts the nodes on which no eviction could help, so that none is tried.
	NotTried int `json:"notTried,omitempty"`
	// Candidates counts the nodes where it helps, and Rounds compare them, a rank each.
	Candidates int     `json:"candidates"`
	Rounds     []Round `json:"rounds"`
	// Chosen is the node that is left; empty where nothing helps.
	Chosen string `json:"chosen,omitempty"`
}

// Node is a node on which pods are taken away and put back.
type Node struct {
	Node   string `json:"node"`
	Chosen bool   `json:"chosen,omitempty"`
	// AsItIs is its answer as things are, and Emptied that with all gone that could leave. Possible
	// counts those.
	AsItIs   Check `json:"asItIs"`
	Emptied  Check `json:"emptied"`
	Possible int   `json:"possible"`
	// Steps put them back, where the pod fits without them: those first whose leaving breaks a
	// budget, and of these and of the others the most important first. Nobody is put back where
	// it does not.
	Steps []Step `json:"steps"`
	// Victims are those who could not be put back, the most important first.
	Victims []outrank.Key `json:"victims"`
}

// Step puts a pod back.
type Step struct {
	Pod      outrank.Key `json:"pod"`
	Priority int32       `json:"priority"`
	// With are those that stay or leave with it, and Breaks the budgets that their leaving would
	// break, were all gone that could leave.
	With   []outrank.Key `json:"with,omitempty"`
	Breaks []outrank.Key `json:"breaks,omitempty"`
	// Stays is set where the pod in question fits beside it. Check is the node's answer.
	Stays bool  `json:"stays"`
	Check Check `json:"check"`
}

// Check is a node's answer to the pod.
type Check struct {
	Fits bool `json:"fits"`
	// Filter refuses the pod for Reasons. Short are the resources of which the node has too
	// little, where that is the filter.
	Filter  string   `json:"filter,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Short   []Short  `json:"short,omitempty"`
}

// Short is an amount that the pod needs and the node does not have.
type Short struct {
	Resource resource.Name     `json:"resource"`
	Needed   resource.Quantity `json:"needed"`
	Free     resource.Quantity `json:"free"`
}

// Round compares the candidates that are left by one rank.
type Round struct {
	// Rank is in words what is better, and Best the best figure.
	Rank string `json:"rank"`
	Best string `json:"best,omitempty"`
	// Left are the nodes that have it, the first of them; MoreLeft are more.
	Left     []string `json:"left"`
	MoreLeft int      `json:"moreLeft,omitempty"`
	// Out are nodes with a worse figure, MoreOut more.
	Out     []Out `json:"out"`
	MoreOut int   `json:"moreOut,omitempty"`

	rank string // its name
}

// Out is a node that leaves the comparison.
type Out struct {
	Node   string `json:"node"`
	Figure string `json:"figure"`
}

// Bounds of a trace.
const (
	// MostNodes are traced pod by pod.
	MostNodes = 20
	mostNames = 10
)

// Of traces the decision about a request, which ex explains. Errors are those of
// [engine.Evaluator.LookAt]. Time is that of adding up each traced node once for
// each possible victim.
func Of(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, req preemption.Request, ex *preemption.Plan) (*Trace, error) {
	t := &Trace{Pod: req.Pod.Key(), Outcome: ex.Outcome, Nodes: []Node{}, Rounds: []Round{}}
	if ex.Outcome != preemption.Preempts && ex.Outcome != preemption.NothingHelps {
		return t, nil
	}
	lookAt, err := eval.LookAt(snap, req)
	if err != nil {
		return nil, err
	}
	if ex.Outcome == preemption.Preempts {
		t.Chosen, t.Candidates = ex.Node, len(ex.Candidates)
		t.Rounds = rounds(eval.Config().Ranks, ex)
	}
	for _, at := range t.order(ex) {
		if len(t.Nodes) == MostNodes {
			t.MoreNodes++
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		view, err := lookAt(at.report.Node)
		if err != nil {
			return nil, err
		}
		n := follow(&walk{eval, snap, view, map[*outrank.Pod]bool{}}, at)
		n.Chosen = n.Node == t.Chosen
		t.Nodes = append(t.Nodes, n)
	}
	return t, nil
}

// tried is a node that was tried with what the decision says of it; candidate is nil where it
// is none.
type tried struct {
	report    *preemption.NodeReport
	candidate *preemption.Candidate
}

// order lists the nodes that are tried, and counts the others.
func (t *Trace) order(ex *preemption.Plan) (out []tried) {
	at, is := map[string]*preemption.NodeReport{}, map[string]bool{}
	for i := range ex.Nodes {
		at[ex.Nodes[i].Node] = &ex.Nodes[i]
	}
	for i := range ex.Candidates {
		c := &ex.Candidates[i]
		out, is[c.Node] = append(out, tried{at[c.Node], c}), true
	}
	for i := range ex.Nodes {
		switch n := &ex.Nodes[i]; {
		case n.AfterRemoval == nil:
			t.NotTried++
		case !is[n.Node]:
			out = append(out, tried{n, nil})
		}
	}
	return out
}

// walk puts pods back on a node.
type walk struct {
	eval *engine.Evaluator
	snap *engine.Snapshot
	view preemption.NodeView
	gone map[*outrank.Pod]bool
}

// follow takes the pods of a node away, and puts them back.
func follow(w *walk, at tried) Node {
	n := Node{Node: at.report.Node, Steps: []Step{}, Victims: []outrank.Key{}}
	possible := w.view.Possible()
	n.AsItIs, n.Possible = w.check(&at.report.Status), len(possible)
	for _, p := range possible {
		w.gone[p] = true
	}
	if n.Emptied = w.check(at.report.AfterRemoval); at.candidate == nil {
		return n
	}
	blocks := map[outrank.Key]*preemption.Status{}
	for i := range at.candidate.Victims {
		v := &at.candidate.Victims[i]
		n.Victims, blocks[v.Pod.Key()] = append(n.Victims, v.Pod.Key()), &v.Blocks
	}
	units, pods := w.units()
	n.Steps = append(n.Steps, units...)
	for i := range n.Steps {
		s := &n.Steps[i]
		for _, p := range pods[s.Pod] {
			w.gone[p] = false
		}
		blocked := blocks[s.Pod]
		if s.Stays = blocked == nil; s.Stays {
			s.Check = Check{Fits: true}
			continue
		}
		s.Check = w.check(blocked)
		for _, p := range pods[s.Pod] {
			w.gone[p] = true
		}
	}
	return n
}

// units are the possible victims of a node in the order in which they are put back, as steps
// that nobody has taken yet, with the pods of each.
func (w *walk) units() ([]Step, map[outrank.Key][]*outrank.Pod) {
	var first, others []Step
	possible, pods := w.view.Possible(), map[outrank.Key][]*outrank.Pod{}
	var violated [][]*outrank.PodDisruptionBudget
	if chargesPossible(w.eval.Config()) {
		violated = w.view.Violated(possible...)
	}
	for from, to := 0, 0; from < len(possible); from = to {
		s := Step{Pod: possible[from].Key(), Priority: w.snap.CountsAs(possible[from])}
		for to = from; to < len(possible) && (to == from || w.leaveTogether(possible[from], possible[to])); to++ {
			if to > from {
				s.With = append(s.With, possible[to].Key())
			}
			if violated == nil {
				continue
			}
			for _, b := range violated[to] {
				if !slices.Contains(s.Breaks, b.Key()) {
					s.Breaks = append(s.Breaks, b.Key())
				}
			}
		}
		pods[s.Pod] = possible[from:to]
		if len(s.Breaks) > 0 {
			first = append(first, s)
		} else {
			others = append(others, s)
		}
	}
	return slices.Concat(first, others), pods
}

// chargesPossible reports whether budgets are charged for all possible victims of a node, rather than for those that
// leave in the end.
func chargesPossible(c preemption.Config) bool {
	return c.Victims == nil && c.Variant != outrank.VariantSimplified && c.Budgets != preemption.ChargeVictims
}

// leaveTogether reports whether two pods are of one group that leaves whole.
func (w *walk) leaveTogether(a, b *outrank.Pod) bool {
	group, composite := w.snap.LeavesWith(a)
	if group == nil && composite == nil {
		return false
	}
	otherGroup, otherComposite := w.snap.LeavesWith(b)
	return group == otherGroup && composite == otherComposite
}

// check is an answer of the node, with what is short while some are gone.
func (w *walk) check(status *preemption.Status) Check {
	out := Check{Fits: status.Code == preemption.Success, Filter: status.Filter, Reasons: slices.Clone(status.Reasons)}
	if status.Filter != preemption.NodeResourcesFit {
		return out
	}
	gone := slices.DeleteFunc(w.view.Possible(), func(p *outrank.Pod) bool { return !w.gone[p] })
	for _, r := range explain.RoomOn(w.eval, w.snap, w.view, gone...) {
		if r.Short.Sign() > 0 {
			out.Short = append(out.Short, Short{r.Resource, r.Needed, r.Free})
		}
	}
	return out
}
