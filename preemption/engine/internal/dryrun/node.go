package dryrun

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// DryRunner is one worker of an attempt: it asks the filters about one node after another, while pods are
// removed and put back. One goroutine uses it at a time.
type DryRunner struct {
	A *Attempt
	// terms, plan and snap are the attempt's.
	terms *Terms
	plan  *filters.Plan
	snap  *state.Snapshot
	// N is the node that was entered last.
	N *state.NodeState

	Resources filters.ResourcesOnNode
	// Filters has this worker's filter for each of the attempt's active filters, in the same order.
	Filters []filters.NodeFilter
	// reusable has the built-in filters of earlier attempts, by index, whose memory is reused.
	reusable [len(filters.BuiltIn)]filters.NodeFilter
	// Nominated has the pods nominated to the node for which the preemptor must leave room (rule 7.16.1).
	Nominated []*state.PodState
	// amountsPass is set while the other filters are asked as if NodeResourcesFit had passed (rule 13.2.15).
	amountsPass bool

	marks
	dryUnits
	// sorted is memory for the possible victims, used if they are not simply the end of the node's own list.
	sorted []*state.PodState
	// chosen is memory of Score: the actual victims.
	chosen []*state.PodState

	Budgets Charger
	// used counts, by budget, the pods that a strict policy has let go.
	used map[int32]int64
	// Broken is memory for SharedNames.Broken.
	Broken []int32

	// sets searches for exact victims. Open lists the nodes on which the search ended at the limit.
	sets setSearch
	Open []OpenNode

	guard guarded
	// Err is the error about the first invalid answer of a caller's rule. It is nil if there was none.
	Err error
}

// marks has what a dry run records about each possible victim, by its index in the list that DryRun returns.
type marks struct {
	// Victim marks the pods that are removed, which in the end are the victims.
	Victim []bool
	// violated is the number of budgets that the loss of the pod violates.
	violated []int
	// spared marks the pods that stay because of their budgets. The search for exact victims uses it as
	// scratch memory.
	spared []bool
	// blocks has the status with which the preemptor fails if the pod is put back.
	blocks []filters.Status
}

// dryUnits has the possible victims as units (rule 12.8.1).
type dryUnits struct {
	// units lists the units in the order of the possible victims. It is empty if each possible victim is a
	// unit by itself.
	units []dryUnit
	// Unstarted is set if a pod in any of the units has no start time.
	Unstarted bool
	// Far is set if pods of other nodes may leave and come back as well.
	Far bool
	// seen has the whole units that findUnits has met on the node, and gathered is memory for their pods.
	seen     map[*state.WholeUnit]bool
	gathered []*state.PodState
}

// NewDryRunner returns a runner for an attempt.
func NewDryRunner(a *Attempt) *DryRunner {
	w := &DryRunner{}
	w.Begin(a)
	return w
}

// Begin prepares a runner for an attempt, in the memory of an earlier one.
func (w *DryRunner) Begin(a *Attempt) {
	w.A, w.terms = a, a.Config
	w.plan, w.snap = &a.Plan, a.Snap
	w.Err, w.Open = nil, w.Open[:0]
	w.sets.forget()
	w.Resources.Asked, w.Resources.Taken = &a.Asked, state.Fill(w.Resources.Taken, len(a.Asked.Needs), state.Total{})
	w.Budgets.begin(a)

	// Each worker removes pods independently, so that each needs its own copy of the guard's state.
	if w.guard.state = nil; a.guard != nil {
		w.guard.state = a.guard.Clone()
	}
	w.beginFilters(a)
}

// beginFilters makes this runner's own filter for each active filter of the plan. The built-in ones reuse the
// memory of earlier attempts.
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

