// Package trace answers how a decision about one pod comes about, step by step. On each node that comes into
// question, all pods that could leave are removed, and then put back one by one as long as the pod still fits.
// Then the nodes are compared rank by rank until one is left.
//
// The decision itself says which pods stay, and which answer of the node makes the others leave. Its dry
// runs say which victims are possible and which budgets they break. The package puts the possible victims into
// the order of kube-scheduler. A test asks the filters again at each step.
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
	// Outcome is the outcome of the decision. If the pod fits or may not push others out, no pods are removed,
	// and there are no nodes.
	Outcome preemption.Outcome `json:"outcome"`
	// Nodes lists the nodes on which pods are removed: the candidates, the best first, then the nodes on which
	// that does not help, in the order of the cluster. MoreNodes counts the nodes left out.
	Nodes     []Node `json:"nodes"`
	MoreNodes int    `json:"moreNodes,omitempty"`
	// NotTried counts the nodes on which no eviction could help, so that none is tried.
	NotTried int `json:"notTried,omitempty"`
	// Candidates counts the nodes on which evictions help. Rounds compares them, one rank in each round.
	Candidates int     `json:"candidates"`
	Rounds     []Round `json:"rounds"`
	// Chosen is the node that is left. It is empty if nothing helps.
	Chosen string `json:"chosen,omitempty"`
}

// Node is a node on which pods are removed and put back.
type Node struct {
	Node   string `json:"node"`
	Chosen bool   `json:"chosen,omitempty"`
	// AsItIs is the node's answer as things are. Emptied is its answer once all pods that could leave are gone.
	// Possible counts these pods.
	AsItIs   Check `json:"asItIs"`
	Emptied  Check `json:"emptied"`
	Possible int   `json:"possible"`
	// Steps puts these pods back, if the pod in question fits without them. Pods whose leaving breaks a budget
	// come first, and among equals the most important. If the pod does not fit, no pod is put back.
	Steps []Step `json:"steps"`
	// Victims lists the pods that could not be put back, the most important first.
	Victims []outrank.Key `json:"victims"`
}

// Step puts a pod back.
type Step struct {
	Pod      outrank.Key `json:"pod"`
	Priority int32       `json:"priority"`
	// With lists the other pods of a group that stays or leaves as a whole. Breaks lists the budgets that their
	// leaving breaks, counted with all pods gone that could leave.
	With   []outrank.Key `json:"with,omitempty"`
	Breaks []outrank.Key `json:"breaks,omitempty"`
	// Stays is set if the pod in question fits beside the pod that is put back. Check is the node's answer at
	// this step.
	Stays bool  `json:"stays"`
	Check Check `json:"check"`
}

