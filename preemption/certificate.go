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
	// Optimal: no other set is better by the ranks; where nothing helps, no set makes room. Bound is
	// then the score itself.
	Optimal bool
	// Bound is a score that no set beats, in the figures that the ranks compare. It is zero where
	// nothing is known.
	Bound Score
	// Rank names the first rank in which Bound is better than the score, and Gap says by how much at
	// most a set can be better there: violations, steps of priority, the sum of priorities (2^31 for
	// each victim), victims, cost, or nanoseconds of a later start, as far as an int64 goes. They are
	// empty and 0 where the set is optimal.
	Rank string
	Gap  int64
	// Steps is how many steps the search took on the candidate's node, 0 where there is no candidate.
	// Unsolved is on how many nodes it ended early that could have been better: for the certificate of
	// a candidate 0 or 1.
	Steps, Unsolved int
}

// text returns the certificate in a few words.
func (c *Certificate) text() string {
	steps := phrase.Steps(c.Steps)
	switch {
	case c.Optimal:
		return "optimal, " + steps
	case c.Rank == "":
		return fmt.Sprintf("not proven, %s, %d not searched to the end", steps, c.Unsolved)
	case c.Rank == rank.Start:
		return fmt.Sprintf("at best %v later by the start of the most important victims, %s, %d not searched to the end", time.Duration(c.Gap), steps, c.Unsolved)
	}
	return fmt.Sprintf("at best %d less by: %s, %s, %d not searched to the end", c.Gap, rank.Text(c.Rank), steps, c.Unsolved)
}
