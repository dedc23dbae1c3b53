package queue

import (
	"math"
	"time"
)

// backoffWindow is the unit of time to which the end of a backoff is cut (rule 5.3.4). So the order of the
// active pods decides between pods whose backoff ends within one window.
const backoffWindow = time.Second

// backoffAfter returns how long a pod waits after its n-th failure in a row.
func (c *Config) backoffAfter(failures int) time.Duration {
	return c.backoffUpTo(failures, c.MaxBackoff)
}

// stepsToMax returns the number of failures in a row after which the backoff no longer grows.
func (c *Config) stepsToMax() int {
	steps := 1
	for c.backoffAfter(steps) < c.MaxBackoff {
		steps++
	}
	return steps
}

// backoffUpTo is backoffAfter with the ceiling most instead of MaxBackoff. The loop takes at most about 60
// steps, since each doubles the duration.
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

// mostBackoffOf returns the ceiling of a group's backoff, which grows with the square root of the number of
// its waiting pods (rule 5.8.8).
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

// backoffEndUpTo is backoffEnd with the ceiling most instead of MaxBackoff.
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

// backoffOver returns the first moment at which a backoff with this end is over (rule 5.3.5). The zero time, of
// a pod that never failed, stays zero.
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

	// If the backoff lasts longer than the time-out, the time-out waits for its end (rule 5.4.2).
	it.BackoffEnd = c.backoffEnd(now, &it.Entry)
	it.due = now.Add(c.UnschedulableTimeout)
	if over := c.backoffOver(it.BackoffEnd); it.due.Before(over) {
		it.due = over
	}
}
