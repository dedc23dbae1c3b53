package preemption

import (
	"math"
	"time"
)

// instant is a time in a form that is cheap to compare. The instant never is
// after every start.
type instant struct {
	sec  int64
	nsec int32
}

// noStart sorts after every start.
const noStart = math.MaxInt64

var never = instant{sec: noStart}

func instantOf(t time.Time) instant { return instant{t.Unix(), int32(t.Nanosecond())} }

func (a instant) before(b instant) bool { return a.sec < b.sec || a.sec == b.sec && a.nsec < b.nsec }

// time returns the time, in UTC.
func (a instant) time() time.Time { return time.Unix(a.sec, int64(a.nsec)).UTC() }
