package sim

import (
	"math"
	"time"
)

// horizon ends all time, some 146 years after the start; later events happen
// then. So no sum of two times wraps.
const horizon = time.Duration(math.MaxInt64 / 2)

// later is a time after another, at the horizon at most.
func later(t, d time.Duration) time.Duration { return min(t+min(d, horizon), horizon) }

// clock is the virtual time of a run.
type clock struct {
	start time.Time
	// at is the time since the start.
	at time.Duration
	// steps counts the steps; each attempt is one.
	steps int
}

// time returns the time of day.
func (c *clock) time() time.Time { return c.start.Add(c.at) }
