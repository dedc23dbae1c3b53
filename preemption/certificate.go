package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank/preemption/internal/phrase"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Certificate says how good a set of victims is among all that there could be (rule
// 13.4.6). It belongs to the caller.
type Certificate struct {
	// Optimal: no set is better by the ranks of the policy. Bound is then the score
	// itself, Rank is 0, and Gap is 0.
	Optimal bool
	// Bound is a score that no set beats, compared by the ranks of the policy. Figures
	// that those ranks do not compare are 0. It is the zero Score where nothing is
	// known.
	Bound Score
	// Rank is the first rank in which Bound is better than the score, and Gap by how much
	// at most a set can be better there: violations, steps of priority, the sum of
	// priorities (2^31 for each victim), victims, cost, or nanoseconds of a later start.
	// Gap stops at the largest int64.
	Rank Rank
	Gap  int64
	// Steps is how many search nodes the search took on the candidate's node, 0 where
	// there is no candidate.
	Steps int
	// Unsolved is how many nodes the limit kept from being searched to the end that
	// could be better by what is known of them: for the certificate of a candidate 0 or
	// 1.
	Unsolved int
}

// text returns the certificate in a few words.
func (c *Certificate) text() string {
	steps := phrase.Steps(c.Steps)
	switch {
	case c.Optimal:
		return "optimal, " + steps
	case c.Rank == 0:
		return fmt.Sprintf("not proven, %s, %d not searched to the end", steps, c.Unsolved)
	case rank.Of(c.Rank).Figure == rank.StartFigure:
		return fmt.Sprintf("at best %v later by the start of the most important victims, %s, %d not searched to the end", time.Duration(c.Gap), steps, c.Unsolved)
	}
	return fmt.Sprintf("at best %d less by: %v, %s, %d not searched to the end", c.Gap, c.Rank, steps, c.Unsolved)
}
