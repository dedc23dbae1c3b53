package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// Policy is a variant of how preemption decides. Its zero value is what
// kube-scheduler does today. [Current], [V1_13] and [Simplified] are the variants
// that have a name; they differ in nothing but these fields:
//
//	                    Current            V1_13              Simplified
//	Waiting             WaitForPreempted   WaitForTerminating WaitWhileNominated
//	IgnoreNever         no                 yes                no
//	Victims             Reprieve           Reprieve           Ascending
//	IgnoreStart         no                 yes                no
//	EvictUnprioritized  no                 no                 yes
//	FilterOnce          no                 no                 yes
//	Budgets             PerVictim          Uncharged          PerBudget
//	EmptySelectors      no                 no                 yes
//	Ranks               1 2 3 4 5          1 2 3 4            1 2 4 3
//	Grace               the pod's own      the pod's own      0 s
//
// Ranks are the numbers of section 9: violations, top priority, sum of
// priorities, number of victims, start. What the variants do about a plan stands
// in package execution: its Order NominatedFirst is that of V1_13, and its
// SimplifiedEvents are those of Simplified.
type Policy struct {
	// Disabled lets nobody preempt (disablePreemption of old schedulers).
	Disabled bool
	// Waiting is when a pod has to wait for an earlier preemption of its own.
	Waiting Waiting
	// IgnoreNever lets a pod preempt whatever its preemption policy: there was
	// none yet.
	IgnoreNever bool
	// Victims is how they are found on a node.
	Victims VictimRule
	// IgnoreStart makes pods of one priority equally important, whenever they
	// started. The namespace and then the name settle such ties.
	IgnoreStart bool
	// EvictUnprioritized lets pods without a priority be victims whatever the
	// preemptor's is. They rank as pods of priority 0.
	EvictUnprioritized bool
	// FilterOnce asks the filters a single time, with the nominated pods in
	// place, and not once more without them.
	FilterOnce bool
	// Budgets is how violations of budgets are counted.
	Budgets BudgetRule
	// EmptySelectors lets a budget with an empty selector cover every pod of its
	// namespace, and budgets cover pods without labels. Each pod is then matched
	// with every budget in each dry run.
	EmptySelectors bool
	// Ranks is what candidates are compared by, in this order; nil means
	// [DefaultRanks]. A tie in all of them goes to the first node.
	Ranks []Rank
	// Grace is the time victims are given to end, instead of their own; nil
	// leaves them theirs. The plan passes it on.
	Grace *time.Duration
}

// Waiting is a rule for a pod that has a nomination already.
type Waiting uint8

// The rules.
const (
	// WaitForPreempted: wait while a pod that it may preempt leaves the
	// nominated node because of a preemption, if preemption may help on that
	// node at all (section 6).
	WaitForPreempted Waiting = iota
	// WaitForTerminating: wait while any pod of lower priority leaves the
	// nominated node.
	WaitForTerminating
	// WaitWhileNominated: wait, unless taking pods away cannot help on the
	// nominated node.
	WaitWhileNominated
)

// VictimRule is a way to find the victims on a node.
type VictimRule uint8

// The rules.
const (
	// Reprieve: take all pods of lower priority away, then put back whom the
	// preemptor can do with (section 7).
	Reprieve VictimRule = iota
	// Ascending: take pods away, the least important first, until the
	// preemptor fits. Budgets are charged for the victims alone, in that order.
	Ascending
)

// BudgetRule is a way to count violations.
type BudgetRule uint8

// The rules.
const (
	// PerVictim: a victim that violates any budget adds one.
	PerVictim BudgetRule = iota
	// PerBudget: a victim adds one for every budget it violates.
	PerBudget
	// Uncharged: a victim adds one if a budget that covers it allows no
	// disruption. Nothing is counted down, and budgets that have counted the pod
	// already are no exception.
	Uncharged
)

// Current is what kube-scheduler v1.36 does; it is the zero Policy.
func Current() Policy { return Policy{} }

// V1_13 is the scheduler of Kubernetes v1.13.
func V1_13() Policy {
	return Policy{
		Waiting: WaitForTerminating, IgnoreNever: true, IgnoreStart: true, Budgets: Uncharged,
		Ranks: []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims},
	}
}

// Simplified is a reduced form found in tutorials: no reprieve, and victims
// that are killed at once.
func Simplified() Policy {
	return Policy{
		Waiting: WaitWhileNominated, Victims: Ascending, EvictUnprioritized: true, FilterOnce: true,
		Budgets: PerBudget, EmptySelectors: true,
		Ranks: []Rank{ByViolations, ByTopPriority, ByVictims, ByPrioritySum},
		Grace: new(time.Duration),
	}
}

// problems names what is wrong with a policy.
func (p *Policy) problems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if p.Waiting > WaitWhileNominated {
		add("Policy.Waiting", "there is no rule %d", p.Waiting)
	}
	if p.Victims > Ascending {
		add("Policy.Victims", "there is no rule %d", p.Victims)
	}
	if p.Budgets > Uncharged {
		add("Policy.Budgets", "there is no rule %d", p.Budgets)
	}
	for i, r := range p.Ranks {
		if !r.configurable() {
			add(fmt.Sprintf("Policy.Ranks[%d]", i), "candidates cannot be compared by %v", r)
		}
	}
	if p.Grace != nil && *p.Grace < 0 {
		add("Policy.Grace", "%v is negative", *p.Grace)
	}
	return ps
}
