package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// DryRunner asks the filters of an attempt about one node after another. Its
// filters follow the pods that are removed and added. One goroutine uses it at
// a time.
type DryRunner struct {
	A *Attempt
	// terms, plan and snap are those of the attempt.
	terms *Terms
	plan  *filters.Plan
	snap  *state.Snapshot
	N     *state.NodeState

	Resources filters.ResourcesOnNode
	// Filters are the attempt's active filters, in the same order.
	Filters  []filters.NodeFilter
	reusable [len(filters.BuiltIn)]filters.NodeFilter // of earlier attempts, by index
	// Nominated are the pods nominated to the node that the preemptor has to
	// leave room for.
	Nominated []*state.PodState

	// The rest is what the dry run records about each possible victim.
	Budgets Charger
	sorted  []*state.PodState
	// units are the possible victims as units, empty where each stands for itself;
	// unstarted is set where any of their pods has no start time. seen and gathered
	// are the memory of that.
	units     []dryUnit
	Unstarted bool
	// Far is set if pods of other nodes leave and come back, too.
	Far      bool
	seen     map[*state.WholeUnit]bool
	gathered []*state.PodState
	violated []int // budgets it violates
	Victim   []bool
	spared   []bool // stays because of its budgets
	used     map[int32]int64
	sets     setSearch
	Open     []OpenNode
	blocks   []filters.Status
	chosen   []*state.PodState
	guard    guarded
	// Broken is the memory of what the last victim with a name violates.
	Broken []int32
	// Err is the first answer of the caller's rule that made no sense.
	Err error
}

// NewDryRunner returns a worker of an attempt.
func NewDryRunner(a *Attempt) *DryRunner {
	w := &DryRunner{}
	w.Begin(a)
	return w
}

// Begin prepares a runner for an attempt. It reuses the memory of an earlier
// one.
func (w *DryRunner) Begin(a *Attempt) {
	w.terms, w.plan, w.snap = a.Config, &a.Plan, a.Snap
	w.A, w.Err, w.Open, w.sets.best.n = a, nil, w.Open[:0], nil
	w.Resources.Asked, w.Resources.Taken = &a.Asked, state.Fill(w.Resources.Taken, len(a.Asked.Needs), state.Total{})
	w.Budgets.begin(a)
	if w.guard.state = nil; a.guard != nil {
		w.guard.state = a.guard.Clone()
	}
	w.beginFilters(a)
}

// beginFilters has a filter of its own for each that has something to say, in the memory of earlier ones.
func (w *DryRunner) beginFilters(a *Attempt) {
	w.Filters = w.Filters[:0]
	for i := range a.Plan.Active {
		f := &a.Plan.Active[i]
		if f.Index >= filters.FirstOfCaller {
			w.Filters = append(w.Filters, f.OnNode(nil))
			continue
		}
		w.reusable[f.Index] = f.OnNode(w.reusable[f.Index])
		w.Filters = append(w.Filters, w.reusable[f.Index])
	}
}

// Release drops everything that belongs to the caller.
func (w *DryRunner) Release() {
	w.A, w.N, w.Err = nil, nil, nil
	w.terms, w.plan, w.snap = nil, nil, nil
	w.Resources.Release()
	for _, f := range w.Filters {
		f.Release()
	}
	clear(w.Filters)
	w.Filters = w.Filters[:0]
	w.guard.release()
	w.sets.release()
	w.releaseLists()
}

// releaseLists drops the pods that are listed.
func (w *DryRunner) releaseLists() {
	clear(w.Nominated)
	clear(w.sorted)
	clear(w.units[:cap(w.units)])
	w.units = w.units[:0]
	clear(w.gathered[:cap(w.gathered)])
	clear(w.seen)
	clear(w.chosen)
	clear(w.Open[:cap(w.Open)])
}

// Enter begins with a node in the state of the snapshot.
func (w *DryRunner) Enter(n *state.NodeState) {
	w.N, w.units, w.Far = n, w.units[:0], false
	w.Resources.Enter(n)
	for _, f := range w.Filters {
		f.Enter(n)
	}
	w.Nominate(n)
}

