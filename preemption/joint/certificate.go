package joint

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// certificateText says in a few words how good a plan is.
func certificateText(c preemption.Certificate) string {
	steps := prose.Plural(c.Steps, "step")
	switch {
	case c.Optimal:
		return "optimal, " + steps
	case c.Gap == 0:
		return "not proven, " + steps
	case c.Rank == preemption.ByStart:
		return fmt.Sprintf("at best %v later by the start of the most important victims, %s", time.Duration(c.Gap), steps)
	}
	return fmt.Sprintf("at best %d less by: %v, %s", c.Gap, c.Rank, steps)
}

// certify compares a total with a bound that no plan beats in any of its amounts (group
// 25.5). The start is not bounded: by it nothing is known.
func (b *totals) certify(total, bound preemption.Score, certain bool, steps int) preemption.Certificate {
	if certain || total.Victims == 0 {
		return preemption.Certificate{Optimal: true, Bound: total, Steps: steps}
	}
	c := preemption.Certificate{Bound: bound, Steps: steps}
	c.Bound.Start = time.Time{}
	for _, rank := range b.ranks {
		gap := int64(0)
		if rank != preemption.ByStart {
			gap = rank.Gap(bound, total)
		}
		if gap > 0 || rank == preemption.ByStart {
			c.Rank, c.Gap = rank, max(gap, 0)
			return c
		}
	}
	c.Optimal, c.Bound = true, total
	return c
}
