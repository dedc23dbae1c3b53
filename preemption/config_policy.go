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
//	                  Current            V1_13              Simplified
//	Waiting           WaitForPreempted   WaitForTerminating WaitWhileNominated
//	IgnoreNever       no                 yes                no
//	Victims           Reprieve           Reprieve           Ascending
//	Budgets           PerVictim          PerVictim          PerBudget
//	Ranks             1 2 3 4 5          1 2 3 4            1 2 4 3
//	Grace             the pod's own      the pod's own      0 s
//
// Ranks are those of rules 11.2 to 11.6, counted from 1: violations, top
// priority, sum of priorities, number of victims, start.
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
	// Budgets is how violations of budgets are counted.
	Budgets BudgetRule
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
	// node at all (rule 8.3).
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
	// preemptor can do with (rules 9.3 to 9.6).
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
)

// Current is what kube-scheduler v1.36 does; it is the zero Policy.
func Current() Policy { return Policy{} }

// V1_13 is the scheduler of Kubernetes v1.13.
func V1_13() Policy {
	return Policy{
		Waiting: WaitForTerminating, IgnoreNever: true,
		Ranks: []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims},
	}
}

// Simplified is a reduced form found in tutorials: no reprieve, and victims
// that are killed at once.
func Simplified() Policy {
	return Policy{
		Waiting: WaitWhileNominated, Victims: Ascending, Budgets: PerBudget,
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
	if p.Budgets > PerBudget {
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
