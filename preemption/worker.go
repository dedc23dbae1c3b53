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
	ledger *pdb.Ledger
	sorted []*podState
	broken []int // budgets it violates
	victim []bool
	blocks []status
	chosen []*podState
}

func newWorker(a *attempt) *worker {
	w := &worker{
		a:       a,
		taken:   make([]total, len(a.needs)),
		ports:   portSet{wanted: a.ports},
		volumes: volumeNode{volumes: a.volumes},
		spread:  spreadNode{spread: a.spread},
		inter:   interPodNode{interPod: a.inter},
		ledger:  a.snap.budgets.matcher.Ledger(),
	}
	for _, f := range a.own {
		w.own = append(w.own, f.state.Clone())
	}
	return w
}

// enter begins with a node, as the snapshot has it.
func (w *worker) enter(n *nodeState) {
	w.n, w.count = n, len(n.pods)
	for i := range w.a.needs {
		w.taken[i] = w.a.needs[i].used(&n.taken)
	}
	w.ports.enter(n)
	w.volumes.enter(n)
	w.spread.enter(n)
	w.inter.enter(n)
	w.nominated = w.nominated[:0]
	for _, p := range n.nominated {
		if p.rank.priority >= w.a.priority && p.key != w.a.key {
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
	if s := w.ports.check(nominated); s.code != Success {
		return s
	}
	if s := w.resources(nominated); s.code != Success {
		return s
	}
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
		if p.rank.priority < a.priority && p.key != a.key {
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
