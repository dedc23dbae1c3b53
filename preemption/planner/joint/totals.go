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
	// cost returns the cost of a victim by the rank with the name in costs. It is nil if no rank has a cost.
	cost  func(*outrank.Pod) int64
	costs string
	// lossCosts is nil where nothing is asked about replacements.
	lossCosts *LossCosts
	now       time.Time
	release   outrank.Release
	budgets   *pdb.Budgets
	facts     map[*outrank.Pod]facts
	// several is set once a pod was met that more than one budget covers: a further
	// victim can then make another one no violation (rule 6.3.8), so that the violations
	// of some victims are no bound for those of more.
	several bool
}

// measure is what a rank compares. name is that of the rank.
type measure struct {
	name   string
	figure rank.Figure
}

// byMoves compares what becomes of the victims (rule 25.6.3).
var byMoves = measure{"moves", rank.NumFigures}

// total is the sum of victims in every figure that a rank compares.
type total struct {
	rank.Figures
	// start is the start among the figures as the caller gave it.
	start time.Time
	// moves is the cost of the losses: the least possible, until a solution has settled what becomes of the
	// victims.
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

// adds reports whether the amount of several victims is the sum of their amounts. Such amounts are bounded
// (rule 25.5.4).
func (m measure) adds() bool {
	return m == byMoves || m.figure == rank.SumFigure || m.figure == rank.VictimsFigure || m.figure == rank.CostFigure
}

// facts are the figures of one victim that a total is made of.
type facts struct {
	priority int32
	// covered is set where a budget covers the pod.
	covered bool
	start   time.Time
	// cost is the cost by the caller's rank, moves the least that the loss of the victim can cost.
	cost, moves int64
}

// newTotals returns totals by the ranks of a configuration. With costs of losses, byMoves is among the ranks
// where the configuration names it, and else before all but the violations (rule 25.6.3).
func newTotals(snap *engine.Snapshot, config *preemption.Config, now time.Time, losses *LossCosts) *totals {
	b := &totals{
		lossCosts: losses, now: now, release: snap.Release(),
		budgets: pdb.New(slices.Collect(snap.Budgets())), facts: map[*outrank.Pod]facts{},
	}
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

	// No rank is called moves, so it goes in front, but behind the violations.
	at := 0
	if len(b.ranks) > 0 && b.ranks[0].figure == rank.ViolationsFigure {
		at = 1
	}
	b.ranks = slices.Insert(b.ranks, at, byMoves)
	return b
}

// ranksOf returns the ranks that candidates are compared by. An evaluator leaves them nil for the default.
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
	// Whether a victim violates a budget depends on the others, so only its being covered is known here.
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

// add counts a victim in all figures but the violations, which several victims decide together.
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

// settle returns the total with the cost of the losses that were found in place of the least possible (rule
// 25.6.3).
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

// compare is negative if a is the better total by the ranks, and positive if c is. by names the rank that
// decides, empty where none does.
func (b *totals) compare(a, c total) (order int, by string) {
	for _, m := range b.ranks {
		if order := m.compare(&a, &c); order != 0 {
			return order, m.name
		}
	}
	return 0, ""
}

// compare is negative if a is the better total by one rank. Nobody has no start, and is the best by it (rule
// 25.2.3).
func (m measure) compare(a, c *total) int {
	if m.figure != rank.StartFigure {
		return cmp.Compare(m.amount(a), m.amount(c))
	}
	if a.Victims == 0 || c.Victims == 0 {
		return cmp.Compare(min(a.Victims, 1), min(c.Victims, 1))
	}
	return a.Compare(&c.Figures, m.figure)
}

// mayBeat reports whether some victims and others besides can be a better total than best.
//
// With more victims each amount only grows, so the first rank in which some are worse or better decides. Two
// figures are exceptions: the violations where budgets overlap, and the start, unless the top priority comes
// before it and stays. From there on nothing is sure.
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

// alone returns the amount of one victim in a rank that adds up.
func (b *totals) alone(m measure, pod *outrank.Pod) int64 {
	t := nobody()
	t.add(b.factsOf(pod))
	return m.amount(&t)
}

// charged lists the budgets, by their place among all, that the loss of a pod takes from. A budget that has
// counted the pod as disrupted before is not charged again.
func (b *totals) charged(pod *outrank.Pod) []int {
	return slices.DeleteFunc(b.budgets.Covering(pod), func(i int) bool {
		_, counted := b.budgets.At(i).DisruptedPods[pod.Name]
		return counted
	})
}

// firstSum returns the first rank that adds up, and the highest priority that a victim may have. Where the top
// priority is a rank, that is the known one of the best plan, and else any. With moves the rank of the top
// priority counts only if it comes before the sum: otherwise a victim above it may be worth it, because its
// replacement finds a place.
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
