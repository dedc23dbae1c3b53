package sim

import (
	"math"
	"time"
)

// horizon is the last time of any run, some 146 years after its start. Whatever would happen later happens
// then. It is half of the largest duration, so that the sum of two times never overflows.
const horizon = time.Duration(math.MaxInt64 / 2)

// later returns the time d after t, but at most the horizon.
func later(t, d time.Duration) time.Duration { return min(t+min(d, horizon), horizon) }

// clock is the virtual time of a run.
type clock struct {
	start time.Time
	// at is the time since the start.
	at time.Duration
	// steps counts the steps; each attempt is one.
	steps int
}

// time returns the present time with its date.
func (c *clock) time() time.Time { return c.timeOf(c.at) }

// timeOf returns the date of the time d after the start.
func (c *clock) timeOf(d time.Duration) time.Time { return c.start.Add(d) }
