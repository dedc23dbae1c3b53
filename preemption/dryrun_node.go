package preemption

import (
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// dryRunner asks the filters of an attempt about one node after another. Its
// filters follow the pods that are removed and added. One goroutine uses it at
// a time.
type dryRunner struct {
	a *attempt
	n *state.NodeState

	resources filters.ResourcesOnNode
	// filters are the attempt's active filters, in the same order.
	filters  []filters.NodeFilter
	reusable [len(filters.BuiltIn)]filters.NodeFilter // of earlier attempts, by index
	// nominated are the pods nominated to the node that the preemptor has to
	// leave room for.
	nominated []*state.PodState

	// The rest is what the dry run records about each possible victim.
	budgets charger
	sorted  []*state.PodState
	// units are the possible victims as units, empty where each stands for itself;
	// unstarted is set where any of their pods has no start time. seen and gathered
	// are the memory of that.
	units     []dryUnit
	unstarted bool
	// far: pods of other nodes leave and come back, too.
	far      bool
	seen     map[*state.WholeUnit]bool
	gathered []*state.PodState
	violated []int // budgets it violates
	victim   []bool
	spared   []bool // stays because of its budgets
	used     map[int32]int64
	sets     setSearch
	open     []openNode
	blocks   []filters.Status
	chosen   []*state.PodState
	guard    guarded
	// broken is the memory of what the last victim with a name violates.
	broken []int32
	// err is the first answer of the caller's rule that made no sense.
	err error
}

func newDryRunner(a *attempt) *dryRunner {
	w := &dryRunner{}
	w.begin(a)
	return w
}

// begin prepares a runner for an attempt. It reuses the memory of an earlier
// one.
func (w *dryRunner) begin(a *attempt) {
	w.a, w.err, w.open, w.sets.best.n = a, nil, w.open[:0], nil
	w.resources.Question, w.resources.Taken = &a.Question, state.Fill(w.resources.Taken, len(a.Needs), state.Total{})
	w.budgets.begin(a)
	w.filters, w.guard.state = w.filters[:0], nil
	if a.guard != nil {
		w.guard.state = a.guard.Clone()
	}
	for i := range a.Active {
		f := &a.Active[i]
		if f.Index >= filters.FirstOfCaller {
			w.filters = append(w.filters, f.OnNode(nil))
			continue
		}
		w.reusable[f.Index] = f.OnNode(w.reusable[f.Index])
		w.filters = append(w.filters, w.reusable[f.Index])
	}
}

// release drops everything that belongs to the caller.
func (w *dryRunner) release() {
	w.a, w.n, w.err = nil, nil, nil
	w.resources.Release()
	for _, f := range w.filters {
		f.Release()
	}
	clear(w.filters)
	w.filters = w.filters[:0]
	clear(w.nominated)
	clear(w.sorted)
	clear(w.units[:cap(w.units)])
	clear(w.gathered[:cap(w.gathered)])
	clear(w.seen)
	w.units = w.units[:0]
	clear(w.chosen)
	w.guard.release()
	clear(w.open[:cap(w.open)])
	w.sets.release()
}

// enter begins with a node in the state of the snapshot.
func (w *dryRunner) enter(n *state.NodeState) {
	w.n, w.units, w.far = n, w.units[:0], false
	w.resources.Enter(n)
	for _, f := range w.filters {
		f.Enter(n)
	}
	w.nominate(n)
}

// nominate finds the nominated pods that count on the node (rule 7.16.1).
func (w *dryRunner) nominate(n *state.NodeState) {
	w.nominated = w.nominated[:0]
	for _, p := range n.Nominated {
		if p.Priority() >= w.a.Priority && w.a.Heeds(p) {
			w.nominated = append(w.nominated, p)
		}
	}
}

// change follows a pod that leaves (by is -1) or comes back (1).
func (w *dryRunner) change(p *state.PodState, by int) {
	if w.far && p.At.Name != w.n.Name {
		w.changeFar(p, by)
		return
	}
	w.changeHere(p, by)
}

// changeAll changes all of these pods.
func (w *dryRunner) changeAll(pods []*state.PodState, by int) {
	for _, p := range pods {
		w.change(p, by)
	}
}

// changeMarked changes those of the pods that are marked.
func (w *dryRunner) changeMarked(pods []*state.PodState, marked []bool, by int) {
	for i, p := range pods {
		if marked[i] {
			w.change(p, by)
		}
	}
}

// beside asks the filters with pods back that leave together. They are away before and
// afterwards.
func (w *dryRunner) beside(pods []*state.PodState) filters.Status {
	w.changeAll(pods, 1)
	s := w.check()
	w.changeAll(pods, -1)
	return s
}

// changeHere follows a pod of the node itself.
func (w *dryRunner) changeHere(p *state.PodState, by int) {
	w.resources.Change(p, by)
	for _, f := range w.filters {
		f.Change(p, by)
	}
}

// Follow follows a pod that comes to any node (by is 1) or leaves it (-1), in what the
// filters counted in the whole cluster when the attempt began. The next node is entered
// afterwards. The attempt belongs to this runner alone.
func (w *dryRunner) Follow(p *state.PodState, n *state.NodeState, by int) {
	for _, f := range w.filters {
		if f, ok := f.(filters.ClusterFilter); ok {
			f.Follow(p, n, by)
		}
	}
}

// check asks the filters that depend on the pods of the node, twice where pods
// of at least the preemptor's priority are nominated to it: with them and
// without (group 7.16; RunFilterPluginsWithNominatedPods), unless the variant asks
// once.
func (w *dryRunner) check() filters.Status {
	if len(w.nominated) > 0 {
		if s := w.checkWith(w.nominated); s.Code != decision.Success {
			return s
		}
		if w.a.config.variant().filtersOnce {
			return filters.Status{}
		}
	}
	return w.checkWith(nil)
}

// checkWith asks the filters in order and stops at the first that fails.
func (w *dryRunner) checkWith(nominated []*state.PodState) filters.Status {
	if s := w.ask(0, w.a.BeforeResources, nominated); s.Code != decision.Success {
		return s
	}
	if s := w.resources.Check(nominated); s.Code != decision.Success {
		return s
	}
	return w.ask(w.a.BeforeResources, len(w.filters), nominated)
}

// ask asks the active filters with the indexes from from up to to.
func (w *dryRunner) ask(from, to int, nominated []*state.PodState) filters.Status {
	for i := from; i < to; i++ {
		if s := w.filters[i].Check(nominated); s.Code != decision.Success {
			s.By = w.a.Active[i].Index
			return s
		}
	}
	return filters.Status{}
}

// enterAfterResources, changeAfterResources and checkAfterResources are enter,
// change and check for the filters after NodeResourcesFit alone. They are for
// nodes without nominated pods.
func (w *dryRunner) enterAfterResources(n *state.NodeState) {
	for _, f := range w.filters[w.a.BeforeResources:] {
		f.Enter(n)
	}
}

func (w *dryRunner) changeAfterResources(p *state.PodState, by int) {
	for _, f := range w.filters[w.a.BeforeResources:] {
		f.Change(p, by)
	}
}

func (w *dryRunner) checkAfterResources() filters.Status {
	return w.ask(w.a.BeforeResources, len(w.filters), nil)
}

// filter returns whether the node takes the preemptor as things are.
func (w *dryRunner) filter(n *state.NodeState) filters.Status {
	if s := w.a.CheckNode(&w.a.Question, n); s.Code != decision.Success {
		return s
	}
	w.enter(n)
	return w.check()
}
