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

// Workload is a pod, or a number of them, that is admitted to a queue or waits to be.
type Workload struct {
	Name string
	// Queue is the queue's name.
	Queue    string
	Priority int32
	// Boost is added to Priority wherever priorities are compared (rule 24.2.5).
	Boost int32
	// Uses has the amounts that it takes of the quotas.
	Uses resource.List
	// Queued is when it began to wait. By LowerOrNewer the later one is the newer. Admitted is when it
	// got its quota; the one that got it last is taken from first. Zero stands for now.
	Queued, Admitted time.Time
	// Started is when it was allowed to run. The windows of Protection begin then. Zero means that it is not
	// allowed to run yet, and no window spares it.
	Started time.Time
	// Leaving is set where it is being evicted already. It is taken from before all others.
	Leaving bool
	// LocalQueue is the queue of its namespace that it came by, as NAMESPACE/NAME. Class is the
	// name of its priority class. Only the rules of a Selection read these and Labels.
	LocalQueue, Class string
	Labels            map[string]string
}

// Request is a question: what has to leave so that a workload can be admitted?
type Request struct {
	Incoming Workload
	// Admitted lists the workloads of the queues.
	Admitted []Workload
	// Contested are the resources for which room is wanted. Nil means those of which the
	// queue has too little left for the workload.
	Contested []resource.Name
	// Fair has shares decide in place of what is a queue's own. With nil they do not.
	Fair *Fair
	// Protection spares workloads that started a short while before Now.
	Protection Protection
	// Now is the time of the question, and stands for times that are missing.
	Now time.Time
}

// Fair says how shares decide (group 24.4).
type Fair struct {
	// Strategies are tried in this order. They are both, LessThanOrEqualToFinalShare first, or one of them
	// alone; nil means both.
	Strategies []Strategy
	// SharesAlone has shares decide even where the preemptor's queue would have no more than
	// its own.
	SharesAlone bool
}

// Strategy is a comparison of shares.
type Strategy string

// The strategies, by Kueue's names.
const (
	// LessThanOrEqualToFinalShare passes if the preemptor's share with the workload is at most the other's
	// without the victim.
	LessThanOrEqualToFinalShare Strategy = "LessThanOrEqualToFinalShare"
	// LessThanInitialShare passes if it is less than the other's with the victim.
	LessThanInitialShare Strategy = "LessThanInitialShare"
)

// Taken is a victim with the rule that allows it.
type Taken struct {
	Workload
	// Rule says why the workload may be taken from: "within the queue" by priority in the queue
	// itself, "reclaimed within the cohort" where its queue has more than its own and the
	// preemptor's does not, "reclaimed within the cohort while borrowing" where both have, "fair
	// share within the cohort" where its queue has a larger share, and "configured preemption by"
	// with the name of a Selection.
	Rule string
}

// Answer lists the workloads that have to leave.
type Answer struct {
	// Outcome is preemption.Fits where the workload can be admitted as things are, and nothing has to
	// leave, preemption.Preempts where it can be once the victims are gone, and else
	// preemption.NothingHelps.
	Outcome preemption.Outcome
	// Victims leave. A rule took the first one first.
	Victims []Taken
	// RetryAt is set where nothing helps and a window alone spares some workload: it is the end of the first
	// such window (rule 24.8.4). Until then the answer stays the same. It is zero where there is
	// no such window.
	RetryAt time.Time
}

// holder is a workload inside a decision.
type holder struct {
	*Workload
	at    int     // its queue
	uses  []int64 // by resource
	asked []bool  // whether it uses the resource
}

// ranked returns the priority and the time by which it is compared.
func (h *holder) ranked() ranked { return ranked{h.effective(), h.Queued} }

// effective is the priority that counts (rule 24.2.5).
func (h *holder) effective() int64 { return int64(h.Priority) + int64(h.Boost) }

// decision is one question. Its usage changes while workloads are taken.
type decision struct {
	*usage
	req      *Request
	incoming holder
	policy   *Policy // of the incoming workload's queue
	// contested marks the resources for which room is wanted.
	contested []bool
	admitted  []holder
	// retryAt is the first end of a window that alone spares some candidate.
	retryAt time.Time
}

// hold reads a workload, and adds a problem for all that is wrong with it.
func (t *Tree) hold(w *Workload, now time.Time, ps *[]outrank.Problem) holder {
	// The request is not written to, so times that are missing are filled in on a copy.
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

// count counts the amounts of resources that there are quotas of. bad names the first resource that is negative
// or of which there is no quota; negative amounts count as 0.
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

	// There is a resource that nobody has a quota of. The first by name counts, so that maps decide nothing.
	for name := range uses {
		if t.index(name) == none && (bad == "" || name < bad) {
			bad = name
		}
	}
	return amounts, asked, bad
}

// validStrategies reports whether there is a way to decide by these strategies.
func validStrategies(s []Strategy) bool {
	return s == nil || slices.Equal(s, []Strategy{LessThanOrEqualToFinalShare}) || slices.Equal(s, []Strategy{LessThanInitialShare}) ||
		slices.Equal(s, []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare})
}

// before orders candidates by who is taken from first (rule 24.3.3). Those that are leaving come first, then those
// of other queues, then the lowest priority, then the one that was admitted last. Names make it total.
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

// fillBack puts victims back as long as the incoming workload still fits, the last but one first
// (rule 24.3.7). The very last is always needed, since without it the workload did not fit. The last takes the place
// of one that is put back, because Kueue lists the victims in that order.
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
