package joint

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// rankText returns the words for what a rank prefers.
func rankText(name string) string {
	if name == byMoves.name {
		return "less that is lost"
	}
	return rank.Text(name)
}

// certificateText says in a few words how good a plan is.
func certificateText(c preemption.Certificate) string {
	steps := prose.Plural(c.Steps, "step")
	switch {
	case c.Optimal:
		return "optimal, " + steps
	case c.Gap == 0:
		return "not proven, " + steps
	case c.Rank == rank.Start:
		return fmt.Sprintf("at best %v later by the start of the most important victims, %s", time.Duration(c.Gap), steps)
	}
	return fmt.Sprintf("at best %d less by: %s, %s", c.Gap, rankText(c.Rank), steps)
}

// certify returns the certificate of a plan with this total, given a bound that no plan beats (group 25.5). certain
// says that the total is proven to be the best. Otherwise the certificate reports the first rank with a gap. The
// start is not bounded, so nothing can be said from that rank on.
func (b *totals) certify(t, bound total, certain bool, steps int) preemption.Certificate {
	if certain || t.Victims == 0 {
		return preemption.Certificate{Optimal: true, Bound: b.score(t), Steps: steps}
	}

	bound.start = time.Time{}
	c := preemption.Certificate{Bound: b.score(bound), Steps: steps}
	for _, by := range b.ranks {
		if by.figure == rank.StartFigure {
			c.Rank = by.name
			return c
		}
		if gap := by.gap(&bound, &t); gap > 0 {
			c.Rank, c.Gap = by.name, gap
			return c
		}
	}
	c.Optimal, c.Bound = true, b.score(t)
	return c
}