// Nominate finds the nominated pods that count on the node (rule 7.16.1).
func (w *DryRunner) Nominate(n *state.NodeState) {
	w.Nominated = w.Nominated[:0]
	for _, p := range n.Nominated {
		if w.A.leavesRoomFor(p) {
			w.Nominated = append(w.Nominated, p)
		}
	}
}

// leavesRoomFor reports whether a pod that is nominated to a node counts there.
func (a *Attempt) leavesRoomFor(p *state.PodState) bool {
	return p.Priority() >= a.Asked.Priority && a.Asked.Counts(p)
}

// Change follows a pod that leaves (by is -1) or comes back (1).
func (w *DryRunner) Change(p *state.PodState, by int) {
	if w.Far && p.At.Name != w.N.Name {
		w.changeFar(p, by)
		return
	}
	w.changeHere(p, by)
}

// ChangeAll changes all of these pods.
func (w *DryRunner) ChangeAll(pods []*state.PodState, by int) {
	for _, p := range pods {
		w.Change(p, by)
	}
}

// ChangeMarked changes those of the pods that are marked.
func (w *DryRunner) ChangeMarked(pods []*state.PodState, marked []bool, by int) {
	for i, p := range pods {
		if marked[i] {
			w.Change(p, by)
		}
	}
}

// Beside asks the filters with pods back that leave together. They are away before and
// afterwards.
func (w *DryRunner) Beside(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, 1)
	s := w.Check()
	w.ChangeAll(pods, -1)
	return s
}

// changeHere follows a pod of the node itself.
func (w *DryRunner) changeHere(p *state.PodState, by int) {
	w.Resources.Change(p, by)
	for _, f := range w.Filters {
		f.Change(p, by)
	}
}

// Follow follows a pod that comes to any node (by is 1) or leaves it (-1), in what the
// filters counted in the whole cluster when the attempt began. The next node is entered
// afterwards. The attempt belongs to this runner alone.
func (w *DryRunner) Follow(p *state.PodState, n *state.NodeState, by int) {
	for _, f := range w.Filters {
		if f, ok := f.(filters.ClusterFilter); ok {
			f.Follow(p, n, by)
		}
	}
}

// Check asks the filters that depend on the pods of the node, twice where pods
// of at least the preemptor's priority are nominated to it: with them and
// without (group 7.16; RunFilterPluginsWithNominatedPods), unless the variant asks
// once.
func (w *DryRunner) Check() filters.Status {
	if len(w.Nominated) > 0 {
		if s := w.checkWith(w.Nominated); s.Code != filters.Success {
			return s
		}
		if w.terms.ByVariant().FiltersOnce {
			return filters.Status{}
		}
	}
	return w.checkWith(nil)
}

// checkWith asks the filters in order and stops at the first that fails.
func (w *DryRunner) checkWith(nominated []*state.PodState) filters.Status {
	if s := w.ask(0, w.plan.BeforeResources, nominated); s.Code != filters.Success {
		return s
	}
	if s := w.Resources.Check(nominated); s.Code != filters.Success {
		return s
	}
	return w.ask(w.plan.BeforeResources, len(w.Filters), nominated)
}

// ask asks the active filters with the indexes from from up to to.
func (w *DryRunner) ask(from, to int, nominated []*state.PodState) filters.Status {
	for i := from; i < to; i++ {
		if s := w.Filters[i].Check(nominated); s.Code != filters.Success {
			s.By = w.plan.Active[i].Index
			return s
		}
	}
	return filters.Status{}
}

// EnterAfterResources, ChangeAfterResources and CheckAfterResources are enter,
// change and check for the filters after NodeResourcesFit alone. They are for
// nodes without nominated pods.
func (w *DryRunner) EnterAfterResources(n *state.NodeState) {
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		f.Enter(n)
	}
}

// ChangeAfterResources tells the filters behind NodeResourcesFit of a pod.
func (w *DryRunner) ChangeAfterResources(p *state.PodState, by int) {
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		f.Change(p, by)
	}
}

