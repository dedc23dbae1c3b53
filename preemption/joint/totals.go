package joint

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// totals adds up the figures of victims, and says which of two totals is better (group 25.2).
type totals struct {
	ranks   []preemption.Rank
	cost    func(*outrank.Pod) int64
	moves   *LossCosts // nil where nothing is asked about replacements
	now     time.Time
	release outrank.Release
	budgets *pdb.Budgets
	facts   map[*outrank.Pod]facts
	// several is set once a pod was met that more than one budget covers: a further
	// victim can then make another one no violation (rule 6.3.8), so that the violations
	// of some victims are no bound for those of more.
	several bool
}

// facts are the figures of a victim that a total is made of.
type facts struct {
	priority int32
	covered  bool
	start    time.Time
	// cost is at least what the victim costs; own is the part of it that Config.Cost says, where moves
	// are asked about.
	cost, own int64
}

func newTotals(snap *engine.Snapshot, config *preemption.Config, now time.Time) *totals {
	return &totals{
		ranks: ranksOf(config), cost: config.Cost, now: now, release: snap.Release(),
		budgets: pdb.New(slices.Collect(snap.Budgets())), facts: map[*outrank.Pod]facts{},
	}
}

// ranksOf returns what candidates are compared by, which an evaluator leaves nil for the default.
func ranksOf(config *preemption.Config) []preemption.Rank {
	if config.Ranks == nil {
		return preemption.DefaultRanks()
	}
	return config.Ranks
}

// move has losses cost something, and the ranks compare that (rule 25.6.3).
func (b *totals) move(costs *LossCosts) {
	b.moves = costs
	if costs == nil || slices.Contains(b.ranks, preemption.ByCost) {
		return
	}
	at := 0
	if len(b.ranks) > 0 && b.ranks[0] == preemption.ByViolations {
		at = 1
	}
	b.ranks = slices.Insert(slices.Clone(b.ranks), at, preemption.ByCost)
}

func (b *totals) of(pod *outrank.Pod) facts {
	f, ok := b.facts[pod]
	if ok {
		return f
	}
	f = facts{priority: pod.PriorityValue(), start: pod.StartTime}
	if f.start.IsZero() {
		f.start = b.now
	}
	if b.cost != nil {
		f.cost = max(0, b.cost(pod))
	}
	if b.moves != nil {
		f.own, f.cost = f.cost, resource.AddSat(f.cost, mildest(*b.moves, pod))
	}
	if b.budgets.Len() > 0 {
		n := len(b.budgets.Covering(pod))
		f.covered = n > 0
		b.several = b.several || n > 1
	}
	b.facts[pod] = f
	return f
}

// total returns what victims come to together. The top priority of no victims is the
// lowest that there is.
func (b *totals) total(victims []*outrank.Pod) preemption.Score {
	s := preemption.Score{TopPriority: math.MinInt32}
	var covered []*outrank.Pod
	for _, v := range victims {
		f := b.of(v)
		s.Add(f.priority, f.start, f.cost)
		if f.covered {
			covered = append(covered, v)
		}
	}
	if len(covered) > 0 {
		b.sort(covered)
		violating, _ := b.budgets.Split(b.release, covered)
		s.Violations = len(violating)
	}
	return s
}

// settle adds what becomes of victims to what they come to (rule 25.6.3).
func (b *totals) settle(total preemption.Score, s *settled) preemption.Score {
	total.Cost = 0
	for i, v := range s.victims {
		total.Cost = resource.AddSat(total.Cost, resource.AddSat(b.of(v).own, b.moves.Of(s.fates[i].loss)))
	}
	return total
}

// sort puts the most important victims first (rule 25.2.2).
func (b *totals) sort(victims []*outrank.Pod) {
	slices.SortFunc(victims, func(v, w *outrank.Pod) int {
		if c := cmp.Compare(b.of(w).priority, b.of(v).priority); c != 0 {
			return c
		}
		return priority.Compare(v, w, b.now)
	})
}

// compare is negative if a is the better total by the ranks of the policy. by is the rank
// that decides.
func (b *totals) compare(a, c preemption.Score) (order int, by preemption.Rank) {
	for _, rank := range b.ranks {
		if order := compareBy(rank, a, c); order != 0 {
			return order, rank
		}
	}
	return 0, 0
}

func compareBy(rank preemption.Rank, a, c preemption.Score) int {
	if rank == preemption.ByStart && (a.Victims == 0 || c.Victims == 0) { // nobody has no start, and is best (rule 25.2.3)
		return cmp.Compare(min(a.Victims, 1), min(c.Victims, 1))
	}
	order, _ := a.Compare(c, rank)
	return order
}

// mayBeat reports whether some victims and others besides can be a better total than best.
// Each amount only grows with more victims, but for the violations where budgets overlap,
// and for the start unless the top priority stays.
func (b *totals) mayBeat(some, best preemption.Score) bool {
	top := false
	for _, rank := range b.ranks {
		if rank == preemption.ByViolations && b.several || rank == preemption.ByStart && !top {
			return true
		}
		top = top || rank == preemption.ByTopPriority
		if order := compareBy(rank, some, best); order != 0 {
			return order < 0
		}
	}
	return false
}

// adds reports whether what victims come to by a rank is a sum of what each comes to alone, and
// is bounded.
func adds(rank preemption.Rank) bool {
	return rank == preemption.ByPrioritySum || rank == preemption.ByVictims || rank == preemption.ByCost
}

// alone is what one victim comes to by a rank that adds up.
func (b *totals) alone(rank preemption.Rank, pod *outrank.Pod) int64 {
	f := b.of(pod)
	var s preemption.Score
	s.Add(f.priority, f.start, f.cost)
	return rank.Gap(preemption.Score{}, s)
}

// charged lists the budgets, by their place among all, that a victim takes from.
func (b *totals) charged(pod *outrank.Pod) []int {
	return slices.DeleteFunc(b.budgets.Covering(pod), func(i int) bool {
		_, counted := b.budgets.At(i).DisruptedPods[pod.Name]
		return counted
	})
}

// first returns the first rank that adds up, and the highest priority that a victim may have where
// the top priority is a rank: that of the best plan known.
func (b *totals) first(known int32) (rank preemption.Rank, top int32) {
	rank, top = preemption.ByPrioritySum, math.MaxInt32
	for _, by := range b.ranks {
		if by == preemption.ByTopPriority {
			top = known
		}
		if b.moves != nil && adds(by) {
			return by, top // of victims above, the replacement may find a place
		}
	}
	for _, by := range b.ranks {
		if by != preemption.ByViolations && by != preemption.ByTopPriority && by != preemption.ByStart {
			return by, top
		}
	}
	return rank, top
}
