package tenancy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Workload is one pod or several pods that are admitted to a queue, or wait to be admitted, together.
type Workload struct {
	Name string
	// Queue is the name of the workload's queue.
	Queue    string
	Priority int32
	// Boost is added to Priority wherever priorities are compared (rule 24.2.5).
	Boost int32
	// Uses has the amounts that the workload uses of the quotas.
	Uses resource.List
	// Queued is when the workload began to wait; LowerOrNewer compares it. Admitted is when it got its quota: of
	// equal candidates the one admitted last is preempted first. The zero time means Request.Now.
	Queued, Admitted time.Time
	// Started is when the workload was allowed to run, and where windows of Protection begin. The zero time means
	// that it is not allowed to run yet; no window spares it then.
	Started time.Time
	// Leaving is set if the workload is already being evicted. It is preempted before all others.
	Leaving bool
	// LocalQueue is the local queue that the workload was submitted to, as NAMESPACE/NAME. Class is the name of
	// its priority class. Only the rules of a Selection read these and Labels.
	LocalQueue, Class string
	Labels            map[string]string
}

// Request is a question: which workloads have to leave so that Incoming can be admitted?
type Request struct {
	Incoming Workload
	// Admitted lists the workloads that are admitted to the queues.
	Admitted []Workload
	// Contested lists the resources in which room is needed. Nil means every resource of which the queue has too
	// little quota left for the workload.
	Contested []resource.Name
	// Fair makes shares decide instead of quotas. Nil means that shares are not compared.
	Fair *Fair
	// Protection spares workloads that started a short while before Now.
	Protection Protection
	// Now is the time of the question. It also stands in for missing times of workloads.
	Now time.Time
}

// Fair says how shares decide (group 24.4).
type Fair struct {
	// Strategies are tried in this order. Allowed are both, LessThanOrEqualToFinalShare first, and either one by
	// itself. Nil means both.
	Strategies []Strategy
	// SharesAlone makes shares decide even if the preemptor's queue stays within its quota.
	SharesAlone bool
}

// Strategy is a comparison of shares that allows or rejects a victim.
type Strategy string

// The strategies, by Kueue's names.
const (
	// LessThanOrEqualToFinalShare passes if the share of the preemptor's side, with the preemptor, is at most the
	// share of the victim's side without the victim.
	LessThanOrEqualToFinalShare Strategy = "LessThanOrEqualToFinalShare"
	// LessThanInitialShare passes if the share of the preemptor's side, with the preemptor, is less than the share
	// of the victim's side with the victim.
	LessThanInitialShare Strategy = "LessThanInitialShare"
)

// Taken is a victim with the rule that allows it.
type Taken struct {
	Workload
	// Rule names the rule by which the workload may be preempted. "within the queue": by priority in the
	// preemptor's queue. "reclaimed within the cohort": its queue uses more than its quota, and the preemptor's
	// does not. "reclaimed within the cohort while borrowing": both do. "fair share within the cohort": its queue
	// has the larger share. "configured preemption by" is followed by the name of a Selection.
	Rule string
}

// Answer lists the workloads that have to leave.
type Answer struct {
	// Outcome is preemption.Fits if the workload can be admitted without victims, preemption.Preempts if it can
	// be admitted once the victims are gone, and preemption.NothingHelps otherwise.
	Outcome preemption.Outcome
	// Victims lists the workloads that have to leave, mostly in the order in which the rules chose them
	// (rule 24.3.7 moves the last one forward).
	Victims []Taken
	// RetryAt is when the first window ends that alone spares some workload (rule 24.8.4). Before that time the
	// answer stays the same. It is only set if the outcome is NothingHelps, and zero if there is no such window.
	RetryAt time.Time
}

// holder is a workload in a decision, with its amounts converted to integers.
type holder struct {
	*Workload
	at    int     // its queue, an index in Tree.nodes
	uses  []int64 // by resource, the amounts that it uses
	asked []bool  // by resource, whether it names the resource
}

// ranked returns the priority and the time by which policies compare the workload.
func (h *holder) ranked() ranked { return ranked{h.effective(), h.Queued} }

// effective returns the priority including the boost (rule 24.2.5).
func (h *holder) effective() int64 { return int64(h.Priority) + int64(h.Boost) }

