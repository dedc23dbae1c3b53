package tenancy

import "time"

// Take says which workloads a workload may preempt, by priority and time.
type Take string

// The values of Take, with the names that Kueue gives them.
const (
	// Nobody allows no victims. Kueue calls it Never.
	Nobody Take = ""
	// Lower allows workloads of lower priority as victims.
	Lower Take = "LowerPriority"
	// LowerOrNewer allows workloads of lower priority, and those of equal priority that began to wait later.
	LowerOrNewer Take = "LowerOrNewerEqualPriority"
	// Anybody allows all workloads as victims.
	Anybody Take = "Any"
)

// takes lists the valid values of Take.
var takes = []Take{Nobody, Lower, LowerOrNewer, Anybody}

// Policy says which workloads the workloads of a queue may preempt. The zero value allows none.
type Policy struct {
	// Within says which workloads of its own queue a workload may preempt.
	Within Take
	// Reclaim says which workloads it may preempt in other queues below the same top that use more than their
	// quota: Nobody, Lower or Anybody.
	Reclaim Take
	// WhileBorrowing allows victims of lower priority in other queues even if the preemptor's queue borrows
	// afterwards (Kueue's borrowWithinCohort). Decisions by shares ignore it.
	WhileBorrowing bool
	// BorrowUpTo is the highest priority of victims that WhileBorrowing allows. Nil means no limit.
	BorrowUpTo *int32
	// Further has the rules of Kueue's PreemptionConfig for the queue. They add candidates if those of the fields
	// above are not enough (group 24.9).
	Further []Selection
}

// clone copies a policy without Further, which is checked and copied separately.
func (p Policy) clone() Policy {
	p.BorrowUpTo, p.Further = copyOf(p.BorrowUpTo), nil
	return p
}

// The names of the rules by which a workload may be preempted. [Taken] says what each means.
const (
	ruleWithin    = "within the queue"
	ruleReclaimed = "reclaimed within the cohort"
	ruleBorrowing = "reclaimed within the cohort while borrowing"
	ruleFairShare = "fair share within the cohort"
	// ruleConfigured is followed by the name of a Selection.
	ruleConfigured = "configured preemption by "
)

// ranked has the priority, including the boost (rule 24.2.5), and the time by which policies compare workloads.
type ranked struct {
	priority int64
	queued   time.Time
}

// least returns the one with the lower priority, and of equal ones the one with the later time. A group is compared by
// the least of its pods (rule 24.5.8).
func (r ranked) least(o ranked) ranked {
	if o.priority < r.priority || o.priority == r.priority && r.queued.Before(o.queued) {
		return o
	}
	return r
}

// allows reports whether the preemptor may preempt the victim (rules 24.2.1 to 24.2.4).
func (t Take) allows(preemptor, victim ranked) bool {
	switch t {
	case Lower:
		return victim.priority < preemptor.priority
	case LowerOrNewer:
		return victim.priority < preemptor.priority || victim.priority == preemptor.priority && preemptor.queued.Before(victim.queued)
	case Anybody:
		return true
	}
	return false
}

// whileBorrowing reports whether the preemptor's queue may borrow in the end although this workload of another queue is
// a victim (rule 24.3.5).
func (p *Policy) whileBorrowing(preemptor, victim ranked) bool {
	return p.WhileBorrowing && victim.priority < preemptor.priority && (p.BorrowUpTo == nil || victim.priority <= int64(*p.BorrowUpTo))
}