// Check is a node's answer to the pod.
type Check struct {
	Fits bool `json:"fits"`
	// Filter names the filter that refuses the pod, and Reasons says why. If it is the filter about resources,
	// Short has the resources of which the node has too little.
	Filter  string   `json:"filter,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Short   []Short  `json:"short,omitempty"`
}

// Short is an amount that the pod needs and the node lacks.
type Short struct {
	Resource resource.Name     `json:"resource"`
	Needed   resource.Quantity `json:"needed"`
	Free     resource.Quantity `json:"free"`
}

// Round compares the remaining candidates by one rank.
type Round struct {
	// Rank says in words what is better, and Best is the best figure.
	Rank string `json:"rank"`
	Best string `json:"best,omitempty"`
	// Left names the first nodes with the best figure. MoreLeft counts the others.
	Left     []string `json:"left"`
	MoreLeft int      `json:"moreLeft,omitempty"`
	// Out names the first nodes with a worse figure. MoreOut counts the others.
	Out     []Out `json:"out"`
	MoreOut int   `json:"moreOut,omitempty"`

	// rank is the name of the rank. It is empty if the order of the nodes decides.
	rank string
}

// Out is a node that drops out of the comparison.
type Out struct {
	Node   string `json:"node"`
	Figure string `json:"figure"`
}

// Bounds of a trace.
const (
	// MostNodes is the most nodes that are traced pod by pod.
	MostNodes = 20
	// mostNames is the most nodes that a round names in each list.
	mostNames = 10
)

// Of traces the decision about a request, which ex explains. Errors are those of [engine.Evaluator.LookAt]. For
// each traced node it sums up the node once for each possible victim.
func Of(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, req preemption.Request, ex *preemption.Plan) (*Trace, error) {
	// With the other outcomes no pod was removed.
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

	for _, node := range t.order(ex) {
		if len(t.Nodes) == MostNodes {
			t.MoreNodes++
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		// The view has the node's dry run: which pods could leave, and which budgets that breaks.
		view, err := lookAt(node.report.Node)
		if err != nil {
			return nil, err
		}
		n := follow(&walk{eval, snap, view, map[*outrank.Pod]bool{}}, node)
		n.Chosen = n.Node == t.Chosen
		t.Nodes = append(t.Nodes, n)
	}
	return t, nil
}

// tried is a node on which evictions were tried. report is the decision's report about it. candidate is nil if
// evictions do not help.
type tried struct {
	report    *preemption.NodeReport
	candidate *preemption.Candidate
}

// order lists the nodes on which evictions were tried, the candidates first. It counts the other nodes.
func (t *Trace) order(ex *preemption.Plan) (out []tried) {
	reports := map[string]*preemption.NodeReport{}
	for i := range ex.Nodes {
		reports[ex.Nodes[i].Node] = &ex.Nodes[i]
	}

	isCandidate := map[string]bool{}
	for i := range ex.Candidates {
		c := &ex.Candidates[i]
		out = append(out, tried{reports[c.Node], c})
		isCandidate[c.Node] = true
	}
	for i := range ex.Nodes {
		switch n := &ex.Nodes[i]; {
		case n.AfterRemoval == nil:
			t.NotTried++
		case !isCandidate[n.Node]:
			out = append(out, tried{n, nil})
		}
	}
	return out
}

// walk is a node from which pods are removed and to which they are put back. gone has the pods that are away.
type walk struct {
	eval *engine.Evaluator
	snap *engine.Snapshot
	view preemption.NodeView
	gone map[*outrank.Pod]bool
}

// follow removes the pods of a node and puts them back.
func follow(w *walk, node tried) Node {
	n := Node{Node: node.report.Node, Steps: []Step{}, Victims: []outrank.Key{}}
	possible := w.view.Possible()
	n.Possible = len(possible)
	n.AsItIs = w.check(&node.report.Status)
	for _, p := range possible {
		w.gone[p] = true
	}
	if n.Emptied = w.check(node.report.AfterRemoval); node.candidate == nil {
		return n
	}

	// For each victim the decision has recorded the answer that kept it from being put back.
	blocks := map[outrank.Key]*preemption.Status{}
	for i := range node.candidate.Victims {
		v := &node.candidate.Victims[i]
		n.Victims = append(n.Victims, v.Pod.Key())
		blocks[v.Pod.Key()] = &v.Blocks
	}

	// A unit that leaves is removed again after its step, so that later steps count the room without it.
	units, pods := w.units()
	n.Steps = append(n.Steps, units...)
	for i := range n.Steps {
		s := &n.Steps[i]
		w.mark(pods[s.Pod], false)
		blocked := blocks[s.Pod]
		if s.Stays = blocked == nil; s.Stays {
			s.Check = Check{Fits: true}
			continue
		}
		s.Check = w.check(blocked)
		w.mark(pods[s.Pod], true)
	}
	return n
}

// mark marks pods as removed or as put back.
func (w *walk) mark(pods []*outrank.Pod, gone bool) {
	for _, p := range pods {
		w.gone[p] = gone
	}
}

// units returns the possible victims of a node in the order in which they are put back, as steps without a
// result. A unit is a pod, or the pods of a group that leaves as a whole. The map has the pods of each unit by
// the key of the first.
func (w *walk) units() ([]Step, map[outrank.Key][]*outrank.Pod) {
	possible := w.view.Possible()
	var violated [][]*outrank.PodDisruptionBudget
	if chargesPossible(w.eval.Config()) {
		violated = w.view.Violated(possible...)
	}

	// The pods of a unit are consecutive among the possible victims, which are in order of importance. Units
	// that break a budget are put back before the others.
	var breaking, others []Step
	pods := map[outrank.Key][]*outrank.Pod{}
	for from, to := 0, 0; from < len(possible); from = to {
		to = from + 1
		for to < len(possible) && w.leaveTogether(possible[from], possible[to]) {
			to++
		}

		s := Step{Pod: possible[from].Key(), Priority: w.snap.CountsAs(possible[from])}
		for _, p := range possible[from+1 : to] {
			s.With = append(s.With, p.Key())
		}
		if violated != nil {
			s.Breaks = keysOf(violated[from:to])
		}
		pods[s.Pod] = possible[from:to]
		if len(s.Breaks) > 0 {
			breaking = append(breaking, s)
		} else {
			others = append(others, s)
		}
	}
	return slices.Concat(breaking, others), pods
}

// keysOf lists the budgets that pods violate, each once.
func keysOf(violated [][]*outrank.PodDisruptionBudget) (out []outrank.Key) {
	for _, budgets := range violated {
		for _, b := range budgets {
			if !slices.Contains(out, b.Key()) {
				out = append(out, b.Key())
			}
		}
	}
	return out
}

// chargesPossible reports whether budgets are charged for all possible victims of a node. Otherwise they are
// charged only for the final victims, and do not affect the order.
func chargesPossible(c preemption.Config) bool {
	return c.Victims == nil && c.Variant != outrank.VariantSimplified && c.Budgets != preemption.ChargeVictims
}

// leaveTogether reports whether two pods belong to one group that leaves as a whole.
func (w *walk) leaveTogether(a, b *outrank.Pod) bool {
	group, composite := w.snap.LeavesWith(a)
	if group == nil && composite == nil {
		return false
	}
	otherGroup, otherComposite := w.snap.LeavesWith(b)
	return group == otherGroup && composite == otherComposite
}

// check converts an answer of the node. It adds the resources that are short while the pods in gone are away.
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