// decision is the state of one question. Its usage changes as victims are chosen and put back.
type decision struct {
	*usage
	req      *Request
	incoming holder
	policy   *Policy // the policy of the incoming workload's queue
	// contested marks the resources in which room is needed.
	contested []bool
	admitted  []holder
	// retryAt is when the first window ends that alone spares some candidate.
	retryAt time.Time
}

// hold converts a workload, and adds a problem for everything that is wrong with it.
func (t *Tree) hold(w *Workload, now time.Time, ps *[]outrank.Problem) holder {
	// The request belongs to the caller, so missing times are filled in on a copy.
	filled := *w
	if filled.Queued.IsZero() {
		filled.Queued = now
	}
	if filled.Admitted.IsZero() {
		filled.Admitted = now
	}

	h := holder{Workload: &filled, at: none}
	if at, ok := t.byName[w.Queue]; ok {
		h.at = at
	} else {
		*ps = append(*ps, outrank.Problem{Object: "workload " + w.Name, Field: "Queue", Text: fmt.Sprintf("there is no queue %q", w.Queue)})
	}
	var unknown resource.Name
	h.uses, h.asked, unknown = t.count(w.Uses)
	if unknown != "" {
		*ps = append(*ps, outrank.Problem{Object: "workload " + w.Name, Field: "Uses." + string(unknown), Text: "it is negative, or no queue has a quota of it"})
	}
	return h
}

// count converts the amounts of all resources that have a quota; negative ones count as 0. asked marks the resources
// that uses names. bad is a resource with a negative amount or without a quota, and empty if there is none.
func (t *Tree) count(uses resource.List) (amounts []int64, asked []bool, bad resource.Name) {
	amounts, asked = make([]int64, len(t.names)), make([]bool, len(t.names))
	counted := 0
	for r, name := range t.names {
		q, there := uses[name]
		if !there {
			continue
		}
		if counted++; q.Sign() < 0 && bad == "" {
			bad = name
		}
		amounts[r] = max(0, t.amount(name, q))
		asked[r] = true
	}
	if counted == len(uses) {
		return amounts, asked, bad
	}

	// Some resource has no quota. The first one by name is reported, so that the order of the map does not matter.
	for name := range uses {
		if t.index(name) == none && (bad == "" || name < bad) {
			bad = name
		}
	}
	return amounts, asked, bad
}

// validStrategies reports whether Fair.Strategies may have this value.
func validStrategies(s []Strategy) bool {
	return s == nil || slices.Equal(s, []Strategy{LessThanOrEqualToFinalShare}) || slices.Equal(s, []Strategy{LessThanInitialShare}) ||
		slices.Equal(s, []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare})
}

// before orders candidates by which one is preempted first (rule 24.3.3): one that is leaving already, one of another
// queue, the lower priority, the later admission. Names make the order total.
func (d *decision) before(a, b *holder) int {
	flag := func(yes bool) int {
		if yes {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(flag(a.Leaving), flag(b.Leaving)),
		cmp.Compare(flag(a.at != d.incoming.at), flag(b.at != d.incoming.at)),
		cmp.Compare(a.effective(), b.effective()),
		b.Admitted.Compare(a.Admitted),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Queue, b.Queue),
	)
}

// usesContested reports whether a workload uses any contested resource.
func (d *decision) usesContested(h *holder) bool {
	for r, yes := range d.contested {
		if yes && h.asked[r] {
			return true
		}
	}
	return false
}

// fillBack puts back every victim without which the incoming workload still fits, from the last but one to the first
// (rule 24.3.7). The last victim is always needed, because the workload did not fit before it was chosen. In the list
// the last victim replaces one that is put back, because Kueue's order of victims comes about like that.
func (d *decision) fillBack(taken []Taken, holders []*holder, fits func() bool) []Taken {
	for i := len(taken) - 2; i >= 0; i-- {
		h := holders[i]
		d.add(h.at, h.uses, 1)
		if !fits() {
			d.add(h.at, h.uses, -1)
			continue
		}
		last := len(taken) - 1
		taken[i] = taken[last]
		taken = taken[:last]
	}
	return taken
}
