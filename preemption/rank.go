package preemption

import (
	"cmp"
	"math"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Rank is a step in the comparison of candidates, by one figure of its own: less is better. A
// built-in one is known by its name alone, one of the caller has a Cost or a Figure.
//
// One rank with a Cost may stand beside the built-in ones without slowing the engine down, which
// bounds what victims cost by sums. For a Figure, and for a second Cost, every node is evaluated.
type Rank struct {
	// Name stands in Plan.DecidedBy and is the key in Score.Own. No two ranks share one.
	Name string
	// Cost is what the loss of a victim costs; the figure is the sum, up to the largest int64. Below 0
	// counts as 0. It depends on the pod alone, and is asked about any pods, any number of times;
	// several goroutines may call it at once.
	Cost func(victim *outrank.Pod) int64
	// Figure is the figure of a candidate, whose Score.Own has the figures of the ranks with a Cost and
	// of those before this one. It is called once for each candidate, on the goroutine of the caller,
	// and neither changes nor keeps the candidate.
	Figure func(c *Candidate) int64
}

// The ranks of kube-scheduler, in its order (rules 11.2 to 11.6). They are not to be assigned.
var (
	ByViolations  = Rank{Name: "budget-violations"}
	ByTopPriority = Rank{Name: "top-priority"}
	ByPrioritySum = Rank{Name: "priority-sum"}
	ByVictims     = Rank{Name: "victim-count"}
	ByStart       = Rank{Name: "start-time"}
)

// DefaultRanks returns the five ranks of kube-scheduler. The slice is the caller's.
func DefaultRanks() []Rank {
	return []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims, ByStart}
}

var sharedRanks = DefaultRanks()

// Of returns the figure of a score that the rank compares; less is better. That of ByStart is in
// nanoseconds, as far as an int64 goes: the later the start, the less, and the least without one.
func (r Rank) Of(s Score) int64 {
	switch rank.FigureOf(r.Name) {
	case rank.ViolationsFigure:
		return int64(s.Violations)
	case rank.TopFigure:
		return int64(s.TopPriority)
	case rank.SumFigure:
		return s.PrioritySum
	case rank.VictimsFigure:
		return int64(s.Victims)
	case rank.StartFigure:
		return earliness(s.Start)
	}
	return s.Own[r.Name]
}

// costs reports whether the rank adds up what each victim costs.
func (r Rank) costs() bool {
	rule := rank.Of(r.Name)
	return r.Cost != nil || rule != nil && rule.Cost != nil
}

// earliness is less for a later start: the nanoseconds from it to 1970, or the end of an int64 that
// is nearer.
func earliness(start time.Time) int64 {
	const most = math.MaxInt64 / int64(time.Second)
	switch sec := start.Unix(); {
	case start.IsZero() || sec >= most:
		return math.MinInt64
	case sec <= -most:
		return math.MaxInt64
	default:
		return -start.UnixNano()
	}
}

// compare orders two scores by the rank. Starts are compared in full, whatever an int64 can say.
func (r Rank) compare(a, b *Score) int {
	if rank.FigureOf(r.Name) != rank.StartFigure {
		return cmp.Compare(r.Of(*a), r.Of(*b))
	}
	start, other := rank.InstantOf(a.Start), rank.InstantOf(b.Start)
	switch {
	case other.Before(start):
		return -1
	case start.Before(other):
		return 1
	}
	return 0
}

// Score is what candidates are compared by (chapter 11). Lower is better, but for Start. The zero
// Score is that of nobody.
type Score struct {
	// Violations is the number of PDB violations, by default that of the victims that violate a
	// budget.
	Violations int
	// TopPriority is the priority of the most important victim.
	TopPriority int32
	// PrioritySum is the sum of the victims' priorities, 2^31 added to each (rule 11.4).
	PrioritySum int64
	// Victims is their number.
	Victims int
	// Start is the earliest start among the victims of the top priority; zero where none is known.
	Start time.Time
	// Own has the figures of the caller's ranks by their names; nil without such ranks.
	Own map[string]int64
}

// Compare orders two candidates of one decision by the ranks, nil meaning [DefaultRanks]
// (pickOneNodeForPreemption). It is negative if a is better. by names the rank that decides, empty if
// none does.
func (a Score) Compare(b Score, ranks []Rank) (order int, by string) {
	if ranks == nil {
		ranks = sharedRanks
	}
	for i := range ranks {
		if c := ranks[i].compare(&a, &b); c != 0 {
			return c, ranks[i].Name
		}
	}
	return 0, ""
}

// empty reports whether the score is that of nobody.
func (a *Score) empty() bool {
	return a.Violations == 0 && a.TopPriority == 0 && a.PrioritySum == 0 && a.Victims == 0 && a.Start.IsZero() && len(a.Own) == 0
}
