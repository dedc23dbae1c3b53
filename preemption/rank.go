package preemption

import (
	"cmp"
	"math"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Rank is a step in the comparison of candidates. It compares one figure: less is better. A built-in rank
// is known by its name alone; a rank of the caller has a Cost or a Figure.
//
// One rank with a Cost beside the built-in ones does not slow the engine down, because the engine bounds the sum
// of costs. With a Figure or a second Cost the engine evaluates every node.
type Rank struct {
	// Name appears in Plan.DecidedBy and is the key in Score.Own. No two ranks share a name.
	Name string
	// Cost returns what the loss of a victim costs. The figure of the rank is the sum over the victims, up
	// to the largest int64; a cost below 0 counts as 0. Cost depends on the pod alone. It may be called
	// with any pod, any number of times, and by several goroutines at once.
	Cost func(victim *outrank.Pod) int64
	// Figure returns the figure of a whole candidate. Score.Own has the figures of all ranks with a Cost
	// by then, and of the ranks before this one. It is called once for each candidate, on the goroutine of
	// the caller, and neither changes nor keeps the candidate.
	Figure func(c *Candidate) int64
}

// The ranks of kube-scheduler, in its order (rules 11.2 to 11.6). Do not assign to them.
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

// sharedRanks are the default ranks, which must not be written.
var sharedRanks = DefaultRanks()

// Of returns the figure of a score that the rank compares; less is better. For ByStart it is a number of
// nanoseconds within the range of int64, which is less for a later start. A score without a start has the
// lowest int64.
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

// earliness returns the nanoseconds from a start to the beginning of 1970, which are less for a later
// start. Beyond what an int64 holds it returns the nearer end of its range.
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

// compare orders two scores by the rank, the better first. It compares starts as times, because the nanoseconds
// of some starts do not fit an int64.
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

// Score has the figures by which candidates are compared (chapter 11). The lower figure is the better one;
// of Start the later. The zero Score has no victims.
type Score struct {
	// Violations is the number of budget violations: by default the number of victims that violate a
	// budget.
	Violations int
	// TopPriority is the priority of the most important victim.
	TopPriority int32
	// PrioritySum is the sum of the victims' priorities, 2^31 added to each (rule 11.4).
	PrioritySum int64
	// Victims is the number of victims.
	Victims int
	// Start is the earliest start among the victims of the highest priority; zero if none is known.
	Start time.Time
	// Own has the figures of the caller's ranks by their names; nil without such ranks.
	Own map[string]int64
}

// Compare orders the scores of two candidates of one decision by the ranks; nil means [DefaultRanks]
// (pickOneNodeForPreemption). order is negative if a is better. by names the rank that decides, empty if
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

// empty reports whether the score is the zero Score.
func (a *Score) empty() bool {
	return a.Violations == 0 && a.TopPriority == 0 && a.PrioritySum == 0 && a.Victims == 0 && a.Start.IsZero() && len(a.Own) == 0
}
