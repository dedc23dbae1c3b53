package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// worker looks at one node after the other on behalf of an attempt. What it
// knows of the node at hand follows the pods that are taken away and put back.
type worker struct {
	a *attempt
	n *nodeState

	taken   []total // by need
	count   int     // pods on the node
	ports   portSet
	volumes volumeNode
	spread  spreadNode
	inter   interPodNode
	own     []FilterState
	// nominated are the pods nominated to the node that the preemptor must
	// leave room for.
	nominated []*podState

	// What the dry run remembers of each possible victim.
	ledger   *pdb.Ledger
	ledgerOf *budgetSet
	sorted   []*podState
	broken   []int // budgets it violates
	victim   []bool
	blocks   []status
	chosen   []*podState
}

func newWorker(a *attempt) *worker {
	w := &worker{}
	w.begin(a)
	return w
}

// begin prepares a worker for an attempt; one that worked before is used again
// for its memory.
func (w *worker) begin(a *attempt) {
	w.a = a
	w.taken = fill(w.taken, len(a.needs), total{})
	w.ports.wanted, w.volumes.volumes, w.spread.spread, w.inter.interPod = a.ports, a.volumes, a.spread, a.inter
	if w.ledgerOf != a.snap.budgets {
		w.ledgerOf, w.ledger = a.snap.budgets, a.snap.budgets.matcher.Ledger()
	}
	w.own = w.own[:0]
	for _, f := range a.own {
		w.own = append(w.own, f.state.Clone())
	}
}

// end lets go of all that is the caller's.
func (w *worker) end() {
	w.a, w.n = nil, nil
	w.ports, w.volumes, w.spread.spread, w.inter.interPod = portSet{}, volumeNode{}, nil, nil
	clear(w.own)
	clear(w.nominated)
	clear(w.sorted)
	clear(w.chosen)
}

// enter begins with a node, as the snapshot has it.
func (w *worker) enter(n *nodeState) {
	w.n, w.count = n, len(n.pods)
	for i := range w.a.needs {
		w.taken[i] = w.a.needs[i].used(&n.taken)
	}
	w.ports.enter(n)
	w.enterRest(n)
	w.nominate(n)
}

// enterRest begins with a node for the filters after NodeResourcesFit alone.
func (w *worker) enterRest(n *nodeState) {
	w.volumes.enter(n)
	w.spread.enter(n)
	w.inter.enter(n)
}

// removeFromRest takes a pod away for the filters of enterRest, but for the
// caller's own.
func (w *worker) removeFromRest(p *podState) {
	w.volumes.change(p, -1)
	w.spread.change(p, -1)
	w.inter.change(p, -1)
}

// nominate finds the nominated pods that count on the node.
func (w *worker) nominate(n *nodeState) {
	w.nominated = w.nominated[:0]
	for _, p := range n.nominated {
		if p.priority() >= w.a.priority && !sameName(p.pod, w.a.pod) {
			w.nominated = append(w.nominated, p)
		}
	}
}

// remove takes a pod of the node away.
func (w *worker) remove(p *podState) {
	w.count--
	for i := range w.a.needs {
		w.taken[i].sub(w.a.needs[i].in(&p.takes))
	}
	if w.a.resourcesAlone {
		return
	}
	w.ports.remove(p)
	w.volumes.change(p, -1)
	w.spread.change(p, -1)
	w.inter.change(p, -1)
	for _, f := range w.own {
		f.Remove(p.pod, w.n.node)
	}
}

// add puts a pod that was taken away back.
func (w *worker) add(p *podState) {
	w.count++
	for i := range w.a.needs {
		w.taken[i].add(w.a.needs[i].in(&p.takes))
	}
	if w.a.resourcesAlone {
		return
	}
	w.ports.add(p)
	w.volumes.change(p, 1)
	w.spread.change(p, 1)
	w.inter.change(p, 1)
	for _, f := range w.own {
		f.Add(p.pod, w.n.node)
	}
}

// check asks the filters that depend on the pods of the node, twice where pods
// of at least the preemptor's priority are nominated to it: with them and
// without (section 5; RunFilterPluginsWithNominatedPods).
func (w *worker) check() status {
	if len(w.nominated) > 0 {
		if s := w.checkWith(w.nominated); s.code != Success {
			return s
		}
	}
	return w.checkWith(nil)
}

// checkWith asks the filters in their order and stops at the first that fails.
func (w *worker) checkWith(nominated []*podState) status {
	if w.a.resourcesAlone {
		return w.resources(nominated)
	}
	if s := w.ports.check(nominated); s.code != Success {
		return s
	}
	if s := w.resources(nominated); s.code != Success {
		return s
	}
	return w.afterResources(nominated)
}

// afterResources asks the filters that come after NodeResourcesFit.
func (w *worker) afterResources(nominated []*podState) status {
	if w.a.volumes != nil {
		if s := w.volumes.check(nominated); s.code != Success {
			return s
		}
	}
	if s := w.spread.check(nominated); s.code != Success {
		return s
	}
	if s := w.inter.check(nominated); s.code != Success {
		return s
	}
	for i := range w.own {
		if s := w.checkOwn(i, nominated); s.code != Success {
			return s
		}
	}
	return status{}
}

// checkOwn asks one of the caller's filters; nominated pods are added to a
// copy.
func (w *worker) checkOwn(i int, nominated []*podState) status {
	f := w.own[i]
	if len(nominated) > 0 {
		f = f.Clone()
		for _, p := range nominated {
			f.Add(p.pod, w.n.node)
		}
	}
	s := f.Check(w.n.node)
	return status{code: min(s.Code, UnschedulableAndUnresolvable), by: w.a.own[i].place, text: s.Reasons}
}

// filter says how the node takes the preemptor as things are.
func (w *worker) filter(n *nodeState) status {
	if s := w.a.nodeOnly(n); s.code != Success {
		return s
	}
	w.enter(n)
	return w.check()
}

// clearedNominations are the pods of lower priority nominated to the node,
// other than the preemptor itself (section 10).
func (a *attempt) clearedNominations(n *nodeState) []*outrank.Pod {
	var out []*outrank.Pod
	for _, p := range n.nominated {
		if p.priority() < a.priority && !sameName(p.pod, a.pod) {
			out = append(out, p.pod)
		}
	}
	return out
}

// fill gives a slice of n times v, in old's memory where it is large enough.
func fill[T any](old []T, n int, v T) []T {
	s := slices.Grow(old[:0], n)[:n]
	for i := range s {
		s[i] = v
	}
	return s
}
