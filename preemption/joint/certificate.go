package joint

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/preemption"
)

// Certificate says how good a plan is among all that there could be for the pods that one
// by one have a place.
type Certificate struct {
	// Optimal: no plan is better by the ranks of the policy. Bound is then the total
	// itself, Rank is 0, and Gap is 0.
	Optimal bool
	// Bound is a total that no plan beats in any of its amounts (group 25.5). Start is
	// not bounded, and the zero time.
	Bound preemption.Score
	// Rank is the first rank in which Bound is better than the total, and Gap by how much
	// at most a plan can be better there: violations, steps of priority, the sum of
	// priorities (2^31 for each victim), victims, or cost. By the start nothing is known,
	// and Gap is 0.
	Rank preemption.Rank
	Gap  int64
	// Steps is how many questions to nodes the searches took together.
	Steps int
}

// String returns the certificate in a few words.
func (c Certificate) String() string {
	steps := fmt.Sprintf("%d steps", c.Steps)
	if c.Steps == 1 {
		steps = "1 step"
	}
	switch {
	case c.Optimal:
		return "optimal, " + steps
	case c.Gap == 0:
		return "not proven, " + steps
	}
	return fmt.Sprintf("at best %d less by: %v, %s", c.Gap, c.Rank, steps)
}

func (b *bill) certify(total, bound preemption.Score, certain bool, steps int) Certificate {
	if certain || total.Victims == 0 {
		return Certificate{Optimal: true, Bound: total, Steps: steps}
	}
	c := Certificate{Bound: bound, Steps: steps}
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
