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
	// cost is what a victim costs by the rank of the name costs; nil without one.
	cost    func(*outrank.Pod) int64
	costs   string
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

// measure is what a rank compares, by the name of the rank.
type measure struct {
	name   string
	figure rank.Figure
}

// byMoves compares what becomes of the victims (rule 25.6.3).
var byMoves = measure{"moves", rank.NumFigures}

// total is what victims come to together, in every figure that a rank compares.
type total struct {
	rank.Figures
	// start is the start among the figures as the caller gave it.
	start time.Time
	// moves is what becomes of them, as far as it is known: what it costs at least until a solution has
	// settled it.
	moves int64
}

// of returns a figure of a total.
func (m measure) of(t *total) int64 {
	if m == byMoves {
		return t.moves
	}
	return t.Of(m.figure)
}

// gap returns by how much a is better than c.
func (m measure) gap(a, c *total) int64 {
	if m.figure == rank.StartFigure {
		return a.Gap(&c.Figures, m.figure)
	}
	return m.of(c) - m.of(a)
}

// adds reports whether what victims come to is a sum of what each comes to alone, and is bounded.
func (m measure) adds() bool {
	return m == byMoves || m.figure == rank.SumFigure || m.figure == rank.VictimsFigure || m.figure == rank.CostFigure
}

// facts are the figures of a victim that a total is made of.
type facts struct {
	priority int32
	covered  bool
	start    time.Time
	// cost is by the caller's rank, and moves at least what becomes of the victim.
	cost, moves int64
}

// newTotals returns totals by the ranks of a configuration. With moves, what becomes of victims is
// compared where these name it (rule 25.6.3).
func newTotals(snap *engine.Snapshot, config *preemption.Config, now time.Time, moves *LossCosts) *totals {
	b := &totals{
		moves: moves, now: now, release: snap.Release(),
		budgets: pdb.New(slices.Collect(snap.Budgets())), facts: map[*outrank.Pod]facts{},
	}
	for _, r := range ranksOf(config) {
		m := measure{r.Name, rank.FigureOf(r.Name)}
		switch {
		case moves != nil && r.Name == byMoves.name:
			m = byMoves
		case r.Cost != nil:
			m.figure, b.cost, b.costs = rank.CostFigure, r.Cost, r.Name
		}
		b.ranks = append(b.ranks, m)
	}
	if moves == nil || slices.Contains(b.ranks, byMoves) {
		return b
	}
	at := 0
	if len(b.ranks) > 0 && b.ranks[0].figure == rank.ViolationsFigure {
		at = 1
	}
	b.ranks = slices.Insert(b.ranks, at, byMoves)
	return b
}

// ranksOf returns what candidates are compared by, which an evaluator leaves nil for the default.
func ranksOf(config *preemption.Config) []preemption.Rank {
	if config.Ranks == nil {
		return preemption.DefaultRanks()
	}
	return config.Ranks
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
		f.moves = mildest(*b.moves, pod)
	}
	if b.budgets.Len() > 0 {
		n := len(b.budgets.Covering(pod))
		f.covered = n > 0
		b.several = b.several || n > 1
	}
	b.facts[pod] = f
	return f
}

// nobody is the total of no victims, whose top priority is the lowest that there is.
func nobody() total {
	return total{Figures: rank.Figures{Top: math.MinInt32, Start: rank.Never}}
}

// add counts a victim but for its violations.
func (t *total) add(f facts) {
	if t.Add(f.priority, rank.InstantOf(f.start), f.cost) {
		t.start = f.start
	}
	t.moves = resource.AddSat(t.moves, f.moves)
}

// total returns what victims come to together.
func (b *totals) total(victims []*outrank.Pod) total {
	t := nobody()
	var covered []*outrank.Pod
	for _, v := range victims {
		f := b.of(v)
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

// tell returns a total as callers see it.
func (b *totals) tell(t total) preemption.Score {
	s := preemption.Score{
		Violations: t.Violations, TopPriority: t.Top, PrioritySum: t.Sum, Victims: int(t.Victims), Start: t.start,
	}
	if b.cost != nil || b.moves != nil {
		s.Own = map[string]int64{}
	}
	if b.cost != nil {
		s.Own[b.costs] = t.Cost
	}
	if b.moves != nil {
		s.Own[byMoves.name] = t.moves
	}
	return s
}

// settle puts what becomes of victims in place of what it costs at least (rule 25.6.3).
func (b *totals) settle(t total, s *settled) total {
	t.moves = 0
	for i := range s.victims {
		t.moves = resource.AddSat(t.moves, b.moves.Of(s.fates[i].loss))
	}
	return t
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

// compare is negative if a is the better total by the ranks. by names the rank that decides, empty
// where none does.
func (b *totals) compare(a, c total) (order int, by string) {
	for _, m := range b.ranks {
		if order := m.compare(&a, &c); order != 0 {
			return order, m.name
		}
	}
	return 0, ""
}

func (m measure) compare(a, c *total) int {
	if m.figure != rank.StartFigure {
		return cmp.Compare(m.of(a), m.of(c))
	}
	if a.Victims == 0 || c.Victims == 0 { // nobody has no start, and is best (rule 25.2.3)
		return cmp.Compare(min(a.Victims, 1), min(c.Victims, 1))
	}
	return a.Compare(&c.Figures, m.figure)
}

// mayBeat reports whether some victims and others besides can be a better total than best.
// Each amount only grows with more victims, but for the violations where budgets overlap,
// and for the start unless the top priority stays.
func (b *totals) mayBeat(some, best total) bool {
	top := false
	for _, m := range b.ranks {
		if m.figure == rank.ViolationsFigure && b.several || m.figure == rank.StartFigure && !top {
			return true
		}
		top = top || m.figure == rank.TopFigure
		if order := m.compare(&some, &best); order != 0 {
			return order < 0
		}
	}
	return false
}

// alone is what one victim comes to by a rank that adds up.
func (b *totals) alone(m measure, pod *outrank.Pod) int64 {
	t := nobody()
	t.add(b.of(pod))
	return m.of(&t)
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
func (b *totals) first(known int32) (m measure, top int32) {
	top = math.MaxInt32
	for _, by := range b.ranks {
		if by.figure == rank.TopFigure {
			top = known
		}
		if b.moves != nil && by.adds() {
			return by, top // of victims above, the replacement may find a place
		}
	}
	for _, by := range b.ranks {
		if by.adds() {
			return by, top
		}
	}
	return measure{rank.PrioritySum, rank.SumFigure}, top
}
