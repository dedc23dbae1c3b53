package execution

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
)

// execution is the state of one plan while it is executed.
type execution struct {
	*Executor
	// plan is the plan for a pod; for a group it is a plan made up for the group's first pod (see
	// newGroupExecution). decision is the plan that the caller gave.
	plan     *preemption.Plan
	decision preemption.Decision
	// rules are the rules of the plan's release, variant is the plan's variant, and order is the order in which
	// its steps are taken.
	rules   release.Rules
	variant outrank.Variant
	order   Order
	// parallel is the number of victims that are evicted at a time. It is always 1 for a variant.
	parallel int
	// key is the key of the preemptor in Executor.underway, and state is its entry there.
	key   outrank.Key
	state preemptorState
	// group is nil unless the preemptor is a group.
	group *groupPreemptor
	// report is filled in step by step. While several victims are evicted at once, each goroutine writes to its
	// own element of Victims.
	report *Report
	// toEvict are the victims in the report that are to be evicted. few is the array behind it while there
	// are few of them.
	toEvict []*PodReport
	few     [4]*PodReport
	// condition is the condition that the victims get. It is zero for a variant.
	condition outrank.PodCondition
	// preempted is the message of the events about the victims, empty before the first event.
	preempted string
	// clearingFailed says that a nomination could not be cleared, or that its pod was not found.
	clearingFailed bool
}

// groupPreemptor is the group whose plan is being executed.
type groupPreemptor struct {
	// nominations are the pods that are to be nominated, with their nodes.
	nominations []preemption.Assignment
	// members are the reports about those of the pods that still wait, in the same order.
	members []*PodReport
}

// newExecution returns the execution of a plan, with a report in which no victim is evicted yet. A victim that
// is in the plan twice is in the report once.
func newExecution(e *Executor, plan *preemption.Plan) *execution {
	x := &execution{Executor: e, plan: plan, decision: plan, variant: plan.Variant, parallel: e.together, key: plan.Pod.Key()}
	x.rules = release.Of(release.Release(plan.Release))
	x.order = e.wanted.resolve(plan.Release, plan.Variant)
	if x.variant != 0 {
		x.parallel = 1
	}
	x.report = &Report{Result: Interrupted, Order: x.order, Preemptor: plan.Pod, Node: plan.Node, variant: x.variant}

	// toEvict points into victims, which has room for all, so that appending never moves its elements. The
	// variants evict terminating victims, too.
	victims := make([]PodReport, 0, len(plan.Victims))
	x.toEvict = x.few[:0]
	var seen identities
	for i := range plan.Victims {
		pod := plan.Victims[i].Pod
		if !seen.add(identityOf(pod)) {
			continue
		}
		victims = append(victims, PodReport{Pod: pod, Result: Skipped})
		if v := &victims[len(victims)-1]; pod.Terminating() && x.variant == 0 {
			v.Result = AlreadyTerminating
		} else {
			x.toEvict = append(x.toEvict, v)
		}
	}

	x.report.Victims = victims
	x.sortByVariant()
	return x
}

// sortByVariant puts the victims that are to be evicted into the order of the variant: in v1.13 victims that
// violate a budget come first (rule 13.2.12); in the simplified variant the least important victim
// comes first (rule 13.3.13).
func (x *execution) sortByVariant() {
	switch x.variant {
	case outrank.VariantV1_13:
		violating := map[*outrank.Pod]bool{}
		for i := range x.plan.Victims {
			violating[x.plan.Victims[i].Pod] = len(x.plan.Victims[i].Violated) > 0
		}
		slices.SortStableFunc(x.toEvict, func(v, w *PodReport) int {
			switch {
			case violating[v.Pod] == violating[w.Pod]:
				return 0
			case violating[v.Pod]:
				return -1
			}
			return 1
		})
	case outrank.VariantSimplified:
		slices.Reverse(x.toEvict)
	}
}

// identities is a set of pods, by their identities. Few are kept in an array, which needs no allocation; once
// the array is full, all are in a map.
type identities struct {
	few  [8]string
	size int
	many map[string]bool
}

// add adds an identity, and reports whether it is new in the set.
func (ids *identities) add(id string) bool {
	if ids.many == nil {
		few := ids.few[:ids.size]
		switch {
		case slices.Contains(few, id):
			return false
		case len(few) < len(ids.few):
			ids.few[ids.size] = id
			ids.size++
			return true
		}

		ids.many = map[string]bool{}
		for _, id := range few {
			ids.many[id] = true
		}
	}

	there := ids.many[id]
	ids.many[id] = true
	return !there
}

// begin records that the preemptor's plan is being executed. It returns false if another plan of this preemptor
// is being executed, which then activates the preemptor in its end (rule 14.2.9). leaves are the groups whose pods
// are kept out of the queue meanwhile.
func (e *Executor) begin(x *execution, leaves []outrank.Key) bool {
	s := &x.state
	s.leaves = leaves

	// If all victims leave already, the reference does nothing and lets the preemptor in (rule 14.2.6). Kept out,
	// it would miss the end of the last of them while its nomination is written.
	s.lastGone = x.nothingToDo()
	if x.group == nil {
		s.pod = x.plan.Pod
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	for other := e.underway[x.key]; other != nil; other = other.other {
		if s.pod == nil || samePod(other.pod, s.pod) {
			other.refused = true
			return false
		}
	}

	// Another pod with the same name may have a plan under way. This one is chained after it.
	if first := e.underway[x.key]; first != nil {
		s.other, first.other = first.other, s
	} else {
		e.underway[x.key] = s
	}
	for _, leaf := range leaves {
		e.leaves[leaf] = s
	}
	return true
}

// nothingToDo reports whether the asynchronous order has nothing to do because all victims are
// terminating already (rule 14.2.6).
func (x *execution) nothingToDo() bool {
	return x.order == Asynchronous && len(x.toEvict) == 0
}

// endedInMemory reports whether the last victim was rejected while it waited to be bound, and whether that
// activates the preemptor, because no event tells of the victim's end (rule 14.2.8).
func (x *execution) endedInMemory() bool {
	last := len(x.toEvict) - 1
	return x.rules.ActivateAfterMemory && last >= 0 && x.toEvict[last].Result == RejectedWhileWaiting
}