// Release drops all references to the caller's data.
func (w *DryRunner) Release() {
	w.A, w.N = nil, nil
	w.terms, w.plan = nil, nil
	w.snap, w.Err = nil, nil
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

// releaseLists empties the lists of pods and nodes.
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

// Enter moves to a node, with all pods in place.
func (w *DryRunner) Enter(n *state.NodeState) {
	w.N = n
	w.units, w.Far = w.units[:0], false
	w.Resources.Enter(n)
	for _, f := range w.Filters {
		f.Enter(n)
	}
	w.Nominate(n)
}

// Nominate sets Nominated to the nominated pods that count on the node (rule 7.16.1).
func (w *DryRunner) Nominate(n *state.NodeState) {
	w.Nominated = w.Nominated[:0]
	for _, p := range n.Nominated {
		if w.A.leavesRoomFor(p) {
			w.Nominated = append(w.Nominated, p)
		}
	}
}

// leavesRoomFor reports whether the preemptor must leave room for a pod that is nominated to a node.
func (a *Attempt) leavesRoomFor(p *state.PodState) bool {
	return p.Priority() >= a.Asked.Priority && a.Asked.Counts(p)
}

// Change informs the filters of a pod that leaves (by is -1) or comes back (1). The pod may run on another
// node if its unit has a pod on this one.
func (w *DryRunner) Change(p *state.PodState, by int) {
	if w.Far && p.At.Name != w.N.Name {
		w.changeFar(p, by)
		return
	}
	w.changeHere(p, by)
}

// ChangeAll calls Change for each of these pods.
func (w *DryRunner) ChangeAll(pods []*state.PodState, by int) {
	for _, p := range pods {
		w.Change(p, by)
	}
}

// ChangeMarked calls Change for each pod that is marked.
func (w *DryRunner) ChangeMarked(pods []*state.PodState, marked []bool, by int) {
	for i, p := range pods {
		if marked[i] {
			w.Change(p, by)
		}
	}
}

// Beside asks the filters with these pods put back. They are removed before the call and after it.
func (w *DryRunner) Beside(pods []*state.PodState) filters.Status {
	w.ChangeAll(pods, 1)
	s := w.Check()
	w.ChangeAll(pods, -1)
	return s
}

// changeHere is Change for a pod of the node itself.
func (w *DryRunner) changeHere(p *state.PodState, by int) {
	w.Resources.Change(p, by)
	for _, f := range w.Filters {
		f.Change(p, by)
	}
}

// Follow informs the filters of a pod that comes to a node (by is 1) or leaves it (-1) for the rest of the
// attempt. It changes the attempt's counts, so that no other runner may use the attempt. A node must be
// entered anew afterwards.
func (w *DryRunner) Follow(p *state.PodState, n *state.NodeState, by int) {
	for _, f := range w.Filters {
		if f, ok := f.(filters.ClusterFilter); ok {
			f.Follow(p, n, by)
		}
	}
}

// Check asks NodeResourcesFit and the active filters in the present state of the dry run. If pods of at least
// the preemptor's priority are nominated to the node, it asks twice, with them and without (group 7.16;
// RunFilterPluginsWithNominatedPods), or only with them by a variant that asks once (rule 13.3.2). In v1.13 a
// node that is too small even when empty may be unschedulable and no more (rule 13.2.15).
func (w *DryRunner) Check() filters.Status {
	s := w.checkTwice()
	if !w.A.Asked.TriesTooSmall || s.By != filters.ResourcesFilter.Index || s.Code != filters.UnschedulableAndUnresolvable {
		return s
	}

	w.amountsPass = true
	beyond := w.checkTwice()
	w.amountsPass = false
	if beyond.Code == filters.UnschedulableAndUnresolvable {
		return beyond
	}
	s.Code = filters.Unschedulable
	return s
}

// checkTwice is Check without the special case of v1.13.
func (w *DryRunner) checkTwice() filters.Status {
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

// checkWith asks the filters in order, with these nominated pods added, and stops at the first that fails.
func (w *DryRunner) checkWith(nominated []*state.PodState) filters.Status {
	if s := w.ask(0, w.plan.BeforeResources, nominated); s.Code != filters.Success {
		return s
	}
	if s := w.Resources.Check(nominated); s.Code != filters.Success && !w.amountsPass {
		return s
	}
	return w.ask(w.plan.BeforeResources, len(w.Filters), nominated)
}

// ask asks a range of the active filters, by index, and stops at the first that fails.
func (w *DryRunner) ask(from, to int, nominated []*state.PodState) filters.Status {
	for i := from; i < to; i++ {
		if s := w.Filters[i].Check(nominated); s.Code != filters.Success {
			s.By = w.plan.Active[i].Index
			return s
		}
	}
	return filters.Status{}
}

// EnterAfterResources, ChangeAfterResources and CheckAfterResources are Enter, Change and Check for only the
// filters after NodeResourcesFit. The node must not have nominated pods.
func (w *DryRunner) EnterAfterResources(n *state.NodeState) {
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		f.Enter(n)
	}
}

// ChangeAfterResources informs the filters after NodeResourcesFit of a pod; see EnterAfterResources.
func (w *DryRunner) ChangeAfterResources(p *state.PodState, by int) {
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		f.Change(p, by)
	}
}

