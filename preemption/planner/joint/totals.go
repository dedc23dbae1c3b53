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
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

// totals adds up the figures of victims, and says which of two totals is better (group 25.2).
type totals struct {
	ranks []measure
	// cost is the Cost of the rank named costs. It is nil if no rank has a Cost.
	cost  func(*outrank.Pod) int64
	costs string
	// lossCosts is nil if nothing is asked about replacements.
	lossCosts *LossCosts
	now       time.Time
	release   outrank.Release
	budgets   *pdb.Budgets
	// facts caches the figures of each victim.
	facts map[*outrank.Pod]facts
	// several is set once a victim was seen that more than one budget covers. Adding a victim can then turn
	// the violation of another into none (rule 6.3.8), so violations do not only grow with the victims.
	several bool
}

// measure is a rank by its name, with the figure that it compares.
type measure struct {
	name   string
	figure rank.Figure
}

// byMoves compares the costs of losses (rule 25.6.3). They are no figure of package rank, so it uses a number
// beyond those.
var byMoves = measure{"moves", rank.NumFigures}

// total adds up a set of victims in every figure that a rank can compare.
type total struct {
	rank.Figures
	// start is the same instant as Figures.Start, in the form in which the caller gave it.
	start time.Time
	// moves is the cost of the losses. Until the fates of the victims are known it is the least possible cost.
	moves int64
}

// amount returns the figure of a total that the rank compares.
func (m measure) amount(t *total) int64 {
	if m == byMoves {
		return t.moves
	}
	return t.Of(m.figure)
}

// gap returns by how much a is better than c, below 0 where it is worse.
func (m measure) gap(a, c *total) int64 {
	if m.figure == rank.StartFigure {
		return a.Gap(&c.Figures, m.figure)
	}
	return m.amount(c) - m.amount(a)
}

// adds reports whether the amount of several victims is the sum of their amounts. The relaxation can bound such an
// amount (rule 25.5.4).
func (m measure) adds() bool {
	return m == byMoves || m.figure == rank.SumFigure || m.figure == rank.VictimsFigure || m.figure == rank.CostFigure
}

// facts are the figures that one victim adds to a total.
type facts struct {
	priority int32
	// covered is set if a budget covers the pod.
	covered bool
	start   time.Time
	// cost is the cost by the caller's rank. moves is the least that the loss of the victim can cost.
	cost, moves int64
}

// newTotals returns totals for the ranks of a configuration. With costs of losses, byMoves replaces a rank of
// that name. Without one it comes first, or second if the violations are first (rule 25.6.3).
func newTotals(snap *engine.Snapshot, config *preemption.Config, now time.Time, losses *LossCosts) *totals {
	b := &totals{
		lossCosts: losses, now: now, release: snap.Release(),
		budgets: pdb.New(slices.Collect(snap.Budgets())), facts: map[*outrank.Pod]facts{},
	}

	// Each rank compares a figure of its own name, unless it has a Cost or byMoves replaces it.
	for _, r := range ranksOf(config) {
		m := measure{r.Name, rank.FigureOf(r.Name)}
		switch {
		case losses != nil && r.Name == byMoves.name:
			m = byMoves
		case r.Cost != nil:
			m.figure = rank.CostFigure
			b.cost = r.Cost
			b.costs = r.Name
		}
		b.ranks = append(b.ranks, m)
	}

	if losses == nil || slices.Contains(b.ranks, byMoves) {
		return b
	}

	// No rank is named "moves", so byMoves goes first, but behind the violations.
	at := 0
	if len(b.ranks) > 0 && b.ranks[0].figure == rank.ViolationsFigure {
		at = 1
	}
	b.ranks = slices.Insert(b.ranks, at, byMoves)
	return b
}

// ranksOf returns the ranks by which candidates are compared. Nil ranks in a configuration mean the default.
func ranksOf(config *preemption.Config) []preemption.Rank {
	if config.Ranks == nil {
		return preemption.DefaultRanks()
	}
	return config.Ranks
}

// factsOf returns the figures of a victim, and remembers them.
func (b *totals) factsOf(pod *outrank.Pod) facts {
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
	if b.lossCosts != nil {
		f.moves = mildest(*b.lossCosts, pod)
	}
	// Whether a victim violates a budget depends on the other victims, so only its coverage is recorded here.
	if b.budgets.Len() > 0 {
		n := len(b.budgets.Covering(pod))
		f.covered = n > 0
		b.several = b.several || n > 1
	}
	b.facts[pod] = f
	return f
}

// nobody returns the total of no victims, whose top priority is the lowest that there is (rule 25.2.3).
func nobody() total {
	return total{Figures: rank.Figures{Top: math.MinInt32, Start: rank.Never}}
}

