package queue

import (
	"math"
	"time"
)

// backoffWindow is the unit of backoff (rule 5.3.4). Ends of backoff are cut to it, so that pods whose
// backoff ends within one window are sorted by the order of the active pods.
const backoffWindow = time.Second

// backoffAfter returns how long a pod waits after its n-th failure in a row.
func (c *Config) backoffAfter(failures int) time.Duration {
	return c.backoffUpTo(failures, c.MaxBackoff)
}

// stepsToMax returns the number of failures from which on the backoff is MaxBackoff.
func (c *Config) stepsToMax() int {
	steps := 1
	for c.backoffAfter(steps) < c.MaxBackoff {
		steps++
	}
	return steps
}

// backoffUpTo is backoffAfter with a ceiling other than MaxBackoff. It takes at most some 60 steps.
func (c *Config) backoffUpTo(failures int, most time.Duration) time.Duration {
	d := c.InitialBackoff
	for range failures - 1 {
		if d > most/2 { // doubling it would exceed the ceiling, and might overflow
			return most
		}
		d *= 2
	}
	return d
}

// mostBackoffOf returns the ceiling of the backoff of a group, by the number of its waiting pods
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

// backoffEndUpTo is backoffEnd with a ceiling other than MaxBackoff.
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
// (rule 5.3.5). For a pod that never failed it is the zero time.
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

	// The time-out does not cut a backoff short that is longer (rule 5.4.2).
	it.BackoffEnd = c.backoffEnd(now, &it.Entry)
	it.due = now.Add(c.UnschedulableTimeout)
	if over := c.backoffOver(it.BackoffEnd); it.due.Before(over) {
		it.due = over
	}
}