// CheckWithoutPossible asks the filters after NodeResourcesFit about a node without its possible victims.
// touched says whether any pod of the node can change their answers. The node must not have nominated pods.
func (w *DryRunner) CheckWithoutPossible(n *state.NodeState, touched bool) filters.Status {
	below := !touched || w.A.takesAllBelow(n)
	if below && w.passesBelow(n) {
		return filters.Status{}
	}

	w.EnterAfterResources(n)
	w.N = n // Possible lists the pods of this node

	// If no pod can change an answer, the filters need not hear of removals. Otherwise a filter that can
	// follow the removal of all pods of lower priority at once does so. The possible victims are listed only
	// for a filter that cannot.
	var told []*state.PodState
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

	// The state of a caller's filter goes on to the next node, so that the pods must be put back. The other
	// filters start anew with each node, so that informing them does no harm.
	if w.plan.Follows {
		for _, p := range told {
			w.ChangeAfterResources(p, 1)
		}
	}
	return st
}

// belowFilter is a filter that can follow the removal of all pods below a priority at once.
type belowFilter interface {
	filters.NodeFilter
	// ChangeBelow follows the removal of all pods of the node below a priority. It reports false and does
	// nothing if Change must be called for each of them.
	ChangeBelow(priority int64) bool
	// PassesBelow reports whether the filter certainly passes on a node without its pods below a priority.
	// The node need not be entered.
	PassesBelow(n *state.NodeState, priority int64) bool
}

// passesBelow reports whether all filters after NodeResourcesFit certainly pass on a node without its pods
// below Reach.
func (w *DryRunner) passesBelow(n *state.NodeState) bool {
	for _, f := range w.Filters[w.plan.BeforeResources:] {
		if f, ok := f.(belowFilter); !ok || !f.PassesBelow(n, w.A.Reach) {
			return false
		}
	}
	return true
}

// CheckAfterResources asks the filters after NodeResourcesFit; see EnterAfterResources.
func (w *DryRunner) CheckAfterResources() filters.Status {
	return w.ask(w.plan.BeforeResources, len(w.Filters), nil)
}

// Filter asks all filters whether the node takes the preemptor without preemption.
func (w *DryRunner) Filter(n *state.NodeState) filters.Status {
	if s := w.plan.CheckNode(&w.A.Asked, n); s.Code != filters.Success {
		return s
	}
	w.Enter(n)
	return w.Check()
}

// guarded is one worker's copy of the caller's guard.
type guarded struct {
	// state follows which pods are removed. It is nil without a guard.
	state preemption.GuardState
	let   []*state.PodState // memory of admitted
}

// release drops all references to the caller's data.
func (g *guarded) release() {
	clear(g.let[:cap(g.let)])
	*g = guarded{let: g.let[:0]}
}

// farFilter is a filter whose answer about a node depends on pods of other nodes, and which can follow their
// removal.
type farFilter interface {
	filters.NodeFilter
	// ChangeFar follows a pod that is removed from another node (by is -1) or put back (1).
	ChangeFar(p *state.PodState, on *state.NodeState, by int)
}

// changeFar is Change for a pod of another node: one that leaves together with a pod of this node (rule
// 12.8.2), or one that keeps the preemptor away from this node (rule 23.1).
func (w *DryRunner) changeFar(p *state.PodState, by int) {
	on := w.snap.NodeState(p.At.Name)
	for _, f := range w.Filters {
		if far, ok := f.(farFilter); ok {
			far.ChangeFar(p, on, by)
		}
	}
}

// RestoreVictims puts the victims back, so that the state of the caller's filters is as before the dry run.
// Without such filters it does nothing, because built-in filters start anew with each node.
func (w *DryRunner) RestoreVictims(possible []*state.PodState) {
	if !w.plan.Follows {
		return
	}
	w.ChangeMarked(possible, w.Victim, 1)
}

// RestoreAll is RestoreVictims if all possible victims are removed.
func (w *DryRunner) RestoreAll(possible []*state.PodState) {
	if !w.plan.Follows {
		return
	}
	w.ChangeAll(possible, 1)
}

// markedOf lists the possible victims that w.Victim marks.
func (w *DryRunner) markedOf(possible []*state.PodState) []*state.PodState {
	var out []*state.PodState
	for i, p := range possible {
		if w.Victim[i] {
			out = append(out, p)
		}
	}
	return out
}