// CheckWithoutPossible asks the filters behind NodeResourcesFit about a node without its possible
// victims, which matter only where the node is touched. They are back for a filter that has to
// be right for the next node. It is for nodes without nominated pods.
func (w *DryRunner) CheckWithoutPossible(n *state.NodeState, touched bool) filters.Status {
	below := !touched || w.A.takesAllBelow(n)
	if below && w.passesBelow(n) {
		return filters.Status{}
	}
	w.EnterAfterResources(n)
	w.N = n
	var told []*state.PodState // one by one
	listed := !touched
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		if f, ok := f.(belowFilter); ok && below && f.ChangeBelow(w.A.Reach) {
			continue
		}
		if !listed {
			told, listed = w.Possible(), true
		}
		for _, p := range told {
			f.Change(p, -1)
		}
	}
	st := w.CheckAfterResources()
	if w.plan.Follows {
		for _, p := range told {
			w.ChangeAfterResources(p, 1)
		}
	}
	return st
}

// belowFilter is a filter that can do without a look at each pod which the dry run removes.
type belowFilter interface {
	filters.NodeFilter
	// ChangeBelow follows the removal of all pods of the node below a priority. It does
	// nothing and reports false where it has to be told of them one by one.
	ChangeBelow(priority int64) bool
	// PassesBelow reports whether the filter is known to pass on a node, which need not be
	// entered, without its pods below a priority.
	PassesBelow(n *state.NodeState, priority int64) bool
}

// passesBelow reports whether all filters behind NodeResourcesFit are known to pass on a node
// without its pods of lower priority.
func (w *DryRunner) passesBelow(n *state.NodeState) bool {
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		if f, ok := f.(belowFilter); !ok || !f.PassesBelow(n, w.A.Reach) {
			return false
		}
	}
	return true
}

// CheckAfterResources asks the filters behind NodeResourcesFit.
func (w *DryRunner) CheckAfterResources() filters.Status {
	return w.ask(w.plan.BeforeResources, len(w.Filters), nil)
}

// Filter returns whether the node takes the preemptor as things are.
func (w *DryRunner) Filter(n *state.NodeState) filters.Status {
	if s := w.plan.CheckNode(&w.A.Asked, n); s.Code != filters.Success {
		return s
	}
	w.Enter(n)
	return w.Check()
}

// guarded is what a dry run of the node at hand asks the guard, and what became of it.
type guarded struct {
	// state follows who is away; nil without a guard.
	state preemption.GuardState
	// refusal is what it said when it first kept a pod; Success if it kept none.
	refusal filters.Status
	let     []*state.PodState // memory of admitted
}

// release drops everything that belongs to the caller.
func (g *guarded) release() {
	clear(g.let[:cap(g.let)])
	*g = guarded{let: g.let[:0]}
}

// farFilter is a filter that follows pods on other nodes than the one that it is asked
// about.
type farFilter interface {
	filters.NodeFilter
	// ChangeFar follows a pod that is taken away from another node, or put back.
	ChangeFar(p *state.PodState, on *state.NodeState, by int)
}

// ChangeFar is change for a pod on another node, which leaves with one of the node, or keeps
// the preemptor away from afar (rules 12.8.2 and 23.6).
func (w *DryRunner) changeFar(p *state.PodState, by int) {
	on := w.snap.NodeState(p.At.Name)
	for _, f := range w.Filters {
		if far, ok := f.(farFilter); ok {
			far.ChangeFar(p, on, by)
		}
	}
}

// RestoreVictims adds the victims again, so that the state of the caller's
// filters is as before the dry run. The built-in filters start anew with each
// node.
func (w *DryRunner) RestoreVictims(possible []*state.PodState) {
	if !w.plan.Follows {
		return
	}
	w.ChangeMarked(possible, w.Victim, 1)
}

// RestoreAll adds pods again that were all removed, for the caller's filters.
func (w *DryRunner) RestoreAll(possible []*state.PodState) {
	if !w.plan.Follows {
		return
	}
	w.ChangeAll(possible, 1)
}

// markedOf lists those of the possible victims that are marked.
func (w *DryRunner) markedOf(possible []*state.PodState) []*state.PodState {
	var out []*state.PodState
	for i, p := range possible {
		if w.Victim[i] {
			out = append(out, p)
		}
	}
	return out
}
