package dryrun

import (
	"iter"
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// NodeLookedAt is a node as somebody sees it who asks and decides nothing, with every pod on it. It is a
// [preemption.NodeView].
type NodeLookedAt struct {
	w *DryRunner
	a *Attempt // that of the runner
	n *state.NodeState
	// entered is set once the runner has entered the node, which the filters that look at no pods do not need.
	entered bool
	// possible are the possible victims, once they were found: who asks whether the pod fits as things
	// are needs none.
	possible []*state.PodState
	found    bool
}

// NewNodeLookedAt looks at no node yet.
func NewNodeLookedAt(a *Attempt) *NodeLookedAt { return &NodeLookedAt{w: NewDryRunner(a), a: a} }

// Turn turns to a node.
func (v *NodeLookedAt) Turn(n *state.NodeState) {
	v.n, v.entered, v.found, v.possible = n, false, false, nil
}

func (v *NodeLookedAt) enter() {
	if !v.entered {
		v.w.Enter(v.n)
		v.entered = true
	}
}

// victims finds the possible victims. None is marked.
func (v *NodeLookedAt) victims() []*state.PodState {
	if !v.found {
		v.enter()
		v.possible, v.found = v.w.Chargeable(), true
		v.w.Victim = state.Fill(v.w.Victim, len(v.possible), false)
	}
	return v.possible
}

// Pod is the pod that looks for a place; see [preemption.NodeView].
func (v *NodeLookedAt) Pod() *outrank.Pod { return v.a.Pod }

// Node is the node; see [preemption.NodeView].
func (v *NodeLookedAt) Node() *outrank.Node { return v.n.Node }

// Possible are the pods that a dry run could take away, the snapshot's own; see [preemption.NodeView].
func (v *NodeLookedAt) Possible() []*outrank.Pod { return state.PodsOf(v.victims()) }

// Short returns how much of a resource the node lacks; see [preemption.NodeView].
func (v *NodeLookedAt) Short(name resource.Name) int64 { return v.a.short(v.n, name) }

// Check asks the filters without these pods and no others; see [preemption.NodeView]. The filters that
// come before the dry run have not been asked yet. A guard says who is possible, and no more.
func (v *NodeLookedAt) Check(pods ...*outrank.Pod) preemption.Status {
	w := v.w
	if s := w.A.first(v.n); s.Code != filters.Success {
		return w.A.Public(s)
	}
	v.enter()
	if len(pods) == 0 {
		return w.A.Public(w.Check())
	}

	possible := v.victims()
	for i := range placesOf(possible, pods) {
		w.Victim[i] = true
	}
	w.ChangeMarked(possible, w.Victim, -1)
	s := w.Check()
	w.ChangeMarked(possible, w.Victim, 1)
	clear(w.Victim)
	return w.A.Public(s)
}

// Violated lists what the loss of pods violates; see [preemption.NodeView].
func (v *NodeLookedAt) Violated(pods ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return v.w.violatedBy(v.n, pods)
}

// first asks the filters that look at no pods of the node. Where the caller had the statuses of the
// nodes, a decision tries a node whatever was said before the first of them.
func (a *Attempt) first(n *state.NodeState) filters.Status {
	if a.Elsewhere {
		return a.Plan.AskNode(&a.Asked, n)
	}
	return a.Plan.CheckNode(&a.Asked, n)
}

// placesOf goes through the places of pods among the possible victims; those that are none are left
// out. Pods in the order of the possible victims are found in one pass.
func placesOf(possible []*state.PodState, pods []*outrank.Pod) iter.Seq[int] {
	return func(yield func(int) bool) {
		next := 0
		for _, p := range pods {
			at := next
			for at < len(possible) && possible[at].Pod != p {
				at++
			}
			if at == len(possible) { // out of order, or another object of the same pod
				if at = -1; p != nil {
					at = indexOfPod(possible, p)
				}
			}
			if at < 0 {
				continue
			}
			if next = at + 1; !yield(at) {
				return
			}
		}
	}
}

// violatedBy returns for each of some running pods the budgets that its loss violates, if all of them
// are lost: they are charged the most important first. It returns nothing for pods that do not run.
func (w *DryRunner) violatedBy(n *state.NodeState, pods []*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	snap := w.snap
	lost, place := make([]*state.PodState, 0, len(pods)), make(map[*state.PodState]int, len(pods))
	for i, pod := range pods {
		if pod == nil {
			continue
		}
		p, known := snap.Known(pod)
		if _, again := place[p]; known && p.Running && !again {
			lost, place[p] = append(lost, p), i
		}
	}
	w.A.SortVictims(n, lost)

	out := make([][]*outrank.PodDisruptionBudget, len(pods))
	for _, p := range lost {
		for _, b := range w.Budgets.Charge(p) {
			i := place[p]
			out[i] = append(out[i], snap.BudgetSet.List[b])
		}
	}
	w.Budgets.Reset()
	return out
}

// short returns how much of a resource the node lacks for the preemptor beside all pods that run there.
func (a *Attempt) short(n *state.NodeState, name resource.Name) int64 {
	if name == resource.Pods {
		return max(0, int64(len(n.Pods))+1-n.MaxPods)
	}
	for i := range a.Asked.Needs {
		d := &a.Asked.Needs[i]
		if d.Name != name {
			continue
		}
		// Neither is negative, so that the difference is an int64.
		free := d.In(&n.Offers) - d.Used(&n.Taken).Saturated()
		if free < 0 && d.Value > math.MaxInt64+free {
			return math.MaxInt64
		}
		return max(0, d.Value-free)
	}
	return 0
}
