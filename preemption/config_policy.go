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
//	Strict              no                 no                 no
//	IgnoreStart         no                 yes                no
//	EvictUnprioritized  no                 no                 yes
//	FilterOnce          no                 no                 yes
//	Budgets             PerVictim          Uncharged          PerBudget
//	EmptySelectors      no                 no                 yes
//	Ranks               1 2 3 4 5          1 2 3 4            1 2 4 3
//	Grace               the pod's own      the pod's own      0 s
//
// Ranks are those of rules 11.2 to 11.6, counted from 1: violations, top
// priority, sum of priorities, number of victims, start.
type Policy struct {
	// Disabled means that no pod may preempt (disablePreemption of old
	// schedulers).
	Disabled bool
	// Waiting is when a pod has to wait for its earlier preemption.
	Waiting Waiting
	// IgnoreNever lets a pod preempt whatever its preemption policy. Old
	// schedulers know no such policy.
	IgnoreNever bool
	// Victims is how victims are found on a node.
	Victims VictimRule
	// Limit is how many steps the search of [Exact] may take on one node; zero means
	// [DefaultLimit] or [DefaultFilterLimit]. Other rules do not look at it.
	Limit int
	// Strict never violates a budget: a node on which that cannot be avoided is no
	// candidate, and its status says so (rules 13.5.1 to 13.5.4).
	Strict bool
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
	// [DefaultRanks]. The first node wins a tie in all of them.
	Ranks []Rank
	// NominatedInTurn asks the node that the pod is nominated to like any other, and not
	// before all others, as schedulers did before they kept nominations in mind. Where
	// the pod names its nodes, that shows in what is said of them (rule 7.15.9).
	NominatedInTurn bool
	// ClearAlways clears the nominations of lower priority to the chosen node also
	// where every victim is being deleted already, as a scheduler does that carries
	// plans out before its next attempt. Without it, that is the case where the
	// release has the feature gate SchedulerAsyncPreemption switched off (rule
	// 14.2.6).
	ClearAlways bool
	// Grace is the time that victims get to end; nil leaves each its own. The
	// plan carries it.
	Grace *time.Duration
}

// Waiting is a rule for a pod that already has a nomination.
type Waiting uint8

// The rules for a pod that has a nomination.
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

// The ways to find victims.
const (
	// Reprieve: remove all pods of lower priority, then put back those with
	// which the preemptor still fits (rules 9.3 to 9.6).
	Reprieve VictimRule = iota
	// Ascending: remove pods, the least important first, until the preemptor
	// fits (rule 13.3.1). Budgets are charged for the victims alone, in that
	// order (rule 13.3.5).
	Ascending
	// Exact: of all sets of possible victims with which the preemptor fits, the best one
	// by the ranks of the policy (group 13.4). Budgets are charged for the victims alone.
	// [Candidate].Certificate says whether it is the best for certain.
	Exact
)

// BudgetRule is a way to count violations.
type BudgetRule uint8

// The ways to count violations.
const (
	// PerVictim: a victim that violates any budget adds one.
	PerVictim BudgetRule = iota
	// PerBudget: a victim adds one for every budget that it violates.
	PerBudget
	// Uncharged: a victim adds one if a budget that covers it allows no
	// disruption. Nothing is counted down, and budgets that have counted the pod
	// already are no exception.
	Uncharged
	// VictimsAlone counts as PerVictim does, and charges budgets for the actual victims
	// alone, the most important first, so that a victim that could leave by itself
	// without a violation never counts as one (rule 13.5.5). Which pods are victims does
	// not change: the order of putting back is that of PerVictim.
	VictimsAlone
)

// Current is the policy of kube-scheduler v1.36. It is the zero Policy.
func Current() Policy { return Policy{} }

// V1_13 is the policy of the scheduler of Kubernetes v1.13 (group 13.2).
func V1_13() Policy {
	return Policy{
		Waiting: WaitForTerminating, IgnoreNever: true, IgnoreStart: true, Budgets: Uncharged,
		Ranks:       []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims},
		ClearAlways: true, NominatedInTurn: true,
	}
}

// Simplified is a short form of preemption found in tutorials: without
// reprieve, and with victims that end at once (group 13.3).
func Simplified() Policy {
	return Policy{
		Waiting: WaitWhileNominated, Victims: Ascending, EvictUnprioritized: true, FilterOnce: true,
		Budgets: PerBudget, EmptySelectors: true,
		Ranks: []Rank{ByViolations, ByTopPriority, ByVictims, ByPrioritySum},
		Grace: new(time.Duration),
	}
}

// problems returns what is wrong with a policy.
func (p *Policy) problems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: fmt.Sprintf(format, args...)})
	}
	if p.Waiting > WaitWhileNominated {
		add("Policy.Waiting", "there is no rule %d", p.Waiting)
	}
	if p.Victims > Exact {
		add("Policy.Victims", "there is no rule %d", p.Victims)
	}
	if p.Limit < 0 {
		add("Policy.Limit", "%d is negative", p.Limit)
	}
	if p.Budgets > VictimsAlone {
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
