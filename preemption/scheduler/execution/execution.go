package execution

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
)

// execution is one plan while it is executed.
type execution struct {
	*Executor
	// plan is that of a pod, or stands for that of a group; decision is the one that was given.
	plan     *preemption.Plan
	decision preemption.Decision
	// rules, variant and order are those of the plan, parallel is how many victims are evicted at a
	// time: by a variant one.
	rules    release.Rules
	variant  outrank.Variant
	order    Order
	parallel int
	// key names the preemptor among those under way, and state is its state there. group is set
	// if the preemptor is a group.
	key   outrank.Key
	state preemptorState
	group *groupPreemptor
	// report is filled in step by step. While several victims are evicted at
	// once, each goroutine writes to its own element of Victims.
	report *Report
	// toEvict are the victims in the report that are not terminating already, in few where
	// these are enough.
	toEvict []*PodReport
	few     [4]*PodReport
	// condition is what the victims get, zero by a variant; preempted is the message of the
	// events about them, empty before the first.
	condition outrank.PodCondition
	preempted string
	// clearingFailed says that a nomination could not be cleared as it should.
	clearingFailed bool
}

// groupPreemptor is a group whose plan is carried out.
type groupPreemptor struct {
	nominations []preemption.Assignment
	// members are those that still wait, in the order of the nominations.
	members []*PodReport
}

// newExecution prepares the report. A victim that is in the plan twice is taken
// once.
func newExecution(e *Executor, plan *preemption.Plan) *execution {
	x := &execution{Executor: e, plan: plan, decision: plan, variant: plan.Variant, parallel: e.together, key: plan.Pod.Key()}
	x.rules, x.order = release.Of(release.Release(plan.Release)), e.wanted.of(plan.Release, plan.Variant)
	if x.variant != 0 {
		x.parallel = 1
	}
	x.report = &Report{Result: Interrupted, Order: x.order, Preemptor: plan.Pod, Node: plan.Node, variant: x.variant}

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

// sortByVariant puts the victims that are to be evicted into the order of the variant:
// in v1.13 those that violate a budget come first (rule 13.2.12), and without reprieve the
// least important one does (rule 13.3.13).
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

// identities is a set of pods. A few are looked through, and more are in a map.
type identities struct {
	few  [8]string
	size int
	many map[string]bool
}

// add adds a pod, and reports whether it was not there.
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

// begin records that the preemptor's plan is being executed. It returns false if
// one is already.
func (e *Executor) begin(x *execution, leaves []outrank.Key) bool {
	s := &x.state
	if s.leaves = leaves; x.group == nil {
		s.pod = x.plan.Pod
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isUnderway(x.key, func(other *preemptorState) bool { return s.pod == nil || samePod(other.pod, s.pod) }) {
		return false
	}
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

// nothingToDo reports whether all victims leave already, so that there is nothing to
// be done beside the next attempts (rule 14.2.6).
func (x *execution) nothingToDo() bool {
	return x.order == Asynchronous && len(x.toEvict) == 0
}

// endedInMemory reports whether the last victim was rejected while it waited, so that
// nothing is heard of its end (rule 14.2.8).
func (x *execution) endedInMemory() bool {
	last := len(x.toEvict) - 1
	return x.rules.ActivateAfterMemory && last >= 0 && x.toEvict[last].Result == RejectedWhileWaiting
}
