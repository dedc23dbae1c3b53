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

// NodeLookedAt is a [preemption.NodeView] of one node for a caller that only asks questions. Between calls
// all pods are on the node.
type NodeLookedAt struct {
	w *DryRunner
	a *Attempt // the runner's attempt
	n *state.NodeState
	// entered is set once the runner has entered the node. The first node filters can be asked before that.
	entered bool
	// possible has the possible victims, and found is set once it does. A caller that asks only whether the
	// pod fits without preemption does not need them.
	possible []*state.PodState
	found    bool
}

// NewNodeLookedAt returns a view without a node. Turn must be called before any other method.
func NewNodeLookedAt(a *Attempt) *NodeLookedAt { return &NodeLookedAt{w: NewDryRunner(a), a: a} }

// Turn moves the view to another node.
func (v *NodeLookedAt) Turn(n *state.NodeState) {
	v.n, v.entered = n, false
	v.possible, v.found = nil, false
}

// enter lets the runner enter the node, if it has not yet.
func (v *NodeLookedAt) enter() {
	if !v.entered {
		v.w.Enter(v.n)
		v.entered = true
	}
}

// victims returns the possible victims, and leaves none of them marked.
func (v *NodeLookedAt) victims() []*state.PodState {
	if !v.found {
		v.enter()
		v.possible, v.found = v.w.Chargeable(), true
		v.w.Victim = state.Fill(v.w.Victim, len(v.possible), false)
	}
	return v.possible
}

// Pod returns the preemptor; see [preemption.NodeView].
func (v *NodeLookedAt) Pod() *outrank.Pod { return v.a.Pod }

// Node returns the object of the node; see [preemption.NodeView].
func (v *NodeLookedAt) Node() *outrank.Node { return v.n.Node }

// Possible lists the pods that a dry run could remove, as the snapshot's own objects; see
// [preemption.NodeView].
func (v *NodeLookedAt) Possible() []*outrank.Pod { return state.PodsOf(v.victims()) }

// Short returns how much of a resource the node lacks; see [preemption.NodeView].
func (v *NodeLookedAt) Short(name resource.Name) int64 { return v.a.short(v.n, name) }

// Check asks the filters about the node without these pods; see [preemption.NodeView]. It starts with the
// first node filters, which no dry run has asked here. It does not ask a guard, because that has already
// decided which pods are possible victims.
func (v *NodeLookedAt) Check(pods ...*outrank.Pod) preemption.Status {
	w := v.w
	if s := w.A.first(v.n); s.Code != filters.Success {
		return w.A.Public(s)
	}
	v.enter()
	if len(pods) == 0 {
		return w.A.Public(w.Check())
	}

	// Here a pod of a unit leaves alone. Only a rule that chooses victims takes whole units.
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

// Violated lists the budgets that the loss of each pod violates; see [preemption.NodeView].
func (v *NodeLookedAt) Violated(pods ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	return v.w.violatedBy(v.n, pods)
}

// first asks the first node filters. If the caller gave the statuses of the nodes, neither a refusal before
// the first node nor an exclusion by names counts (see FilterAll).
func (a *Attempt) first(n *state.NodeState) filters.Status {
	if a.Elsewhere {
		return a.Plan.AskNode(&a.Asked, n)
	}
	return a.Plan.CheckNode(&a.Asked, n)
}

// placesOf iterates over the indexes that pods have among the possible victims. Other pods are skipped. For
// pods in the order of the possible victims it takes a single pass.
func placesOf(possible []*state.PodState, pods []*outrank.Pod) iter.Seq[int] {
	return func(yield func(int) bool) {
		next := 0
		for _, p := range pods {
			at := next
			for at < len(possible) && possible[at].Pod != p {
				at++
			}

			// The pod may be out of order, or be another object of the same pod.
			if at == len(possible) {
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

// violatedBy returns, for each pod, the budgets that its loss violates if all of the pods are lost. Budgets
// are charged for the most important pod first. A pod that does not run, or is listed a second time, violates
// nothing.
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
	budgets := snap.BudgetSet
	for _, p := range lost {
		for _, b := range w.Budgets.Charge(p) {
			i := place[p]
			out[i] = append(out[i], budgets.List[b])
		}
	}
	w.Budgets.Reset()
	return out
}

// short returns how much of a resource the node lacks for the preemptor beside all pods that run there. It
// saturates at the largest int64.
func (a *Attempt) short(n *state.NodeState, name resource.Name) int64 {
	if name == resource.Pods {
		return max(0, int64(len(n.Pods))+1-n.MaxPods)
	}

	for i := range a.Asked.Needs {
		need := &a.Asked.Needs[i]
		if need.Name != name {
			continue
		}
		// Neither operand is negative, so that the difference does not overflow.
		free := need.In(&n.Offers) - need.Used(&n.Taken).Saturated()
		if free < 0 && need.Value > math.MaxInt64+free {
			return math.MaxInt64
		}
		return max(0, need.Value-free)
	}
	return 0
}
