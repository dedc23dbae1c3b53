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

	taken  []total // by need
	count  int     // pods on the node
	ports  portSet
	spread spreadNode
	inter  interPodNode
	own    []FilterState
	// nominated are the pods nominated to the node that the preemptor must
	// leave room for.
	nominated []*podState

	// What the dry run remembers of each possible victim.
	ledger   *pdb.Ledger
	sorted   []*podState
	violates []bool
	victim   []bool
	blocks   []status
}

func newWorker(a *attempt) *worker {
	w := &worker{
		a:      a,
		taken:  make([]total, len(a.needs)),
		ports:  portSet{wanted: a.ports},
		spread: spreadNode{spread: a.spread},
		inter:  interPodNode{interPod: a.inter},
		ledger: a.snap.budgets.matcher.Ledger(),
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

// dryRun finds the victims on one node (section 7; SelectVictimsOnNode):
//
//  1. take away every pod of lower priority;
//  2. if the preemptor still does not fit, the node is out;
//  3. go through them in order of importance and charge the budgets;
//  4. put back whom the preemptor can do with, those that violate a budget
//     first;
//  5. who is left is a victim.
//
// It returns the possible victims, of which w.victim marks the actual ones,
// and w.violates and w.blocks say why; the status is not Success where the
// node is no candidate. Until leave is called the victims are away.
func (w *worker) dryRun(n *nodeState) ([]*podState, status) {
	w.enter(n)
	possible := n.possible(w.a.priority, w.a.nowAt, &w.sorted)
	if len(possible) == 0 {
		return nil, status{code: UnschedulableAndUnresolvable, by: byNone, text: noVictimsText}
	}
	for _, p := range possible {
		w.remove(p)
	}
	w.victim = fill(w.victim, len(possible), true)
	if s := w.check(); s.code != Success {
		return possible, s
	}
	w.charge(possible)
	w.blocks = fill(w.blocks, len(possible), status{})
	found := w.reprieve(possible, true)
	if w.reprieve(possible, false) || found {
		return possible, status{}
	}
	return possible, status{code: Broken, by: byNone, text: []string{reasonContradicts + " " + n.name}}
}

// leave puts the victims back, so that filters with a memory of their own are
// as before.
func (w *worker) leave(possible []*podState) {
	if len(w.own) == 0 {
		return
	}
	for i, p := range possible {
		if w.victim[i] {
			w.add(p)
		}
	}
}

// charge splits the possible victims into those that violate a budget and
// those that do not (section 4; filterPodsWithPDBViolation).
func (w *worker) charge(possible []*podState) {
	w.violates = fill(w.violates, len(possible), false)
	for i, p := range possible {
		w.violates[i] = len(p.kind.covering) > 0 && len(w.ledger.Charge(p.pod, p.kind.covering)) > 0
	}
	w.ledger.Reset()
}

// reprieve puts back, the most important first, those who violate a budget or
// those who do not, as far as the preemptor still fits. It reports whether any
// had to go again.
func (w *worker) reprieve(possible []*podState, violating bool) (victims bool) {
	for i, p := range possible {
		if w.violates[i] != violating {
			continue
		}
		w.add(p)
		s := w.check()
		if s.code == Success {
			w.victim[i] = false
			continue
		}
		w.remove(p)
		w.blocks[i] = s
		victims = true
	}
	return victims
}

// score is what the dry run that just ended is ranked by (section 9).
func (w *worker) score(possible []*podState) Score {
	var sc Score
	for i, p := range possible {
		if !w.victim[i] {
			continue
		}
		if sc.Victims == 0 {
			sc.TopPriority, sc.Start = p.rank.priority, p.start(w.a.now)
		}
		// By importance the earliest start of the top priority comes first.
		sc.Victims++
		sc.PrioritySum += int64(p.rank.priority) + priorityShift
		if w.violates[i] {
			sc.Violations++
		}
	}
	return sc
}

// candidate makes the result of the dry run that just ended.
func (w *worker) candidate(possible []*podState) Candidate {
	c := Candidate{Node: w.n.name, Score: w.score(possible)}
	c.Victims = make([]Victim, 0, c.Score.Victims)
	for i, p := range possible {
		// The ledger is gone through once more, because the split kept nothing.
		broken := w.ledger.Charge(p.pod, p.kind.covering)
		if !w.victim[i] {
			continue
		}
		v := Victim{Pod: p.pod, Blocks: w.a.public(w.blocks[i])}
		for _, b := range broken {
			v.Violated = append(v.Violated, w.a.snap.budgets.list[b])
		}
		c.Victims = append(c.Victims, v)
	}
	w.ledger.Reset()
	return c
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
