package execution

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// execution is one plan while it is executed.
type execution struct {
	*Executor
	plan *preemption.Plan
	// key names the preemptor among those under way, and state is its state there. group is set
	// if the preemptor is a group.
	key   outrank.Key
	state *preemptorState
	group *groupPreemptor
	// report is filled in step by step. While several victims are evicted at
	// once, each goroutine writes to its own element of Victims.
	report *Report
	// toEvict are the victims in the report that are not terminating already.
	toEvict []*VictimReport
	// clearingFailed says that a nomination could not be cleared as it should.
	clearingFailed bool
}

// groupPreemptor is a group whose plan is carried out.
type groupPreemptor struct {
	nominations []preemption.Assignment
	// members are those that still wait, in the order of the nominations.
	members []*MemberReport
}

// newExecution prepares the report. A victim that is in the plan twice is taken
// once.
func newExecution(e *Executor, plan *preemption.Plan) *execution {
	x := &execution{Executor: e, plan: plan, key: plan.Pod.Key(), report: &Report{Preemptor: plan.Pod, Node: plan.Node}}
	victims, seen := make([]VictimReport, 0, len(plan.Victims)), map[string]bool{}
	for _, v := range plan.Victims {
		id := identityOf(v.Pod)
		if seen[id] {
			continue
		}
		seen[id] = true
		victims = append(victims, VictimReport{Pod: v.Pod})
		if v.Terminating() && e.config.Variant == 0 {
			victims[len(victims)-1].Result = AlreadyTerminating
		} else {
			x.toEvict = append(x.toEvict, &victims[len(victims)-1])
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
	switch x.config.Variant {
	case outrank.VariantV1_13:
		violating := map[*outrank.Pod]bool{}
		for i := range x.plan.Victims {
			violating[x.plan.Victims[i].Pod] = len(x.plan.Victims[i].Violated) > 0
		}
		slices.SortStableFunc(x.toEvict, func(v, w *VictimReport) int {
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

// begin records that the preemptor's plan is being executed. It returns false if
// one is already.
func (e *Executor) begin(x *execution, leaves []outrank.Key) bool {
	s := &preemptorState{leaves: leaves}
	if x.group == nil {
		s.pod = x.plan.Pod
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.ContainsFunc(e.underway[x.key], func(other *preemptorState) bool { return s.pod == nil || samePod(other.pod, s.pod) }) {
		return false
	}
	e.underway[x.key] = append(e.underway[x.key], s)
	for _, leaf := range leaves {
		e.leaves[leaf] = s
	}
	x.state = s
	return true
}

// nothingToDo reports whether all victims leave already, so that there is nothing to
// be done beside the next attempts (rule 14.2.6).
func (x *execution) nothingToDo() bool {
	return x.config.Order == Asynchronous && len(x.toEvict) == 0
}

// endedInMemory reports whether the last victim was rejected while it waited, so that
// nothing is heard of its end (rule 14.2.8).
func (x *execution) endedInMemory() bool {
	last := len(x.toEvict) - 1
	return x.rules.ActivateAfterMemory && last >= 0 && x.toEvict[last].Result == RejectedWhileWaiting
}
