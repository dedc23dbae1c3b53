package sim

import (
	"math"
	"time"
)

// horizon is the end of all time, some 146 years after the start. An event that would come later happens
// at the horizon, so that no sum of two times wraps.
const horizon = time.Duration(math.MaxInt64 / 2)

// later returns the time d after t, at most the horizon.
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

// timeOf returns the time that is d after the start.
func (c *clock) timeOf(d time.Duration) time.Time { return c.start.Add(d) }