// add counts a victim in all figures except the violations, which depend on all victims together.
func (t *total) add(f facts) {
	if t.Add(f.priority, rank.InstantOf(f.start), f.cost) {
		t.start = f.start
	}
	t.moves = resource.AddSat(t.moves, f.moves)
}

// total returns the total of victims. Their budgets are charged by importance (rule 25.2.2).
func (b *totals) total(victims []*outrank.Pod) total {
	t := nobody()
	var covered []*outrank.Pod
	for _, v := range victims {
		f := b.factsOf(v)
		t.add(f)
		if f.covered {
			covered = append(covered, v)
		}
	}
	if len(covered) > 0 {
		b.sort(covered)
		violating, _ := b.budgets.Split(b.release, covered)
		t.Violations = len(violating)
	}
	return t
}

// score returns a total as callers see it.
func (b *totals) score(t total) preemption.Score {
	s := preemption.Score{
		Violations: t.Violations, TopPriority: t.Top, PrioritySum: t.Sum, Victims: int(t.Victims), Start: t.start,
	}
	if b.cost != nil || b.lossCosts != nil {
		s.Own = map[string]int64{}
	}
	if b.cost != nil {
		s.Own[b.costs] = t.Cost
	}
	if b.lossCosts != nil {
		s.Own[byMoves.name] = t.moves
	}
	return s
}

// settle returns the total with the cost of the fates that were found, in place of the least possible cost
// (rule 25.6.3).
func (b *totals) settle(t total, s *settled) total {
	t.moves = 0
	for i := range s.victims {
		t.moves = resource.AddSat(t.moves, b.lossCosts.Of(s.fates[i].loss))
	}
	return t
}

// sort puts the most important victims first (rule 25.2.2).
func (b *totals) sort(victims []*outrank.Pod) {
	slices.SortFunc(victims, func(v, w *outrank.Pod) int {
		if c := cmp.Compare(b.factsOf(w).priority, b.factsOf(v).priority); c != 0 {
			return c
		}
		return priority.Compare(v, w, b.now)
	})
}

// compare returns a negative order if a is the better total by the ranks, and a positive one if c is. by names the
// rank that decides; it is empty if the totals are equal.
func (b *totals) compare(a, c total) (order int, by string) {
	for _, m := range b.ranks {
		if order := m.compare(&a, &c); order != 0 {
			return order, m.name
		}
	}
	return 0, ""
}

// compare returns a negative number if a is the better total by this rank. A total of no victims has no start, and
// is better by it than any other (rule 25.2.3).
func (m measure) compare(a, c *total) int {
	if m.figure != rank.StartFigure {
		return cmp.Compare(m.amount(a), m.amount(c))
	}
	if a.Victims == 0 || c.Victims == 0 {
		return cmp.Compare(min(a.Victims, 1), min(c.Victims, 1))
	}
	return a.Compare(&c.Figures, m.figure)
}

// mayBeat reports whether the victims of some, with any further victims, can still have a better total than best.
//
// Further victims only raise an amount. So the first rank in which some differs from best decides: if some is
// worse there, no further victims help. Two figures are exceptions, and mayBeat returns true when it reaches one:
// the violations if budgets overlap, and the start, unless the top priority was compared before it.
func (b *totals) mayBeat(some, best total) bool {
	topBefore := false
	for _, m := range b.ranks {
		if m.figure == rank.ViolationsFigure && b.several || m.figure == rank.StartFigure && !topBefore {
			return true
		}
		topBefore = topBefore || m.figure == rank.TopFigure
		if order := m.compare(&some, &best); order != 0 {
			return order < 0
		}
	}
	return false
}

// alone returns what one victim adds to the amount of a rank that adds up.
func (b *totals) alone(m measure, pod *outrank.Pod) int64 {
	t := nobody()
	t.add(b.factsOf(pod))
	return m.amount(&t)
}

// charged lists the indexes of the budgets that the eviction of a pod is charged to. A budget that already counts
// the pod among its DisruptedPods is not charged again.
func (b *totals) charged(pod *outrank.Pod) []int {
	return slices.DeleteFunc(b.budgets.Covering(pod), func(i int) bool {
		_, counted := b.budgets.At(i).DisruptedPods[pod.Name]
		return counted
	})
}

// firstSum returns the first rank that adds up, and the highest priority of a victim for which plans are
// searched. If the top priority is a rank, that is known, the top priority of the best plan; otherwise it is any.
// With moves the top priority only counts if it is ranked before the sum: otherwise a victim above it may be
// worth it, because its replacement finds a place.
func (b *totals) firstSum(known int32) (m measure, top int32) {
	top = math.MaxInt32
	for _, by := range b.ranks {
		if by.figure == rank.TopFigure {
			top = known
		}
		if b.lossCosts != nil && by.adds() {
			return by, top
		}
	}
	for _, by := range b.ranks {
		if by.adds() {
			return by, top
		}
	}
	return measure{rank.PrioritySum, rank.SumFigure}, top
}
