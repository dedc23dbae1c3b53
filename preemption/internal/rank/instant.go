package rank

import (
	"math"
	"time"
)

// Instant is a time in a form that is cheap to compare. It counts from the beginning of 1970.
type Instant struct {
	Sec  int64
	Nsec int32
}

// NoStart is the Sec of a pod without a start. It is after every start.
const NoStart = math.MaxInt64

// Never is the instant of a pod without a start. It is after every start.
var Never = Instant{Sec: NoStart}

// InstantOf returns the instant of a time. The zero time means that there is none, and becomes Never.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return Never
	}
	return Instant{t.Unix(), int32(t.Nanosecond())}
}

// Before reports whether a is earlier than b.
func (a Instant) Before(b Instant) bool { return a.Sec < b.Sec || a.Sec == b.Sec && a.Nsec < b.Nsec }

// Time returns the time, in UTC; zero for Never.
func (a Instant) Time() time.Time {
	if a == Never {
		return time.Time{}
	}
	return time.Unix(a.Sec, int64(a.Nsec)).UTC()
}
