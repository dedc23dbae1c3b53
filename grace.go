package outrank

import (
	"math"
	"time"

	"github.com/outrank-go/outrank/internal/fields"
)

// DefaultGracePeriod is the time that a pod has to end if it does not say, as the
// API server sets it.
const DefaultGracePeriod = 30 * time.Second

// GracePeriod is the time that the pod has to end when it is deleted and nobody
// says otherwise: its own, or standard where it has none. A negative one of its own
// counts as one second, as the API server takes it (rule 14.1.12 of preemption/execution).
func (p *Pod) GracePeriod(standard time.Duration) time.Duration {
	switch {
	case p.Grace == nil:
		return standard
	case *p.Grace < 0:
		return time.Second
	}
	return *p.Grace
}

// mostGrace is the longest grace period, in seconds; one that is read beyond it
// counts as this long.
const mostGrace = int64(math.MaxInt64 / time.Second)

// graceOf reads a number of seconds.
func graceOf(seconds *int64) *time.Duration {
	if seconds == nil {
		return nil
	}
	d := time.Duration(max(-mostGrace, min(*seconds, mostGrace))) * time.Second
	return &d
}

// grace writes a number of seconds.
func (e *encoder) grace(d *time.Duration, at *fields.Path) *int64 {
	if d == nil {
		return nil
	}
	if *d%time.Second != 0 {
		e.add(at, "%v is not in whole seconds", *d)
		return nil
	}
	seconds := int64(*d / time.Second)
	return &seconds
}
