package tenancy

import "time"

// Take says which workloads one may take from, by priority and time.
type Take string

// The rules, with the names that Kueue gives them.
const (
	// Nobody takes from none (Never).
	Nobody Take = ""
	// Lower takes from workloads of lower priority.
	Lower Take = "LowerPriority"
	// LowerOrNewer takes from these, and from those of equal priority that began to wait later.
	LowerOrNewer Take = "LowerOrNewerEqualPriority"
	// Anybody takes from all.
	Anybody Take = "Any"
)

// takes lists them.
var takes = []Take{Nobody, Lower, LowerOrNewer, Anybody}

// Policy says which workloads those of a queue may preempt. The zero value allows none.
type Policy struct {
	// Within says which workloads of its own queue a workload may preempt.
	Within Take
	// Reclaim says which workloads it may preempt in other queues of the cohort that have more
	// than their own: Nobody, Lower or Anybody.
	Reclaim Take
	// WhileBorrowing lets the queue take from workloads of lower priority in other queues even
	// if it has more than its own afterwards (Kueue's borrowWithinCohort). Decisions by shares do not
	// look at it.
	WhileBorrowing bool
	// BorrowUpTo is the highest priority of workloads that WhileBorrowing takes from; nil for no such limit.
	BorrowUpTo *int32
	// Further are the rules of Kueue's PreemptionConfig for the queue. Each lets it preempt where
	// the fields above are not enough (group 24.9).
	Further []Selection
}

// clone copies a policy without its further rules.
func (p Policy) clone() Policy {
	p.BorrowUpTo, p.Further = copyOf(p.BorrowUpTo), nil
	return p
}

// The rules by which a workload may be taken from, as plans name them. [Taken] says what each means.
const (
	ruleWithin    = "within the queue"
	ruleReclaimed = "reclaimed within the cohort"
	ruleBorrowing = "reclaimed within the cohort while borrowing"
	ruleFairShare = "fair share within the cohort"
	// ruleConfigured is followed by the name of a Selection.
	ruleConfigured = "configured preemption by "
)

// ranked has the priority and the time by which workloads are compared.
// The priority includes the boost (rule 24.2.5).
type ranked struct {
	priority int64
	queued   time.Time
}

// least returns the lower of two in rank: that with the lower priority, and of equal ones that with the later time.
// A group of both ranks like that (rule 24.5.8).
func (r ranked) least(o ranked) ranked {
	if o.priority < r.priority || o.priority == r.priority && r.queued.Before(o.queued) {
		return o
	}
	return r
}

// allows reports whether one may take from another (rules 24.2.1 to 24.2.4).
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

// whileBorrowing reports whether the preemptor's queue may borrow in the end though it takes this
// workload of another queue (rule 24.3.5).
func (p *Policy) whileBorrowing(preemptor, victim ranked) bool {
	return p.WhileBorrowing && victim.priority < preemptor.priority && (p.BorrowUpTo == nil || victim.priority <= int64(*p.BorrowUpTo))
}
