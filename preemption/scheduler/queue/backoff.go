package queue

import (
	"math"
	"time"
)

// backoffWindow is the unit of backoff. Pods whose backoff ends within one window are sorted by
// the order of the active pods.
const backoffWindow = time.Second

// backoffAfter returns how long a pod waits after so many failures. Doubling stops
// before it could overflow, so it takes at most some 60 steps.
func (c *Config) backoffAfter(failures int) time.Duration {
	return c.backoffUpTo(failures, c.MaxBackoff)
}

// stepsToMax returns the failure from which on the backoff is the longest.
func (c *Config) stepsToMax() int {
	steps := 1
	for c.backoffAfter(steps) < c.MaxBackoff {
		steps++
	}
	return steps
}

// backoffUpTo is backoffAfter with another ceiling.
func (c *Config) backoffUpTo(failures int, most time.Duration) time.Duration {
	d := c.InitialBackoff
	for range failures - 1 {
		if d > most/2 {
			return most
		}
		d *= 2
	}
	return d
}

// mostBackoffOf is the ceiling of the backoff of a group with so many waiting pods
// (rule 5.8.8).
func (c *Config) mostBackoffOf(pods int) time.Duration {
	most := float64(c.MaxBackoff) * math.Sqrt(float64(max(pods, 1)))
	if most >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(most)
}

// backoffEnd returns the end of the backoff after an attempt that failed now (rules 5.3.1,
// 5.3.2 and 5.3.4).
func (c *Config) backoffEnd(now time.Time, e *Entry) time.Time {
	return c.backoffEndUpTo(now, e, c.MaxBackoff)
}

// backoffEndUpTo is backoffEnd with another ceiling.
func (c *Config) backoffEndUpTo(now time.Time, e *Entry, most time.Duration) time.Time {
	failures := e.Refusals
	if e.Errors > 0 {
		failures = e.Errors
	}
	end := now.Add(c.backoffUpTo(failures, most))
	if !c.NoEarlyPop {
		end = end.Truncate(backoffWindow)
	}
	return end
}

// backoffOver returns the first moment at which a backoff with this end is over
// (rule 5.3.5); the zero time for a pod that never failed.
func (c *Config) backoffOver(end time.Time) time.Time {
	if c.NoEarlyPop || end.IsZero() {
		return end
	}
	return end.Add(backoffWindow)
}

// delay sets the end of the backoff and the time-out of a pod whose attempt failed now.
func (c *Config) delay(it *item, now time.Time) {
	if c.old() {
		it.due = now.Add(c.UnschedulableTimeout)
		return
	}
	it.BackoffEnd = c.backoffEnd(now, &it.Entry)
	it.due = now.Add(c.UnschedulableTimeout)
	if over := c.backoffOver(it.BackoffEnd); it.due.Before(over) {
		it.due = over
	}
}
